package io.faultline.graph;

import io.faultline.records.Edge;
import io.faultline.records.GraphEvent;
import io.faultline.records.NodeFrame;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import javax.annotation.Nullable;

/**
 * Packs the frames of a graph's tick into one row and passes matches on in order of event time.
 * Without state of its own. A tick is complete when the watermark reaches its last millisecond.
 */
final class GraphAssembler {
  /** Nodes, and whole graphs, that have been silent for longer than this are forgotten. */
  static final long FORGET_AFTER_MS = 24 * 3_600_000L;

  private static final int LINKS_PER_NODE = 10;

  private final GraphConfig config;
  private final GraphPatterns patterns;

  GraphAssembler(GraphConfig config) {
    this.config = config;
    this.patterns = new GraphPatterns(config);
  }

  /** The patterns keyed by graph. */
  GraphPatterns patterns() {
    return patterns;
  }

  /** Takes an event that waits for the watermark. */
  void add(GraphState state, GraphEvent event, long watermark, GraphOutput out) {
    if (event.frame() != null) {
      addFrame(state, event.frame(), out);
    } else if (event.edge() != null) {
      addEdge(state, event.edge(), watermark, out);
    } else {
      long time = Math.min(event.time(), Long.MAX_VALUE - 1);
      state.matches.computeIfAbsent(time, t -> new ArrayList<>(1)).add(event.match());
    }
  }

  private void addFrame(GraphState state, NodeFrame frame, GraphOutput out) {
    String node = frame.node();
    boolean known = state.lastFrame.containsKey(node) || state.newcomers.contains(node);
    int nodes = state.lastFrame.size() + state.newcomers.size();
    if (frame.time() <= state.lastTick) {
      out.late(frame.node(), frame.time());
    } else if (!known && nodes >= config.nodesPerGraph()) {
      out.add("node_refused");
    } else {
      state.hold(frame);
    }
  }

  private void addEdge(GraphState state, Edge edge, long watermark, GraphOutput out) {
    state.topology.sight(edge, maxLinks(), out);
    apply(state, watermark, out);
  }

  /** Brings the topology up to this event time; patterns see a late edge now. */
  private void apply(GraphState state, long time, GraphOutput out) {
    state.topology.apply(
        time, config.edgeTtlMs(), edge -> patterns.appeared(state, time, edge, out));
    state.topology.bound(time, maxLinks(), out);
  }

  private int maxLinks() {
    return LINKS_PER_NODE * config.nodesPerGraph();
  }

  /**
   * When a graph that stays as silent as it is may be forgotten; Long.MIN_VALUE = now, as nothing
   * is known of it. Looks at all edges.
   */
  long forgetAt(GraphState state) {
    long last = Math.max(state.lastTick, state.topology.latest(config.edgeTtlMs()));
    if (last == GraphState.NEVER) {
      return last;
    }
    return last > Long.MAX_VALUE - FORGET_AFTER_MS ? Long.MAX_VALUE : last + FORGET_AFTER_MS;
  }

  /**
   * Emits all that is complete at this event time.
   *
   * @param ended the input has ended: silence after it means nothing
   */
  void advance(GraphState state, long time, boolean ended, GraphOutput out) {
    while (true) {
      long next = nextTimer(state, ended);
      if (next > time || next == Long.MAX_VALUE) {
        return;
      }
      if (!state.matches.isEmpty() && state.matches.firstKey() == next) {
        apply(state, next, out);
        for (byte[] json : admitted(state, next, state.matches.pollFirstEntry().getValue(), out)) {
          out.match(next, json);
          patterns.match(state, next, json, out);
        }
      } else if (nextOfPatterns(state) == next) {
        apply(state, next, out);
        patterns.advance(state, next, out);
      } else {
        pack(state, nextTick(state, ended), out);
      }
    }
  }

  /**
   * The matches of one moment that still fit into its tick. A storm in one graph must not hold up
   * the others, whose matches go the same way; which of it pass does not depend on their order.
   */
  private List<byte[]> admitted(
      GraphState state, long time, List<byte[]> matches, GraphOutput out) {
    long tick = Math.floorDiv(time, config.tickMs(state.graph));
    if (tick != state.matchTick) {
      state.matchTick = tick;
      state.matchesOfTick = 0;
    }
    int left = config.matchesPerTick() - state.matchesOfTick;
    List<byte[]> fit = matches;
    if (matches.size() > left) {
      fit = new ArrayList<>(matches);
      fit.sort(Arrays::compare);
      fit = fit.subList(0, left);
      for (int i = left; i < matches.size(); i++) {
        out.add("match_refused");
      }
    }
    state.matchesOfTick += fit.size();
    return fit;
  }

