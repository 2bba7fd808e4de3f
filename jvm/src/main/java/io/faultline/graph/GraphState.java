package io.faultline.graph;

import io.faultline.cep.KeyRuns;
import io.faultline.cep.KeyRunsSerializer;
import io.faultline.records.NodeFrame;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** All keyed state of one graph. Written by {@link GraphStateSerializer}. */
final class GraphState {
  static final long NEVER = Long.MIN_VALUE;

  final String graph;
  Topology topology = new Topology();

  /** End of the tick of each node's last frame, by name. */
  TreeMap<String, Long> lastFrame = new TreeMap<>();

  /** Which nodes have fallen silent. */
  Presences presences = new Presences();

  /** Frames that wait for the watermark, by end of tick and node. */
  TreeMap<Long, TreeMap<String, NodeFrame>> frames = new TreeMap<>();

  /** Nodes of these frames that had none before; they count among the graph's nodes. */
  Set<String> newcomers = new HashSet<>();

  /** Matches that wait for the watermark, by time and order of arrival. */
  TreeMap<Long, List<byte[]>> matches = new TreeMap<>();

  /** Partial matches of patterns keyed by graph. */
  KeyRuns runs = new KeyRuns();

  /** End of the last tick that was packed; {@link #NEVER} before the first. */
  long lastTick = NEVER;

  /** Ticks without any frame packed since the last one with a frame. */
  int emptyTicks;

  /** Number of the tick that {@link #matchesOfTick} counts in; {@link #NEVER} before the first. */
  long matchTick = NEVER;

  /** Matches passed on in that tick. */
  int matchesOfTick;

  /** The earliest timer that is set; Long.MAX_VALUE = none. */
  long timer = Long.MAX_VALUE;

  GraphState(String graph) {
    this.graph = graph;
  }

  /** Keeps a frame until its tick is complete. */
  void hold(NodeFrame frame) {
    frames.computeIfAbsent(frame.time(), t -> new TreeMap<>()).put(frame.node(), frame);
    if (!lastFrame.containsKey(frame.node())) {
      newcomers.add(frame.node());
    }
  }

  /** A copy that shares nothing that changes. */
  GraphState copy() {
    GraphState copy = new GraphState(graph);
    copy.topology = topology.copy();
    copy.lastFrame = new TreeMap<>(lastFrame);
    copy.presences = presences.copy();
    copy.newcomers = new HashSet<>(newcomers);
    frames.forEach((time, byNode) -> copy.frames.put(time, new TreeMap<>(byNode)));
    matches.forEach((time, list) -> copy.matches.put(time, new ArrayList<>(list)));
    copy.runs = KeyRunsSerializer.OF_GRAPHS.copy(runs);
    copy.lastTick = lastTick;
    copy.emptyTicks = emptyTicks;
    copy.matchTick = matchTick;
    copy.matchesOfTick = matchesOfTick;
    copy.timer = timer;
    return copy;
  }
}
