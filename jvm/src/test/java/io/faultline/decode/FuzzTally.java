package io.faultline.decode;

import io.faultline.records.Edge;
import io.faultline.records.SeriesKey;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Counts what a decoder hands on, and lets nothing pass that no later part could bear. */
final class FuzzTally implements Decoder.Output {
  private static final Set<String> REFUSALS =
      Set.of(
          Reasons.MALFORMED,
          Reasons.EMPTY,
          Reasons.MISSING_FIELD,
          Reasons.BAD_VALUE,
          Reasons.BAD_TIME,
          Reasons.UNSUPPORTED);
  private static final Set<String> IGNORED =
      Set.of(
          Reasons.TOMBSTONE,
          Reasons.NOT_FINITE,
          Reasons.NON_NUMERIC,
          Reasons.NO_RECORDED_VALUE,
          Reasons.UNNAMED_NODE,
          Reasons.SELF_EDGE);

  long samples;
  long edges;
  long calls;
  long deadLetters;
  long ignored;
  final Map<String, Long> reasons = new TreeMap<>();

  /** Everything that was handed on. */
  long outcomes() {
    return samples + edges + calls + deadLetters + ignored;
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }

  private static void requireNode(String node) {
    require(node.equals(Names.node(node)), "a node called " + node);
  }

  @Override
  public void sample(
      String graph, String node, long time, SeriesKey key, double value, long start) {
    samples++;
    require(!graph.isBlank(), "a blank graph");
    requireNode(node);
    require(Double.isFinite(value), "a value that is not finite");
    require(Times.isValid(time), "time " + time);
    require(start == 0L || Times.isValid(start), "start " + start);
    require(!key.metric().isBlank(), "a metric without a name");
    require(SeriesKey.canonical(key.labelMap()).equals(key.labels()), "labels " + key.labels());
    if (key.peer() != null) {
      requireNode(key.peer());
    }
  }

  @Override
  public void edge(Edge edge) {
    edges++;
    check(edge);
  }

  @Override
  public void call(Edge edge) {
    calls++;
    check(edge);
  }

  private static void check(Edge edge) {
    require(!edge.graph().isBlank(), "a blank graph");
    requireNode(edge.source());
    requireNode(edge.target());
    require(!edge.source().equals(edge.target()), "an edge to itself");
    require(Times.isValid(edge.time()), "time " + edge.time());
  }

  @Override
  public void deadLetter(String reason, String detail) {
    deadLetters++;
    reasons.merge(reason, 1L, Long::sum);
    require(REFUSALS.contains(reason), "reason " + reason);
    require(!detail.isBlank(), "no detail");
  }

  @Override
  public void ignored(String reason) {
    ignored++;
    reasons.merge(reason, 1L, Long::sum);
    require(IGNORED.contains(reason), "reason " + reason);
  }

  @Override
  public String toString() {
    return samples
        + " samples, "
        + (edges + calls)
        + " edges and calls, "
        + deadLetters
        + " dead letters, "
        + ignored
        + " ignored "
        + reasons;
  }
}
