package io.faultline.records;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

/**
 * Binary form of a {@link SeriesKey}, shared by layouts and keyed state. Many series share one key
 * object, and each checkpoint writes it for all of them: a thread remembers how it wrote the last
 * ones.
 */
public final class SeriesKeys {
  private static final int REMEMBERED = 1 << 12;
  private static final ThreadLocal<Written[]> WRITTEN =
      ThreadLocal.withInitial(() -> new Written[REMEMBERED]);

  private static final Side[] SIDES = Side.values();
  private static final Kind[] KINDS = Kind.values();

  private SeriesKeys() {}

  public static void write(SeriesKey key, DataOutputView out) throws IOException {
    Written[] all = WRITTEN.get();
    int place = System.identityHashCode(key) & (REMEMBERED - 1);
    Written written = all[place];
    if (written == null || written.key != key) {
      DataOutputSerializer bytes = new DataOutputSerializer(128);
      encode(key, bytes);
      written = new Written(key, bytes.getCopyOfBuffer());
      all[place] = written;
    }
    out.write(written.bytes);
  }

  private static void encode(SeriesKey key, DataOutputView out) throws IOException {
    StringValue.writeString(key.metric(), out);
    StringValue.writeString(key.labels(), out);
    writeNullable(key.peer(), out);
    out.writeByte(key.side().ordinal());
    out.writeByte(key.kind().ordinal());
    out.writeByte(key.signal() == null ? -1 : key.signal().ordinal());
    writeNullable(key.unit(), out);
  }

  public static SeriesKey read(DataInputView in) throws IOException {
    String metric = StringValue.readString(in);
    String labels = StringValue.readString(in);
    String peer = readNullable(in);
    Side side = SIDES[in.readByte()];
    Kind kind = KINDS[in.readByte()];
    int signal = in.readByte();
    String unit = readNullable(in);
    return new SeriesKey(
        metric, labels, peer, side, kind, signal < 0 ? null : Signal.ofIndex(signal), unit);
  }

  private record Written(SeriesKey key, byte[] bytes) {}

  static void writeNullable(@Nullable String value, DataOutputView out) throws IOException {
    StringValue.writeString(value, out);
  }

  @Nullable
  static String readNullable(DataInputView in) throws IOException {
    return StringValue.readString(in);
  }
}
