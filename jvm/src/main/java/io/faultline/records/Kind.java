package io.faultline.records;

/** How the values of a series add up over time. */
public enum Kind {
  /** Not said by the record: a rule decides, else gauge. */
  UNSAID,
  /** The value is the thing measured. */
  GAUGE,
  /** Cumulative and monotonic since the start time: turned into a rate per second. */
  COUNTER,
  /** Growth since the start time of the point: turned into a rate per second. */
  DELTA
}
