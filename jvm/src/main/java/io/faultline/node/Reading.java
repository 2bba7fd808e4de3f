package io.faultline.node;

import javax.annotation.Nullable;

/** One point of a counter and what came of it. Used again for the next point. */
final class Reading {
  /** Points closer together than this, in ms, give no rate of their own. */
  static final long SHORTEST_MS = 500;

  /** Event time, ms. */
  long time;

  double value;

  /** Start time, ms; 0 = not said. */
  long start;

  /** Whether the value may be negative and fall without a restart: the sum of a histogram. */
  boolean signed;

  /** Whether it is a part of a histogram, which asks for {@link #full} too. */
  boolean part;

  /** Whether the value is the growth over the point's own interval. */
  boolean delta;

  Tally tally;

  /** Per second, summed over the instances that report; NaN = none. */
  double rate;

  /** The same, had the instance of this point restarted just after its point before. */
  double full;

  /** The point takes part in nothing: repeated, late, too close to another. */
  boolean skipped;

  /** The instance began anew. */
  boolean restarted;

  /** Instances are added up that cannot be told apart by their start times. */
  boolean mixed;

  /** The rate is that of one instance, which said when it began. */
  boolean alone;

  /** What a user may want to know: a word that was counted as well; null = nothing. */
  @Nullable String event;

  /** Takes a point. */
  Reading set(long time, double value, long start, Role role, Tally tally) {
    this.time = time;
    this.value = value;
    this.start = start;
    this.signed = role == Role.SUM;
    this.part = role != Role.PLAIN;
    this.delta = false;
    this.tally = tally;
    rate = full = Double.NaN;
    skipped = restarted = mixed = alone = false;
    event = null;
    return this;
  }

  void skip(String reason) {
    skipped = true;
    tally.add(reason);
  }

  void tell(String reason) {
    event = reason;
    tally.add(reason);
  }
}
