package io.faultline.records;

import javax.annotation.Nullable;

/**
 * What reaches {@code correlate}: exactly one of a node's frame, an edge, or a match.
 *
 * @param time event time, ms UTC
 * @param match a match as UTF-8 JSON
 */
public record GraphEvent(
    String graph,
    long time,
    @Nullable NodeFrame frame,
    @Nullable Edge edge,
    @Nullable byte[] match) {

  public static GraphEvent of(NodeFrame frame) {
    return new GraphEvent(frame.graph(), frame.time(), frame, null, null);
  }

  public static GraphEvent of(Edge edge) {
    return new GraphEvent(edge.graph(), edge.time(), null, edge, null);
  }

  public static GraphEvent ofMatch(String graph, long time, byte[] match) {
    return new GraphEvent(graph, time, null, null, match);
  }
}
