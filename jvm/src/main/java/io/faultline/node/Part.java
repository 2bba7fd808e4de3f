package io.faultline.node;

import io.faultline.records.SeriesKey;

/**
 * That a series counts in one that is made of several.
 *
 * @param total key of the series that is made, with its signal and unit
 */
record Part(SeriesKey total, Term term) {}
