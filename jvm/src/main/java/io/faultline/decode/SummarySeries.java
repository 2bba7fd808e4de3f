package io.faultline.decode;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;

/**
 * The series of one summary: {@code _count} and {@code _sum}, which add up, and the metric's own
 * name with the label {@code quantile} for each value that the sender worked out.
 */
final class SummarySeries {
  private static final String QUANTILE = "quantile";

  private final SeriesKey prototype;
  private final Map<String, String> labels;
  private final SeriesKey count;
  private final SeriesKey sum;
  private double[] known = {};
  private SeriesKey[] quantiles = {};

  SummarySeries(
      String metric,
      Map<String, String> labels,
      @Nullable String peer,
      Kind kind,
      @Nullable String unit) {
    String canonical = SeriesKey.canonical(labels);
    this.labels = labels;
    this.prototype = new SeriesKey(metric, canonical, peer, Side.UNSAID, kind, null, unit);
    this.count = HistogramSeries.count(prototype);
    this.sum = part(metric + "_sum", canonical, kind);
  }

  private SeriesKey part(String metric, String canonical, Kind kind) {
    return new SeriesKey(
        metric, canonical, prototype.peer(), prototype.side(), kind, null, prototype.unit());
  }

  SeriesKey count() {
    return count;
  }

  SeriesKey sum() {
    return sum;
  }

  /** One series per quantile; kept until the quantiles change. */
  SeriesKey[] quantiles(DoubleList of) {
    int size = of.size();
    if (!Arrays.equals(known, 0, known.length, of.array(), 0, size)) {
      known = Arrays.copyOf(of.array(), size);
      quantiles = new SeriesKey[size];
      Map<String, String> all = new TreeMap<>(labels);
      for (int i = 0; i < size; i++) {
        all.put(QUANTILE, HistogramSeries.number(known[i]));
        quantiles[i] = part(prototype.metric(), SeriesKey.canonical(all), Kind.GAUGE);
      }
    }
    return quantiles;
  }
}