  /** The next event time at which something is complete; Long.MAX_VALUE = never. */
  long nextTimer(GraphState state, boolean ended) {
    long match = state.matches.isEmpty() ? Long.MAX_VALUE : state.matches.firstKey();
    long tick = nextTick(state, ended);
    long own = Math.min(match, nextOfPatterns(state));
    return Math.min(own, tick == Long.MAX_VALUE ? tick : tick - 1);
  }

  /** When a pattern next has an edge to see, or a partial match that runs out of time. */
  private long nextOfPatterns(GraphState state) {
    long edge = patterns.any() ? state.topology.nextSighting() : Long.MAX_VALUE;
    return Math.min(edge, patterns.nextTimer(state));
  }

  /** End of the next tick to pack: with frames, or empty if the graph fell silent lately. */
  private long nextTick(GraphState state, boolean ended) {
    long framed = state.frames.isEmpty() ? Long.MAX_VALUE : state.frames.firstKey();
    boolean silent = state.lastTick != GraphState.NEVER && state.emptyTicks < config.windowTicks();
    if (!silent || (ended && state.frames.isEmpty())) {
      return framed;
    }
    return Math.min(framed, state.lastTick + config.tickMs(state.graph));
  }

  private void pack(GraphState state, long time, GraphOutput out) {
    Map<String, NodeFrame> frames = state.frames.remove(time);
    state.emptyTicks = frames == null ? state.emptyTicks + 1 : 0;
    state.lastTick = time;
    apply(state, time - 1, out);
    Map<String, NodeFrame> present = frames == null ? Map.of() : frames;
    present.values().forEach(frame -> state.lastFrame.put(frame.node(), frame.time()));
    state.newcomers.removeAll(present.keySet());
    state.lastFrame.values().removeIf(last -> last < time - FORGET_AFTER_MS);
    out.frame(time, row(state, time, present, state.topology.at(time)).encode());
    state.presences.retain(state.lastFrame.keySet());
    if (frames != null) {
      state.presences.tick(
          time,
          present,
          config.windowTicks(),
          (node, presence) -> patterns.silent(state, time, node, presence, out));
    }
  }

  private FrameRow row(
      GraphState state, long time, Map<String, NodeFrame> frames, List<Topology.Link> links) {
    TreeSet<String> names = new TreeSet<>(state.lastFrame.keySet());
    for (Topology.Link link : links) {
      names.add(link.source());
      names.add(link.target());
    }
    String[] nodes = names.toArray(new String[0]);
    Map<String, Integer> index = new HashMap<>(2 * nodes.length);
    for (int i = 0; i < nodes.length; i++) {
      index.put(nodes[i], i);
    }
    long tickMs = config.tickMs(state.graph);
    FrameRow row = emptyRow(state, time, tickMs, nodes, links.size());
    for (int i = 0; i < nodes.length; i++) {
      place(row, i, frames.get(nodes[i]), state.lastFrame.get(nodes[i]));
    }
    for (int e = 0; e < links.size(); e++) {
      place(row, e, links.get(e), index, frames.get(links.get(e).target()));
    }
    return row;
  }

  private static FrameRow emptyRow(
      GraphState state, long time, long tickMs, String[] nodes, int edges) {
    return new FrameRow(
        state.graph,
        tickMs,
        time,
        state.topology.version(),
        nodes,
        new byte[nodes.length],
        new int[nodes.length],
        new int[2 * edges],
        new float[nodes.length * FrameRow.NODE_FLOATS],
        new float[edges * FrameRow.EDGE_FLOATS]);
  }

  private static void place(
      FrameRow row, int node, @Nullable NodeFrame frame, @Nullable Long last) {
    row.age()[node] = last == null ? -1 : (int) ((row.time() - last) / row.tickMs());
    row.presence()[node] = last == null ? FrameRow.NEVER_SEEN : FrameRow.SILENT;
    if (frame != null) {
      row.presence()[node] = FrameRow.FRAMED;
      int at = node * FrameRow.NODE_FLOATS;
      System.arraycopy(frame.signals(), 0, row.frames(), at, FrameRow.NODE_FLOATS);
    }
  }

  private static void place(
      FrameRow row,
      int edge,
      Topology.Link link,
      Map<String, Integer> index,
      @Nullable NodeFrame target) {
    row.edges()[2 * edge] = index.get(link.source());
    row.edges()[2 * edge + 1] = index.get(link.target());
    for (int p = 0; target != null && p < target.peers().length; p++) {
      if (target.peers()[p].equals(link.source())) {
        int from = p * FrameRow.EDGE_FLOATS;
        int to = edge * FrameRow.EDGE_FLOATS;
        System.arraycopy(target.edges(), from, row.edgeFrames(), to, FrameRow.EDGE_FLOATS);
      }
    }
  }
}
