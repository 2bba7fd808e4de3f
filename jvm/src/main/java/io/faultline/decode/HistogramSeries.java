package io.faultline.decode;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * The series of one histogram: {@code _count}, {@code _sum}, and {@code _bucket} with the upper
 * bound in label {@code le}. Sum and buckets carry the histogram's unit; a count has unit 1.
 */
final class HistogramSeries {
  private static final String INFINITY = "+Inf";

  private final SeriesKey prototype;
  private final Map<String, String> labels;
  private final SeriesKey count;
  private final SeriesKey sum;
  private double[] bounds = {};
  private SeriesKey[] buckets;

  /**
   * The series of one set of labels.
   *
   * @param signal what the histogram is known to measure; null = a rule decides
   */
  HistogramSeries(
      String metric,
      Map<String, String> labels,
      @Nullable String peer,
      Side side,
      Kind kind,
      @Nullable Signal signal,
      @Nullable String unit) {
    Signal counted = signal == Signal.LATENCY ? Signal.TRAFFIC : null;
    String canonical = SeriesKey.canonical(labels);
    this.labels = labels;
    this.prototype = new SeriesKey(metric, canonical, peer, side, kind, signal, unit);
    this.sum = new SeriesKey(metric + "_sum", canonical, peer, side, kind, signal, unit);
    this.count = new SeriesKey(metric + "_count", canonical, peer, side, kind, counted, "1");
    this.buckets = bucketsOf(bounds, 0);
  }

  SeriesKey count() {
    return count;
  }

  SeriesKey sum() {
    return sum;
  }

  /** One series per bucket, the last without upper bound; kept until the bounds change. */
  SeriesKey[] buckets(double[] upper, int size) {
    if (!Arrays.equals(bounds, 0, bounds.length, upper, 0, size)) {
      buckets = bucketsOf(upper, size);
      bounds = Arrays.copyOf(upper, size);
    }
    return buckets;
  }

  private SeriesKey[] bucketsOf(double[] upper, int size) {
    SeriesKey[] out = new SeriesKey[size + 1];
    Map<String, String> all = new HashMap<>(labels);
    for (int i = 0; i <= size; i++) {
      all.put("le", i == size ? INFINITY : number(upper[i]));
      out[i] =
          new SeriesKey(
              prototype.metric() + "_bucket",
              SeriesKey.canonical(all),
              prototype.peer(),
              prototype.side(),
              prototype.kind(),
              prototype.signal(),
              prototype.unit());
    }
    return out;
  }

  /** The shortest decimal, without ".0". */
  static String number(double value) {
    if (Double.isInfinite(value)) {
      return value > 0 ? INFINITY : "-Inf";
    }
    String text = Double.toString(value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }
}
