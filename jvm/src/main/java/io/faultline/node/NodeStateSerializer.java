package io.faultline.node;

import io.faultline.cep.KeyRunsSerializer;
import io.faultline.records.Block;
import io.faultline.records.BlockSerializer;
import io.faultline.records.CompactSerializer;
import io.faultline.records.Versions;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

/**
 * Version 3: version, graph, node, open tick, time, unfinished time, timer, series, histograms,
 * pending blocks, partial matches, totals of edges, edges told. Version 2 knew no habit of
 * baselines, version 1 less of counters and histograms and nothing of edges; both are read.
 */
public final class NodeStateSerializer extends CompactSerializer<NodeState> {
  public static final NodeStateSerializer INSTANCE = new NodeStateSerializer();
  private static final int VERSION = 3;
  private static final int OLDEST = 1;
  private static final int INITIAL_BYTES = 1 << 14;

  @Override
  public boolean isImmutableType() {
    return false;
  }

  @Override
  public NodeState copy(NodeState from) {
    return from.copy();
  }

  /** Through memory: a checkpoint's stream is slow to take single numbers. */
  @Override
  public void serialize(NodeState state, DataOutputView out) throws IOException {
    if (out instanceof DataOutputSerializer) {
      write(state, out);
    } else {
      DataOutputSerializer bytes = new DataOutputSerializer(INITIAL_BYTES);
      write(state, bytes);
      out.write(bytes.getSharedBuffer(), 0, bytes.length());
    }
  }

  private static void write(NodeState state, DataOutputView out) throws IOException {
    out.writeByte(VERSION);
    StringValue.writeString(state.graph, out);
    StringValue.writeString(state.node, out);
    out.writeLong(state.tick);
    out.writeLong(state.time);
    out.writeLong(state.unfinished);
    out.writeLong(state.timer);
    state.series.write(out);
    out.writeInt(state.histograms.size());
    for (Histogram histogram : state.histograms.values()) {
      histogram.write(out);
    }
    out.writeInt(state.pending.size());
    for (Block block : state.pending) {
      BlockSerializer.INSTANCE.serialize(block, out);
    }
    KeyRunsSerializer.INSTANCE.serialize(state.runs, out);
    out.writeInt(state.edgeTotals.size());
    for (EdgeTotal total : state.edgeTotals.values()) {
      total.write(out);
    }
    state.sightings.write(out);
  }

  @Override
  public NodeState deserialize(DataInputView in) throws IOException {
    int version = in.readByte();
    if (version < OLDEST || version > VERSION) {
      Versions.expect(version, VERSION, "node state");
    }
    NodeState state = new NodeState(StringValue.readString(in), StringValue.readString(in));
    state.tick = in.readLong();
    state.time = in.readLong();
    state.unfinished = in.readLong();
    state.timer = in.readLong();
    state.series = SeriesTable.read(in, version);
    for (int i = in.readInt(); i > 0; i--) {
      Histogram histogram = Histogram.read(in, version);
      state.histograms.put(histogram.key, histogram);
    }
    for (int i = in.readInt(); i > 0; i--) {
      state.pending.add(BlockSerializer.INSTANCE.deserialize(in));
    }
    state.runs = KeyRunsSerializer.INSTANCE.deserialize(in);
    if (version != OLDEST) {
      readEdges(state, in);
    }
    return state;
  }

  private static void readEdges(NodeState state, DataInputView in) throws IOException {
    for (int i = in.readInt(); i > 0; i--) {
      EdgeTotal total = EdgeTotal.read(in);
      state.edgeTotals.put(total.key, total);
    }
    state.sightings = Sightings.read(in);
  }

  @Override
  public TypeSerializerSnapshot<NodeState> snapshotConfiguration() {
    return new Snapshot();
  }

  /** Named by savepoints: keep the class name. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<NodeState> {
    public Snapshot() {
      super(() -> INSTANCE);
    }
  }
}
