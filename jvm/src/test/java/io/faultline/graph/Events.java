package io.faultline.graph;

import io.faultline.records.Edge;
import io.faultline.records.GraphEvent;
import io.faultline.records.NodeFrame;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Short forms of what tests begin with. */
final class Events {
  static final long T0 = 1_767_225_600_000L;
  static final long TICK = 15_000;
  static final GraphConfig CONFIG = new GraphConfig(TICK, Map.of(), 10, 3_600_000, 100);

  private Events() {}

  /** A configuration that passes on so few matches of a tick. */
  static GraphConfig few(int matches) {
    return new GraphConfig(
        TICK, Map.of(), 10, 3_600_000, 100, List.of(), 1000, false, matches, Map.of());
  }

  /** A frame of the tick that ends so many ticks after T0; all its features have one value. */
  static NodeFrame frame(String node, int tick, float value, String... peers) {
    float[] signals = new float[FrameRow.NODE_FLOATS];
    java.util.Arrays.fill(signals, value);
    float[] edges = new float[peers.length * FrameRow.EDGE_FLOATS];
    for (int i = 0; i < edges.length; i++) {
      edges[i] = value + i;
    }
    return new NodeFrame("shop", node, TICK, T0 + tick * TICK, signals, peers, edges);
  }

  static GraphEvent framed(String node, int tick) {
    return GraphEvent.of(frame(node, tick, tick));
  }

  static GraphEvent edge(String source, String target, long after, long ttl) {
    return GraphEvent.of(new Edge("shop", source, target, T0 + after, "call", ttl));
  }

  static GraphEvent match(long after, String json) {
    return GraphEvent.ofMatch("shop", T0 + after, json.getBytes(StandardCharsets.UTF_8));
  }
}
