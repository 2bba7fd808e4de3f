package io.faultline.source;

import io.faultline.records.BlockSerializer;
import io.faultline.records.CompactSerializer;
import io.faultline.records.CompactTypeInfo;
import io.faultline.records.DeadLetter;
import io.faultline.records.GraphEvent;
import io.faultline.records.GraphEventSerializer;
import io.faultline.records.Header;
import io.faultline.records.Versions;
import java.io.IOException;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

/** Version 1: version, tag (1 block, 2 edge, 3 dead letter), then the fields of that record. */
public final class DecodedSerializer extends CompactSerializer<Decoded> {
  public static final DecodedSerializer INSTANCE = new DecodedSerializer();
  public static final CompactTypeInfo<Decoded> TYPE =
      new CompactTypeInfo<>(Decoded.class, INSTANCE);
  private static final int VERSION = 1;
  private static final int BLOCK = 1;
  private static final int EDGE = 2;
  private static final int DEAD_LETTER = 3;

  @Override
  public void serialize(Decoded decoded, DataOutputView out) throws IOException {
    out.writeByte(VERSION);
    if (decoded.block() != null) {
      out.writeByte(BLOCK);
      BlockSerializer.INSTANCE.serialize(decoded.block(), out);
    } else if (decoded.edge() != null) {
      out.writeByte(EDGE);
      GraphEventSerializer.INSTANCE.serialize(GraphEvent.of(decoded.edge()), out);
    } else {
      out.writeByte(DEAD_LETTER);
      writeDeadLetter(decoded.deadLetter(), out);
    }
  }

  @Override
  public Decoded deserialize(DataInputView in) throws IOException {
    Versions.expect(in.readByte(), VERSION, "decoded");
    int tag = in.readByte();
    return switch (tag) {
      case BLOCK -> Decoded.of(BlockSerializer.INSTANCE.deserialize(in));
      case EDGE -> Decoded.of(GraphEventSerializer.INSTANCE.deserialize(in).edge());
      case DEAD_LETTER -> Decoded.of(readDeadLetter(in));
      default -> throw new IOException("decoded: unknown tag " + tag);
    };
  }

  private static void writeDeadLetter(DeadLetter letter, DataOutputView out) throws IOException {
    StringValue.writeString(letter.topic(), out);
    out.writeInt(letter.partition());
    out.writeLong(letter.offset());
    out.writeLong(letter.timestamp());
    writeBytes(letter.key(), out);
    writeBytes(letter.value(), out);
    StringValue.writeString(letter.format(), out);
    StringValue.writeString(letter.reason(), out);
    StringValue.writeString(letter.detail(), out);
    out.writeInt(letter.headers().size());
    for (Header header : letter.headers()) {
      StringValue.writeString(header.name(), out);
      writeBytes(header.value(), out);
    }
  }

  private static DeadLetter readDeadLetter(DataInputView in) throws IOException {
    return new DeadLetter(
        StringValue.readString(in),
        in.readInt(),
        in.readLong(),
        in.readLong(),
        readBytes(in),
        readBytes(in),
        StringValue.readString(in),
        StringValue.readString(in),
        StringValue.readString(in),
        readHeaders(in));
  }

  private static List<Header> readHeaders(DataInputView in) throws IOException {
    Header[] headers = new Header[in.readInt()];
    for (int i = 0; i < headers.length; i++) {
      headers[i] = new Header(StringValue.readString(in), readBytes(in));
    }
    return List.of(headers);
  }

  private static void writeBytes(@Nullable byte[] bytes, DataOutputView out) throws IOException {
    out.writeInt(bytes == null ? -1 : bytes.length);
    if (bytes != null) {
      out.write(bytes);
    }
  }

  @Nullable
  private static byte[] readBytes(DataInputView in) throws IOException {
    int length = in.readInt();
    if (length < 0) {
      return null;
    }
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    return bytes;
  }

  @Override
  public TypeSerializerSnapshot<Decoded> snapshotConfiguration() {
    return new Snapshot();
  }

  /** Named by savepoints: keep the class name. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<Decoded> {
    public Snapshot() {
      super(() -> INSTANCE);
    }
  }
}
