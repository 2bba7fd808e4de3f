package io.faultline.node;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.SeriesKeys;
import io.faultline.records.Signal;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Pairs {@code X_count}, {@code X_sum} and {@code X_bucket} of one event time. The values are
 * rates, which have the same interval, so their quotients are those of the growths. Where one of
 * the parts shows that the counters began anew, all of them are taken from zero.
 */
final class Histogram {
  static final long NEVER = Long.MIN_VALUE;
  private static final int DELTA = 1;
  private static final int WHOLE = 2;

  /** Metric {@code X}, labels without {@code le}; nothing declared. */
  final SeriesKey key;

  /** As the sum or a bucket declares them. */
  @Nullable private Signal signal;

  @Nullable private String unit;

  /** Not written: given up, so that a part must look for another one. */
  boolean removed;

  /** Not written: where the values go, looked up when first needed. */
  @Nullable Series meanSeries;

  @Nullable Series p95Series;

  /** Event time of the parts at hand, ms. */
  private long time = NEVER;

  /** Rates of the parts, and the same taken from zero; NaN = not known. */
  private boolean counted;

  private double count;
  private double countFull;
  private boolean summed;
  private double sum;
  private double sumFull;
  private boolean restarted;

  /** Parts belong to instances that cannot be told apart. */
  private boolean mixed;

  /** Parts are deltas, whose bounds may differ from time to time. */
  private boolean delta;

  /**
   * Parts are those of one instance that says when it began, so that one point brings all of them:
   * a bound that was not there before is new, and none that is missing was lost.
   */
  private boolean whole;

  private final Buckets buckets = new Buckets();

  Histogram(SeriesKey key) {
    this.key = key;
  }

  /** Event time of the last part, ms. */
  long lastTime() {
    return time;
  }

  /** Takes what the sum or a bucket declares. */
  void declare(@Nullable Signal newSignal, @Nullable String newUnit) {
    signal = newSignal == null ? signal : newSignal;
    unit = newUnit == null ? unit : newUnit;
    meanSeries = null;
    p95Series = null;
  }

  /** Key of a series derived of this histogram, such as {@code X_mean}. */
  SeriesKey derived(String suffix) {
    return new SeriesKey(
        (key.metric() + suffix).intern(),
        key.labels(),
        key.peer(),
        key.side(),
        key.kind(),
        signal,
        unit);
  }

  /** An edge adds up instances, which do not begin anew together. */
  private boolean restarted(Reading at) {
    return at.restarted && key.peer() == null;
  }

  void count(Reading at) {
    begin(at.time);
    count = counted ? count + at.rate : at.rate;
    countFull = counted ? countFull + at.full : at.full;
    counted = true;
    restarted |= restarted(at);
    mixed |= at.mixed;
  }

  void sum(Reading at) {
    begin(at.time);
    sum = summed ? sum + at.rate : at.rate;
    sumFull = summed ? sumFull + at.full : at.full;
    summed = true;
    mixed |= at.mixed;
  }

  /** Takes a cumulative bucket, in any order of bounds; NaN is no bound. */
  void bucket(double bound, Reading at) {
    begin(at.time);
    if (Double.isNaN(bound)) {
      at.tally.add("bad_bound");
      return;
    }
    buckets.add(bound, at.rate, at.full);
    delta |= at.delta;
    whole &= at.alone || Double.isNaN(at.rate);
    restarted |= restarted(at);
    mixed |= at.mixed;
  }

  private void begin(long newTime) {
    if (newTime != time) {
      time = newTime;
      counted = summed = restarted = mixed = delta = false;
      whole = true;
      buckets.clear();
    }
  }

  /** Mean in the histogram's unit; NaN without events or without both halves of this time. */
  double mean(long at) {
    if (time != at || !counted || !summed || mixed) {
      return Double.NaN;
    }
    double events = restarted ? countFull : count;
    return events > 0 ? (restarted ? sumFull : sum) / events : Double.NaN;
  }

  /**
   * The 95% quantile, as {@link Buckets#p95}; NaN where parts of this time have no rate yet or
   * cannot be told apart. To be called once per time: compares the bounds with those before.
   */
  double p95(long at, Tally tally) {
    if (time != at || buckets.isEmpty()) {
      return Double.NaN;
    }
    boolean same = buckets.settle(delta || whole, tally);
    boolean unknown = counted && Double.isNaN(count);
    if (!same || unknown || mixed) {
      return Double.NaN;
    }
    double events = !counted ? Double.NaN : restarted ? countFull : count;
    if (whole) {
      buckets.dropUnknown(restarted);
    }
    return buckets.isEmpty() ? Double.NaN : buckets.p95(restarted, events, tally);
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
    copy.time = time;
    copy.counted = counted;
    copy.count = count;
    copy.countFull = countFull;
    copy.summed = summed;
    copy.sum = sum;
    copy.sumFull = sumFull;
    copy.restarted = restarted;
    copy.mixed = mixed;
    copy.delta = delta;
    copy.whole = whole;
    copy.buckets.copy(buckets);
    return copy;
  }

  void write(DataOutputView out) throws IOException {
    SeriesKeys.write(derived(""), out);
    out.writeLong(time);
    out.writeBoolean(counted);
    out.writeDouble(count);
    out.writeDouble(countFull);
    out.writeBoolean(summed);
    out.writeDouble(sum);
    out.writeDouble(sumFull);
    out.writeBoolean(restarted);
    out.writeBoolean(mixed);
    out.writeByte((delta ? DELTA : 0) | (whole ? WHOLE : 0));
    buckets.write(out);
  }

  static Histogram read(DataInputView in, int version) throws IOException {
    SeriesKey declared = SeriesKeys.read(in);
    Histogram histogram = new Histogram(identity(declared));
    histogram.declare(declared.signal(), declared.unit());
    if (version == 1) {
      histogram.readFirstVersion(in);
      return histogram;
    }
    histogram.time = in.readLong();
    histogram.counted = in.readBoolean();
    histogram.count = in.readDouble();
    histogram.countFull = in.readDouble();
    histogram.summed = in.readBoolean();
    histogram.sum = in.readDouble();
    histogram.sumFull = in.readDouble();
    histogram.restarted = in.readBoolean();
    histogram.mixed = in.readBoolean();
    int flags = in.readByte();
    histogram.delta = (flags & DELTA) != 0;
    histogram.whole = (flags & WHOLE) != 0;
    histogram.buckets.read(in);
    return histogram;
  }

  /** A time for each part, and rates only. */
  private void readFirstVersion(DataInputView in) throws IOException {
    long countTime = in.readLong();
    count = countFull = in.readDouble();
    long sumTime = in.readLong();
    sum = sumFull = in.readDouble();
    long bucketTime = in.readLong();
    time = Math.max(countTime, Math.max(sumTime, bucketTime));
    counted = countTime == time && time != NEVER;
    summed = sumTime == time && time != NEVER;
    for (int i = in.readShort(); i > 0; i--) {
      double bound = in.readDouble();
      double rate = in.readDouble();
      if (bucketTime == time) {
        buckets.add(bound, rate, rate);
      }
    }
  }
}
