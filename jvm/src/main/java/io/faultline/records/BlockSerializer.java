package io.faultline.records;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

/** Version 1: version, graph, node, time, layout bytes, values, starts. */
public final class BlockSerializer extends CompactSerializer<Block> {
  public static final BlockSerializer INSTANCE = new BlockSerializer();
  public static final CompactTypeInfo<Block> TYPE = new CompactTypeInfo<>(Block.class, INSTANCE);
  private static final int VERSION = 1;

  @Override
  public void serialize(Block block, DataOutputView out) throws IOException {
    out.writeByte(VERSION);
    StringValue.writeString(block.graph(), out);
    StringValue.writeString(block.node(), out);
    out.writeLong(block.time());
    block.layout().write(out);
    for (double value : block.values()) {
      out.writeDouble(value);
    }
    out.writeBoolean(block.starts() != null);
    if (block.starts() != null) {
      for (long start : block.starts()) {
        out.writeLong(start);
      }
    }
  }

  @Override
  public Block deserialize(DataInputView in) throws IOException {
    Versions.expect(in.readByte(), VERSION, "block");
    String graph = StringValue.readString(in);
    String node = StringValue.readString(in);
    long time = in.readLong();
    Layout layout = Layout.read(in);
    double[] values = new double[layout.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = in.readDouble();
    }
    long[] starts = in.readBoolean() ? new long[values.length] : null;
    if (starts != null) {
      for (int i = 0; i < starts.length; i++) {
        starts[i] = in.readLong();
      }
    }
    return new Block(graph, node, time, layout, values, starts);
  }

  @Override
  public TypeSerializerSnapshot<Block> snapshotConfiguration() {
    return new Snapshot();
  }

  /** Named by savepoints: keep the class name. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<Block> {
    public Snapshot() {
      super(() -> INSTANCE);
    }
  }
}
