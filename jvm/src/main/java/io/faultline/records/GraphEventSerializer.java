package io.faultline.records;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

/**
 * Version 1: version, tag (1 frame, 2 edge, 3 match), then the fields of that record. A frame that
 * was written before frames knew gaps is read without them.
 */
public final class GraphEventSerializer extends CompactSerializer<GraphEvent> {
  public static final GraphEventSerializer INSTANCE = new GraphEventSerializer();
  public static final CompactTypeInfo<GraphEvent> TYPE =
      new CompactTypeInfo<>(GraphEvent.class, INSTANCE);
  private static final int VERSION = 1;
  private static final int FRAME = 1;
  private static final int EDGE = 2;
  private static final int MATCH = 3;

  /** Features of a frame before gaps were one. */
  private static final int OLD_FEATURES = 6;

  @Override
  public void serialize(GraphEvent event, DataOutputView out) throws IOException {
    out.writeByte(VERSION);
    if (event.frame() != null) {
      out.writeByte(FRAME);
      writeFrame(event.frame(), out);
    } else if (event.edge() != null) {
      out.writeByte(EDGE);
      writeEdge(event.edge(), out);
    } else {
      out.writeByte(MATCH);
      StringValue.writeString(event.graph(), out);
      out.writeLong(event.time());
      out.writeInt(event.match().length);
      out.write(event.match());
    }
  }

  @Override
  public GraphEvent deserialize(DataInputView in) throws IOException {
    Versions.expect(in.readByte(), VERSION, "graph event");
    int tag = in.readByte();
    return switch (tag) {
      case FRAME -> GraphEvent.of(readFrame(in));
      case EDGE -> GraphEvent.of(readEdge(in));
      case MATCH -> {
        String graph = StringValue.readString(in);
        long time = in.readLong();
        byte[] match = new byte[in.readInt()];
        in.readFully(match);
        yield GraphEvent.ofMatch(graph, time, match);
      }
      default -> throw new IOException("graph event: unknown tag " + tag);
    };
  }

  private static void writeFrame(NodeFrame frame, DataOutputView out) throws IOException {
    StringValue.writeString(frame.graph(), out);
    StringValue.writeString(frame.node(), out);
    out.writeLong(frame.tickMs());
    out.writeLong(frame.time());
    writeFloats(frame.signals(), out);
    out.writeInt(frame.peers().length);
    for (String peer : frame.peers()) {
      StringValue.writeString(peer, out);
    }
    writeFloats(frame.edges(), out);
  }

  private static NodeFrame readFrame(DataInputView in) throws IOException {
    String graph = StringValue.readString(in);
    String node = StringValue.readString(in);
    long tickMs = in.readLong();
    long time = in.readLong();
    float[] signals = widened(readFloats(in));
    String[] peers = new String[in.readInt()];
    for (int i = 0; i < peers.length; i++) {
      peers[i] = StringValue.readString(in);
    }
    return new NodeFrame(graph, node, tickMs, time, signals, peers, readFloats(in));
  }

  private static float[] widened(float[] signals) {
    if (signals.length != Signal.COUNT * OLD_FEATURES) {
      return signals;
    }
    float[] wide = new float[Signal.COUNT * NodeFrame.FEATURES];
    for (int s = 0; s < Signal.COUNT; s++) {
      System.arraycopy(signals, s * OLD_FEATURES, wide, s * NodeFrame.FEATURES, OLD_FEATURES);
    }
    return wide;
  }

  private static void writeEdge(Edge edge, DataOutputView out) throws IOException {
    StringValue.writeString(edge.graph(), out);
    StringValue.writeString(edge.source(), out);
    StringValue.writeString(edge.target(), out);
    out.writeLong(edge.time());
    SeriesKeys.writeNullable(edge.kind(), out);
    out.writeLong(edge.ttlMs());
  }

  private static Edge readEdge(DataInputView in) throws IOException {
    return new Edge(
        StringValue.readString(in),
        StringValue.readString(in),
        StringValue.readString(in),
        in.readLong(),
        SeriesKeys.readNullable(in),
        in.readLong());
  }

  private static void writeFloats(float[] values, DataOutputView out) throws IOException {
    out.writeInt(values.length);
    for (float value : values) {
      out.writeFloat(value);
    }
  }

  private static float[] readFloats(DataInputView in) throws IOException {
    float[] values = new float[in.readInt()];
    for (int i = 0; i < values.length; i++) {
      values[i] = in.readFloat();
    }
    return values;
  }

  @Override
  public TypeSerializerSnapshot<GraphEvent> snapshotConfiguration() {
    return new Snapshot();
  }

  /** Named by savepoints: keep the class name. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<GraphEvent> {
    public Snapshot() {
      super(() -> INSTANCE);
    }
  }
}
