package io.faultline.decode;

import io.faultline.records.SeriesKey;
import javax.annotation.Nullable;

/**
 * What one set of attributes of one OTLP metric stands for, worked out once.
 *
 * @param node null = unnamed: the point gives no sample
 * @param value the series of a number; null for everything else
 * @param histogram the series of a histogram of either kind; null for everything else
 * @param summary the series of a summary; null for everything else
 * @param call the call that the series describes; null where it describes none
 */
record OtlpSeries(
    String graph,
    @Nullable String node,
    @Nullable SeriesKey value,
    @Nullable HistogramSeries histogram,
    @Nullable SummarySeries summary,
    @Nullable Call call) {

  /** A number that says something of a node, and nothing of calls. */
  boolean isPlain() {
    return value != null && call == null;
  }
}
