package io.faultline.node;

/** How a series takes part in its node. The ordinal is written into keyed state. */
enum Role {
  /** A gauge or counter of its own. */
  PLAIN,
  /** {@code X_count}: the rate of a histogram's events, and half of its mean. */
  COUNT,
  /** {@code X_sum}: the other half of a histogram's mean. */
  SUM,
  /** {@code X_bucket} with label {@code le}. */
  BUCKET,
  /** {@code X_mean}, derived. */
  MEAN,
  /** {@code X_p95}, derived. */
  P95,
  /** Caller's latency less callee's latency of one peer, derived. */
  NET_DELAY,
  /** Of several series that count one edge's calls, or that a rule puts together, derived. */
  TOTAL;

  private static final Role[] VALUES = values();

  static Role ofIndex(int index) {
    return VALUES[index];
  }

  /** Whether the series is made here and not sent by anyone. */
  boolean derived() {
    return ordinal() >= MEAN.ordinal();
  }

  /** Whether the series' own values count, and not only those derived from it. */
  boolean feeds() {
    return this != SUM && this != BUCKET;
  }
}
