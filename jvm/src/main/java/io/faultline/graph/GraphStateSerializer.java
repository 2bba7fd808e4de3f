package io.faultline.graph;

import io.faultline.cep.KeyRunsSerializer;
import io.faultline.records.CompactSerializer;
import io.faultline.records.GraphEvent;
import io.faultline.records.GraphEventSerializer;
import io.faultline.records.NodeFrame;
import io.faultline.records.Versions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

/**
 * Version 4: version, graph, last tick, empty ticks, timer, topology, last frames by node, waiting
 * frames and matches as graph events, partial matches, the tick in which matches are counted, their
 * count, presence of nodes. Version 3 had no presence, version 2 no count, version 1 no partial
 * matches.
 */
final class GraphStateSerializer extends CompactSerializer<GraphState> {
  static final GraphStateSerializer INSTANCE = new GraphStateSerializer();
  private static final int VERSION = 4;
  private static final int OLDEST = 1;

  @Override
  public boolean isImmutableType() {
    return false;
  }

  @Override
  public GraphState copy(GraphState from) {
    return from.copy();
  }

  @Override
  public void serialize(GraphState state, DataOutputView out) throws IOException {
    out.writeByte(VERSION);
    StringValue.writeString(state.graph, out);
    out.writeLong(state.lastTick);
    out.writeInt(state.emptyTicks);
    out.writeLong(state.timer);
    state.topology.write(out);
    out.writeInt(state.lastFrame.size());
    for (Map.Entry<String, Long> node : state.lastFrame.entrySet()) {
      StringValue.writeString(node.getKey(), out);
      out.writeLong(node.getValue());
    }
    List<GraphEvent> waiting = waiting(state);
    out.writeInt(waiting.size());
    for (GraphEvent event : waiting) {
      GraphEventSerializer.INSTANCE.serialize(event, out);
    }
    KeyRunsSerializer.OF_GRAPHS.serialize(state.runs, out);
    out.writeLong(state.matchTick);
    out.writeInt(state.matchesOfTick);
    state.presences.write(out);
  }

  private static List<GraphEvent> waiting(GraphState state) {
    List<GraphEvent> all = new ArrayList<>();
    for (Map<String, NodeFrame> frames : state.frames.values()) {
      frames.values().forEach(frame -> all.add(GraphEvent.of(frame)));
    }
    state.matches.forEach(
        (time, matches) ->
            matches.forEach(json -> all.add(GraphEvent.ofMatch(state.graph, time, json))));
    return all;
  }

  @Override
  public GraphState deserialize(DataInputView in) throws IOException {
    int version = in.readByte();
    if (version < OLDEST || version > VERSION) {
      Versions.expect(version, VERSION, "graph state");
    }
    GraphState state = new GraphState(StringValue.readString(in));
    state.lastTick = in.readLong();
    state.emptyTicks = in.readInt();
    state.timer = in.readLong();
    state.topology = Topology.read(in);
    for (int i = in.readInt(); i > 0; i--) {
      state.lastFrame.put(StringValue.readString(in), in.readLong());
    }
    for (int i = in.readInt(); i > 0; i--) {
      take(state, GraphEventSerializer.INSTANCE.deserialize(in));
    }
    if (version > 1) {
      state.runs = KeyRunsSerializer.OF_GRAPHS.deserialize(in);
    }
    if (version > 2) {
      state.matchTick = in.readLong();
      state.matchesOfTick = in.readInt();
    }
    if (version > 3) {
      state.presences = Presences.read(in);
    }
    return state;
  }

  private static void take(GraphState state, GraphEvent event) {
    NodeFrame frame = event.frame();
    if (frame != null) {
      state.hold(frame);
    } else {
      state.matches.computeIfAbsent(event.time(), t -> new ArrayList<>(1)).add(event.match());
    }
  }

  @Override
  public TypeSerializerSnapshot<GraphState> snapshotConfiguration() {
    return new Snapshot();
  }

  /** Named by savepoints: keep the class name. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<GraphState> {
    public Snapshot() {
      super(() -> INSTANCE);
    }
  }
}
