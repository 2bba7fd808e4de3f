package io.faultline.node;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.SeriesKeys;
import io.faultline.records.Signal;
import java.io.IOException;
import java.util.Arrays;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Pairs {@code X_count}, {@code X_sum} and {@code X_bucket} of one event time. The values are
 * rates, which have the same interval, so their quotients are those of the growths.
 */
final class Histogram {
  private static final double QUANTILE = 0.95;
  private static final int MOST_BUCKETS = 512;
  private static final long NEVER = Long.MIN_VALUE;

  /** Metric {@code X}, labels without {@code le}; nothing declared. */
  final SeriesKey key;

  /** As the sum or a bucket declares them. */
  @Nullable Signal signal;

  @Nullable String unit;

  /** Not written: given up, so that a part must look for another one. */
  boolean removed;

  private long countTime = NEVER;
  private double count;
  private long sumTime = NEVER;
  private double sum;
  private long bucketTime = NEVER;
  private double[] bounds = new double[0];
  private double[] rates = new double[0];
  private int buckets;

  Histogram(SeriesKey key) {
    this.key = key;
  }

  /** Event time of the last part, ms. */
  long lastTime() {
    return Math.max(countTime, Math.max(sumTime, bucketTime));
  }

  /** Key of a series derived of this histogram, such as {@code X_mean}. */
  SeriesKey derived(String suffix) {
    return new SeriesKey(
        key.metric() + suffix, key.labels(), key.peer(), key.side(), key.kind(), signal, unit);
  }

  void count(long time, double rate) {
    count = countTime == time ? count + rate : rate;
    countTime = time;
  }

  void sum(long time, double rate) {
    sum = sumTime == time ? sum + rate : rate;
    sumTime = time;
  }

  /** Takes the cumulative rate up to a bound, in any order of bounds. */
  void bucket(long time, double bound, double rate) {
    if (time != bucketTime) {
      bucketTime = time;
      buckets = 0;
    }
    if (Double.isNaN(bound) || added(bound, rate) || buckets == MOST_BUCKETS) {
      return;
    }
    if (buckets == bounds.length) {
      int size = Math.max(16, buckets * 2);
      bounds = Arrays.copyOf(bounds, size);
      rates = Arrays.copyOf(rates, size);
    }
    int at = buckets++;
    while (at > 0 && bounds[at - 1] > bound) {
      bounds[at] = bounds[at - 1];
      rates[at] = rates[at - 1];
      at--;
    }
    bounds[at] = bound;
    rates[at] = rate;
  }

  /** Whether the bound was there already: an edge's buckets add up over all that measure it. */
  private boolean added(double bound, double rate) {
    int at = Arrays.binarySearch(bounds, 0, buckets, bound);
    if (at >= 0) {
      rates[at] += rate;
    }
    return at >= 0;
  }

  /** Mean at this time in the histogram's unit; NaN without events or without both halves. */
  double mean(long time) {
    return countTime == time && sumTime == time && count > 0 ? sum / count : Double.NaN;
  }

  /**
   * The 95% quantile at this time, linear within its bucket; the highest finite bound where it lies
   * above; NaN without events or where the bucket of all events is missing.
   */
  double p95(long time) {
    if (bucketTime != time || buckets < 2 || !Double.isInfinite(bounds[buckets - 1])) {
      return Double.NaN;
    }
    double total = rates[buckets - 1];
    if (!(total > 0)) {
      return Double.NaN;
    }
    double rank = QUANTILE * total;
    int at = 0;
    while (at < buckets - 1 && rates[at] < rank) {
      at++;
    }
    return at == buckets - 1 ? bounds[buckets - 2] : within(at, rank);
  }

  private double within(int bucket, double rank) {
    double below = bucket == 0 ? 0 : rates[bucket - 1];
    double from = bucket == 0 ? Math.min(0, bounds[0]) : bounds[bucket - 1];
    double inside = rates[bucket] - below;
    double share = inside > 0 ? (rank - below) / inside : 1;
    return from + share * (bounds[bucket] - from);
  }

  /** The key without what it declares. */
  static SeriesKey identity(SeriesKey key) {
    return new SeriesKey(
        key.metric(), key.labels(), key.peer(), key.side(), Kind.GAUGE, null, null);
  }

  Histogram copy() {
    Histogram copy = new Histogram(key);
    copy.signal = signal;
    copy.unit = unit;
    copy.countTime = countTime;
    copy.count = count;
    copy.sumTime = sumTime;
    copy.sum = sum;
    copy.bucketTime = bucketTime;
    copy.bounds = bounds.clone();
    copy.rates = rates.clone();
    copy.buckets = buckets;
    return copy;
  }

  void write(DataOutputView out) throws IOException {
    SeriesKeys.write(derived(""), out);
    out.writeLong(countTime);
    out.writeDouble(count);
    out.writeLong(sumTime);
    out.writeDouble(sum);
    out.writeLong(bucketTime);
    out.writeShort(buckets);
    for (int i = 0; i < buckets; i++) {
      out.writeDouble(bounds[i]);
      out.writeDouble(rates[i]);
    }
  }

  static Histogram read(DataInputView in) throws IOException {
    SeriesKey declared = SeriesKeys.read(in);
    Histogram histogram = new Histogram(identity(declared));
    histogram.signal = declared.signal();
    histogram.unit = declared.unit();
    histogram.countTime = in.readLong();
    histogram.count = in.readDouble();
    histogram.sumTime = in.readLong();
    histogram.sum = in.readDouble();
    long bucketTime = in.readLong();
    int buckets = in.readShort();
    for (int i = 0; i < buckets; i++) {
      histogram.bucket(bucketTime, in.readDouble(), in.readDouble());
    }
    histogram.bucketTime = bucketTime;
    return histogram;
  }
}
