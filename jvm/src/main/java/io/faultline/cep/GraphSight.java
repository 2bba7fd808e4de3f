package io.faultline.cep;

import javax.annotation.Nullable;

/**
 * What patterns keyed by graph look at: a match or timeout of another pattern, or an edge that
 * appears. Numbers that are not known are NaN.
 *
 * @see GraphField
 */
public final class GraphSight extends Event {
  /** What is seen. */
  public enum Kind {
    MATCH,
    TIMEOUT,
    EDGE
  }

  private final Kind kind;
  private final long time;
  private final String graph;
  private final String node;
  @Nullable private final String peer;
  @Nullable private final Source source;
  private final Calls calls;

  /**
   * What is known of a match only.
   *
   * @param value of its last sample, in its unit
   * @param z of its last sample
   * @param start time of its first sample, ms UTC
   * @param end time of its last sample, ms UTC
   */
  public record Source(
      String pattern,
      int version,
      String severity,
      @Nullable String signal,
      @Nullable String metric,
      @Nullable String unit,
      double value,
      double z,
      long start,
      long end) {}

  /**
   * @param time when it was decided, ms UTC
   * @param node the match's node, or the callee of an edge
   * @param peer the caller, null where there is none
   * @param source null for an edge
   * @param calls the topology at this time
   */
  public GraphSight(
      Kind kind,
      long time,
      String graph,
      String node,
      @Nullable String peer,
      @Nullable Source source,
      Calls calls) {
    this.kind = kind;
    this.time = time;
    this.graph = graph;
    this.node = node;
    this.peer = peer;
    this.source = source;
    this.calls = calls;
  }

  public Kind kind() {
    return kind;
  }

  @Override
  public long time() {
    return time;
  }

  @Override
  public String graph() {
    return graph;
  }

  public String node() {
    return node;
  }

  @Nullable
  public String peer() {
    return peer;
  }

  @Nullable
  public Source source() {
    return source;
  }

  /** The topology at this time; not kept with the event. */
  Calls calls() {
    return calls;
  }

  @Override
  Event copy() {
    return this;
  }

  @Override
  public String toString() {
    String what = source == null ? peer + ">" : source.pattern() + '@';
    return kind + " " + what + node + '@' + time;
  }
}
