package io.faultline.records;

/**
 * The signals of one node over one tick.
 *
 * @param tickMs length of the tick
 * @param time end of the tick, ms UTC
 * @param signals [Signal.COUNT x FEATURES], row major
 * @param peers callers whose edge to this node has series
 * @param edges [peers x EDGE_KINDS x EDGE_FEATURES], row major
 */
public record NodeFrame(
    String graph,
    String node,
    long tickMs,
    long time,
    float[] signals,
    String[] peers,
    float[] edges) {
  /** z, rel, present, baseline_n, level, frozen, gap: records/frames.py says what they are. */
  public static final int FEATURES = 7;

  /** Caller latency, callee latency, net delay, traffic, errors. */
  public static final int EDGE_KINDS = 5;

  /** z, rel, present. */
  public static final int EDGE_FEATURES = 3;
}
