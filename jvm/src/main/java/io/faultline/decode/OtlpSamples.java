package io.faultline.decode;

import io.faultline.decode.Wire.WireException;
import io.faultline.records.SeriesKey;
import javax.annotation.Nullable;

/** Hands on what one OTLP data point says, once its series is known. */
final class OtlpSamples {
  private final ExponentialMerge merge = new ExponentialMerge();
  private OtlpPoint point;
  private OtlpSeries series;
  private Decoder.Output out;

  /** Hands on one point; throws where its parts do not fit together. */
  void emit(OtlpPoint point, OtlpSeries series, Decoder.Output out) throws WireException {
    this.point = point;
    this.series = series;
    this.out = out;
    if (series.node() == null) {
      out.ignored(Reasons.UNNAMED_NODE);
      return;
    }
    switch (point.shape) {
      case NUMBER -> emitNumber();
      case HISTOGRAM, EXPONENTIAL -> emitHistogram(series.histogram());
      case SUMMARY -> emitSummary(series.summary());
    }
    if (series.call() != null) {
      series.call().tell(series.graph(), point.time, out);
    }
  }

  private void emitNumber() {
    sample(series.value(), point.value);
    exemplars();
  }

  private void sample(SeriesKey key, double value) {
    out.sample(series.graph(), series.node(), point.time, key, value, point.start());
  }

  private void exemplars() {
    for (int i = 0; i < point.exemplars.size(); i++) {
      out.exemplar(point.exemplars.get(i));
    }
  }

  /** A part that need not be there: said, but not finite, it is legal and gives no sample. */
  private void finite(SeriesKey key, double value) {
    if (Double.isFinite(value)) {
      sample(key, value);
    } else {
      out.ignored(Reasons.NOT_FINITE);
    }
  }

  private void emitSummary(SummarySeries parts) throws WireException {
    for (int i = 0; i < point.quantiles.size(); i++) {
      double quantile = point.quantiles.get(i);
      if (!(quantile >= 0 && quantile <= 1)) {
        throw new WireException(Reasons.BAD_VALUE, "quantile " + quantile + " is not in 0..1");
      }
    }
    sample(parts.count(), point.count);
    finite(parts.sum(), point.value);
    SeriesKey[] quantiles = parts.quantiles(point.quantiles);
    for (int i = 0; i < quantiles.length; i++) {
      finite(quantiles[i], point.quantileValues.get(i));
    }
  }

  private void emitHistogram(HistogramSeries parts) throws WireException {
    SeriesKey[] buckets = point.shape == OtlpShape.EXPONENTIAL ? merged(parts) : explicit(parts);
    sample(parts.count(), point.count);
    exemplars();
    if (point.hasValue) {
      finite(parts.sum(), point.value);
    }
    if (!parts.addsUp()) {
      emitExtreme(parts.min(), point.min);
      emitExtreme(parts.max(), point.max);
    }
    if (buckets != null) {
      emitBuckets(parts, buckets);
    }
  }

  /** Extremes since the start of a sender say nothing of now: only those of an interval count. */
  private void emitExtreme(SeriesKey key, double value) {
    if (Double.isFinite(value)) {
      sample(key, value);
    }
  }

  /** The series of the buckets; null where there are none. */
  @Nullable
  private SeriesKey[] explicit(HistogramSeries parts) throws WireException {
    int buckets = point.buckets.size();
    if (buckets == 0 && point.bounds.size() == 0) {
      return null;
    }
    if (buckets != point.bounds.size() + 1) {
      throw new WireException(
          Reasons.BAD_VALUE, buckets + " buckets do not fit " + point.bounds.size() + " bounds");
    }
    SeriesKey[] keys = parts.buckets(point.bounds);
    if (keys == null) {
      throw new WireException(Reasons.BAD_VALUE, "bounds are not finite and ascending");
    }
    return keys;
  }

  /** As {@link #explicit}. */
  @Nullable
  private SeriesKey[] merged(HistogramSeries parts) throws WireException {
    if (!(point.exponential.zeroThreshold >= 0)) {
      throw new WireException(Reasons.BAD_VALUE, "the zero threshold is negative");
    }
    merge.merge(point.exponential);
    if (merge.upTo(merge.size) == 0 && point.count > 0) {
      return null;
    }
    return parts.buckets(parts.grid(merge).bounds());
  }

  private void emitBuckets(HistogramSeries parts, SeriesKey[] keys) {
    if (point.shape == OtlpShape.EXPONENTIAL) {
      ExponentialGrid grid = parts.grid(merge);
      for (int i = 0; i < keys.length - 1; i++) {
        sample(keys[i], merge.upTo(grid.below(i)));
      }
      sample(keys[keys.length - 1], merge.upTo(merge.size));
      return;
    }
    double upTo = 0;
    for (int i = 0; i < keys.length; i++) {
      upTo += point.buckets.get(i);
      sample(keys[i], upTo);
    }
  }
}
