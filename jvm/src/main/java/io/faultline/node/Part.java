package io.faultline.node;

import io.faultline.records.SeriesKey;

/**
 * That a series counts in one that is made of several.
 *
 * @param total key of the series that is made, with its signal and unit
 * @param of a total or whole that is always the same; NaN = another series has it
 */
public record Part(SeriesKey total, Term term, double of) {
  Part(SeriesKey total, Term term) {
    this(total, term, Double.NaN);
  }
}
