package io.faultline.cep;

import javax.annotation.Nullable;

/**
 * What patterns keyed by graph look at: a match or timeout of another pattern, an edge that
 * appears, or a node that has fallen silent. Numbers that are not known are NaN.
 *
 * @see GraphField
 */
public final class GraphSight extends Event {
  /** What is seen. */
  public enum Kind {
    MATCH,
    TIMEOUT,
    EDGE,
    SILENT
  }

  private final Kind kind;
  private final long time;
  private final String graph;
  private final String node;
  @Nullable private final String peer;
  @Nullable private final Source source;
  private final Calls calls;

  /**
   * What is known of a match; of a node that has fallen silent, value, start and end only.
   *
   * @param value of its last sample, in its unit
   * @param z of its last sample
   * @param start time of its first sample, ms UTC
   * @param end time of its last sample, ms UTC
   */
  public record Source(
      @Nullable String pattern,
      int version,
      @Nullable String severity,
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

  /**
   * A node that tells nothing of itself while others go on.
   *
   * @param missed for how many of its usual gaps
   * @param last end of the tick in which it was last heard of, ms UTC
   */
  public static GraphSight silent(
      long time, String graph, String node, int missed, long last, Calls calls) {
    Source source = new Source(null, 0, null, null, null, null, missed, Double.NaN, last, time);
    return new GraphSight(Kind.SILENT, time, graph, node, null, source, calls);
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
    return kind + " " + what() + node + '@' + time;
  }

  private String what() {
    if (source == null) {
      return peer + ">";
    }
    return source.pattern() == null ? "" : source.pattern() + '@';
  }
}
