package io.faultline.node;

import io.faultline.cep.SeriesRef;
import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.SeriesKeys;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** State of one series of a node. */
final class Series {
  static final long NEVER = Long.MIN_VALUE;
  private static final int HAS_COUNTER = 1;
  private static final int HAS_BASELINE = 2;

  final SeriesKey key;

  /** Role of a series that is derived here; null for one that was sent. */
  @Nullable final Role derived;

  /** Not written: asked of the rules again, see {@link #bind}. */
  Resolved resolved;

  /** Null where the values count only through what is derived from them. */
  @Nullable Baseline baseline;

  /** Null for gauges. */
  @Nullable Counter counter;

  /** Not written: the histogram this series is a part of, looked up when first needed. */
  @Nullable Histogram histogram;

  /**
   * Not written: whether it counts only as a part of an edge's total, with the total and the
   * source.
   */
  boolean part;

  @Nullable EdgeTotal total;
  @Nullable CallSource source;

  /** Not written: upper bound of a bucket. */
  double bound = Double.NaN;

  /** Not written: the series as patterns see it, made when first needed. */
  @Nullable SeriesRef ref;

  /** Not written: must not be evicted now. */
  boolean pinned;

  /** Not written: its place was given to another one. */
  boolean evicted;

  /** Not written: z and rel of the tick that is being closed, as frames have them. */
  double tickZ;

  double tickRel;

  /** Event time of the last point, ms; {@link #NEVER} before the first. */
  long lastTime = NEVER;

  /** Last value after counter to rate; NaN before the first. */
  double lastValue = Double.NaN;

  /** Sum and number of the values in the open tick. */
  double sum;

  int count;

  /** Last closed tick with a value. */
  long lastTick = NEVER;

  Series(SeriesKey key, @Nullable Role derived) {
    this.key = key;
    this.derived = derived;
  }

  /** Asks the rules what the series is; what they no longer want of its state is dropped. */
  void bind(SeriesPolicy policy) {
    SignalRules rules = policy.rules();
    ref = null;
    resolved = derived == null ? rules.resolve(key) : rules.resolveDerived(key, derived);
    boolean gauge = resolved.kind() == Kind.GAUGE;
    counter = gauge ? null : counter == null ? new Counter() : counter;
    part = derived == null && Edges.isPart(key, resolved);
    source = null;
    int window = policy.windowTicks();
    if (!feeds()) {
      baseline = null;
    } else {
      baseline = baseline == null ? new Baseline(window) : baseline.withWindow(window);
    }
  }

  private Series(Series from) {
    key = from.key;
    derived = from.derived;
    resolved = from.resolved;
    part = from.part;
    baseline = from.baseline == null ? null : from.baseline.copy();
    counter = from.counter == null ? null : from.counter.copy();
    bound = from.bound;
    lastTime = from.lastTime;
    lastValue = from.lastValue;
    sum = from.sum;
    count = from.count;
    lastTick = from.lastTick;
  }

  /** Whether its own values count, and not only what is made of them. */
  boolean feeds() {
    return resolved.feeds() && !part;
  }

  /** Mean of the open tick's values. */
  double mean() {
    return sum / count;
  }

  /** Whether it had a value within the last 2 windows before this tick, or has one in it. */
  boolean known(long tick, int windowTicks) {
    return baseline != null && (count > 0 || lastTick >= tick - 2L * windowTicks);
  }

  Series copy() {
    return new Series(this);
  }

  void write(DataOutputView out) throws IOException {
    SeriesKeys.write(key, out);
    out.writeByte(derived == null ? -1 : derived.ordinal());
    out.writeByte((counter == null ? 0 : HAS_COUNTER) | (baseline == null ? 0 : HAS_BASELINE));
    if (counter != null) {
      counter.write(out);
    }
    if (baseline != null) {
      baseline.write(out);
    }
    out.writeLong(lastTime);
    out.writeDouble(lastValue);
    out.writeDouble(sum);
    out.writeInt(count);
    out.writeLong(lastTick);
  }

  /** Reads a series that must be bound before it is used. */
  static Series read(DataInputView in, int version) throws IOException {
    SeriesKey key = SeriesKeys.read(in);
    int role = in.readByte();
    Series series = new Series(key, role < 0 ? null : Role.ofIndex(role));
    int has = in.readByte();
    series.counter = (has & HAS_COUNTER) != 0 ? Counter.read(in, version) : null;
    series.baseline = (has & HAS_BASELINE) != 0 ? Baseline.read(in, version) : null;
    series.lastTime = in.readLong();
    series.lastValue = in.readDouble();
    series.sum = in.readDouble();
    series.count = in.readInt();
    series.lastTick = in.readLong();
    return series;
  }
}
