package io.faultline.decode;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;

/**
 * The series of one histogram: {@code _count}, {@code _sum}, and {@code _bucket} with the upper
 * bound in label {@code le}; {@code _min} and {@code _max} of an interval, whose signal only a rule
 * can say. All but the count carry the histogram's unit; a count has unit 1.
 */
final class HistogramSeries {
  private static final String INFINITY = "+Inf";
  private static final String LE = "le";

  private final SeriesKey prototype;
  private final Map<String, String> labels;
  private final SeriesKey count;
  private final SeriesKey sum;
  private final SeriesKey min;
  private final SeriesKey max;
  private double[] bounds = {};
  private SeriesKey[] buckets;
  @Nullable private ExponentialGrid grid;

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
    String canonical = SeriesKey.canonical(labels);
    this.labels = labels;
    this.prototype = new SeriesKey(metric, canonical, peer, side, kind, signal, unit);
    this.count = count(prototype);
    this.sum = part("_sum", canonical, kind, signal);
    this.min = part("_min", canonical, Kind.GAUGE, null);
    this.max = part("_max", canonical, Kind.GAUGE, null);
    this.buckets = bucketsOf(bounds, 0);
  }

  /** The events of a histogram or summary. */
  static SeriesKey count(SeriesKey of) {
    Signal signal = of.signal() == Signal.LATENCY ? Signal.TRAFFIC : null;
    return new SeriesKey(
        (of.metric() + "_count").intern(),
        of.labels(),
        of.peer(),
        of.side(),
        of.kind(),
        signal,
        "1");
  }

  private SeriesKey part(String suffix, String canonical, Kind kind, @Nullable Signal signal) {
    return new SeriesKey(
        (prototype.metric() + suffix).intern(),
        canonical,
        prototype.peer(),
        prototype.side(),
        kind,
        signal,
        prototype.unit());
  }

  SeriesKey count() {
    return count;
  }

  SeriesKey sum() {
    return sum;
  }

  SeriesKey min() {
    return min;
  }

  SeriesKey max() {
    return max;
  }

  /** Whether points tell the growth since the start, and not since the last point. */
  boolean addsUp() {
    return prototype.kind() == Kind.COUNTER;
  }

  /**
   * One series per bucket, the last without upper bound; kept until the bounds change. Null where
   * the bounds are not finite and ascending.
   */
  @Nullable
  SeriesKey[] buckets(DoubleList upper) {
    int size = upper.size();
    if (!Arrays.equals(bounds, 0, bounds.length, upper.array(), 0, size)) {
      if (!ascending(upper)) {
        return null;
      }
      buckets = bucketsOf(upper.array(), size);
      bounds = Arrays.copyOf(upper.array(), size);
    }
    return buckets;
  }

  private static boolean ascending(DoubleList upper) {
    for (int i = 0; i < upper.size(); i++) {
      boolean above = i == 0 || upper.get(i) > upper.get(i - 1);
      if (!above || !Double.isFinite(upper.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Upper bounds for the merged buckets of an exponential histogram, kept until they change. */
  ExponentialGrid grid(ExponentialMerge of) {
    if (grid == null || !grid.fits(of)) {
      grid = new ExponentialGrid(of, addsUp());
    }
    return grid;
  }

  private SeriesKey[] bucketsOf(double[] upper, int size) {
    SeriesKey[] out = new SeriesKey[size + 1];
    Map<String, String> all = new TreeMap<>(labels);
    for (int i = 0; i <= size; i++) {
      all.put(LE, i == size ? INFINITY : number(upper[i]));
      out[i] = part("_bucket", SeriesKey.canonical(all), prototype.kind(), prototype.signal());
    }
    return out;
  }

  /** The shortest decimal, without ".0". */
  static String number(double value) {
    String text = Double.toString(value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }
}
