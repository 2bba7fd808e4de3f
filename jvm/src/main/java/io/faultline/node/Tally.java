package io.faultline.node;

import io.faultline.cep.CompiledPattern;
import io.faultline.records.SeriesKey;

/** Counts what was dropped or decided silently, by one word per reason. */
@FunctionalInterface
public interface Tally {
  void add(String reason);

  /** A series was made of which no rule says what it measures. */
  default void unmapped(SeriesKey series) {
    add("series_without_rule");
  }

  /**
   * A pattern went beyond its bounds, which were held; it was counted as well.
   *
   * @param reason see {@link io.faultline.cep.Containment}
   * @param count of the pattern in this subtask
   */
  default void contained(CompiledPattern pattern, String reason, long count) {}
}
