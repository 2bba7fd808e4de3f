package io.faultline.node;

import io.faultline.records.SeriesKey;

/** Counts what was dropped or decided silently, by one word per reason. */
@FunctionalInterface
public interface Tally {
  void add(String reason);

  /** A series was made of which no rule says what it measures. */
  default void unmapped(SeriesKey series) {
    add("series_without_rule");
  }
}
