package io.faultline.node;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * What is normal for one series: a ring of past tick values from before the window. A tick's value
 * waits outside for as long as the window; an anomalous one never enters, and nothing enters while
 * the series is anomalous. After {@value #LONGEST_FREEZE} anomalous ticks in a row the new level is
 * adopted. Values are in the series' declared unit, after counter to rate.
 */
final class Baseline {
  static final double ANOMALOUS_Z = 6;
  static final int LONGEST_FREEZE = 30;
  static final int LEAST = 5;
  static final int LONGEST_WINDOW = 60;

  private static final double NEVER_VARIED_Z = 8;

  /** So many equal values make it a rule that a series does not vary; fewer may be luck. */
  private static final int NEVER_VARIED = 20;

  /** So many gaps between values make the habit of a series; older ones fade. */
  private static final int HABIT = 32;

  private static final double HIGHEST_Z = 1e4;
  private static final double HIGHEST_REL = 4;
  private static final double RELATIVE_FLOOR = 0.02;
  private static final double UNAVAILABLE_FLOOR = 0.003;
  private static final double LEAST_AVAILABLE = 0.1;
  private static final double EPSILON_SHARE = 0.05;
  private static final double TINY_SCALE = 1e-12;
  private static final double TINY = 1e-9;

  private Ring ring = new Ring();
  private int window;
  private float[] waiting;
  private int first;
  private int count;

  /** Bit i: a value of tick lastTick - i waits. */
  private long present;

  /** Bit i: and it was anomalous. */
  private long anomalous;

  private long lastTick;
  private int frozen;

  /** Fading mean of the logarithm of the ticks from one value to the next. */
  private float logGap;

  /**
   * Not written: what samples are compared with, kept here until the ring changes, so that a sample
   * need not go to the ring. As measured for that series; null = to be measured again.
   */
  @Nullable private Resolved measured;

  private double median;
  private double scale;
  private double epsilon;

  Baseline(int windowTicks) {
    window = windowTicks;
    waiting = new float[windowTicks + 1];
  }

  /** Values in the ring. */
  int size() {
    return ring.size();
  }

  boolean cold() {
    return ring.size() < LEAST;
  }

  boolean frozen() {
    return frozen > 0;
  }

  /**
   * Usual number of ticks from one value to the next, 1 = a value in every tick; 0 before the
   * second value. A geometric mean, so one long silence does not pass for a habit.
   */
  float gap() {
    return ring.size() + count < 2 ? 0 : (float) Math.exp(logGap);
  }

  private void measure(Resolved series) {
    if (measured == series) {
      return;
    }
    median = cold() ? Double.NaN : ring.median();
    scale = cold() ? Double.NaN : Math.max(ring.spread(), floor(series));
    epsilon = cold() ? Double.NaN : EPSILON_SHARE * ring.level();
    measured = series;
  }

  private double floor(Resolved series) {
    if (!series.availability()) {
      return RELATIVE_FLOOR * Math.abs(median);
    }
    double unavailable = Math.abs(1 - series.factor() * median);
    return Math.max(UNAVAILABLE_FLOOR, RELATIVE_FLOOR * unavailable) / series.factor();
  }

  /** Median of the ring in the declared unit; NaN while cold. */
  double median(Resolved series) {
    measure(series);
    return median;
  }

  /**
   * Scale of the z-score in the declared unit; NaN while cold, 0 for a series that never varied.
   */
  double scale(Resolved series) {
    measure(series);
    return scale;
  }

  /** Signed robust z-score of a value in the declared unit; NaN while cold. */
  double z(double value, Resolved series) {
    measure(series);
    double distance = value - median;
    if (scale <= TINY_SCALE) {
      return Math.abs(distance) > TINY ? Math.copySign(NEVER_VARIED_Z, distance) : 0;
    }
    return Math.max(-HIGHEST_Z, Math.min(HIGHEST_Z, distance / scale));
  }

  /** log((|x| + eps) / (|median| + eps)), eps = 5% of the 95% quantile of |x|; NaN while cold. */
  double rel(double value, Resolved series) {
    measure(series);
    return relative(value, median, epsilon);
  }

  /**
   * z as patterns see it: as {@link #z}, but as many standard deviations as Student's t of few
   * values amounts to (Wallace 1959, sqrt(v log(1 + t^2 / v)) for v degrees of freedom), so that a
   * short past raises no more alarms than a long one. Of a full ring nothing is taken off. NaN
   * where the series never varied yet and has too few values to tell: a counter of rare errors
   * looks constant for a while.
   */
  double sampleZ(double value, Resolved series) {
    double z = z(value, series);
    int known = ring.size();
    if (scale <= TINY_SCALE) {
      return known < NEVER_VARIED ? Double.NaN : z;
    }
    if (known >= Ring.CAPACITY || cold()) {
      return z;
    }
    double freedom = (double) known * Ring.CAPACITY / (Ring.CAPACITY - known);
    return Math.copySign(Math.sqrt(freedom * Math.log1p(z * z / freedom)), z);
  }

  /** z as frames have it: an availability counts as its unavailable fraction. */
  double frameZ(double value, Resolved series) {
    double z = z(value, series);
    return series.availability() ? -z : z;
  }

  /** rel as frames have it: of the unavailable fraction for an availability. */
  double frameRel(double value, Resolved series) {
    if (cold() || !series.availability()) {
      return rel(value, series);
    }
    measure(series);
    double factor = series.factor();
    double eps = EPSILON_SHARE * Math.abs(1 - factor * ring.low()) + 3 * UNAVAILABLE_FLOOR;
    return relative(1 - factor * value, 1 - factor * median, eps);
  }

  /** |median| as frames have it, in the base unit; 0 while cold. */
  double frameLevel(Resolved series) {
    if (cold()) {
      return 0;
    }
    double level = series.factor() * median(series);
    return Math.abs(series.availability() ? 1 - level : level);
  }

  /** An availability that is always about zero carries nothing. */
  boolean absent(Resolved series) {
    return series.availability() && !cold() && series.factor() * median(series) < LEAST_AVAILABLE;
  }

  private static double relative(double value, double median, double eps) {
    double e = eps + TINY;
    double rel = Math.log((Math.abs(value) + e) / (Math.abs(median) + e));
    return Math.max(-HIGHEST_REL, Math.min(HIGHEST_REL, rel));
  }

  /**
   * Takes the value of a tick, after it was judged with this z (NaN while cold).
   *
   * @return whether a new level was adopted
   */
  boolean take(double value, double z, long tick) {
    boolean bad = Math.abs(z) > ANOMALOUS_Z;
    frozen = bad ? frozen + 1 : 0;
    learnGap(tick);
    release(tick);
    put(clip(value), bad);
    if (frozen < LONGEST_FREEZE) {
      return false;
    }
    adopt();
    return true;
  }

  private void learnGap(long tick) {
    int known = Math.min(HABIT, ring.size() + count);
    if (known > 0) {
      double log = Math.log(Math.max(1, tick - lastTick));
      logGap += (float) ((log - logGap) / known);
    }
  }

  /** Lets values that have waited long enough leave, the oldest first. */
  private void release(long tick) {
    long passed = count == 0 ? 0 : Math.max(0, tick - lastTick);
    while (present != 0 && 63 - Long.numberOfLeadingZeros(present) + passed >= window) {
      long bit = Long.highestOneBit(present);
      float value = pop();
      if (frozen == 0 && (anomalous & bit) == 0) {
        ring.add(value);
        measured = null;
      }
      present &= ~bit;
      anomalous &= ~bit;
    }
    present = passed > 63 ? 0 : present << passed;
    anomalous = passed > 63 ? 0 : anomalous << passed;
    lastTick = tick;
  }

  private void put(float value, boolean bad) {
    waiting[(first + count) % waiting.length] = value;
    count++;
    present |= 1;
    anomalous |= bad ? 1 : 0;
  }

  private float pop() {
    float value = waiting[first];
    first = (first + 1) % waiting.length;
    count--;
    return value;
  }

  private void adopt() {
    measured = null;
    ring.clear();
    while (count > 0) {
      ring.add(pop());
    }
    present = 0;
    anomalous = 0;
    frozen = 0;
  }

  private static float clip(double value) {
    return (float) Math.max(-Float.MAX_VALUE, Math.min(Float.MAX_VALUE, value));
  }

  Baseline copy() {
    Baseline copy = new Baseline(window);
    copy.ring = ring.copy();
    copy.waiting = waiting.clone();
    copy.first = first;
    copy.count = count;
    copy.present = present;
    copy.anomalous = anomalous;
    copy.lastTick = lastTick;
    copy.frozen = frozen;
    copy.logGap = logGap;
    return copy;
  }

  /** This baseline, or one with the same values where the window has changed. */
  Baseline withWindow(int windowTicks) {
    if (window == windowTicks) {
      return this;
    }
    Baseline other = copy();
    other.window = windowTicks;
    other.waiting = new float[Math.max(windowTicks, count) + 1];
    other.first = 0;
    for (int i = 0; i < count; i++) {
      other.waiting[i] = waiting[(first + i) % waiting.length];
    }
    return other;
  }

  /**
   * Window, ring, frozen ticks, last tick, both masks, the waiting values, oldest first, then the
   * habit, which node state had not before version 3.
   */
  void write(DataOutputView out) throws IOException {
    out.writeByte(window);
    ring.write(out);
    out.writeByte(frozen);
    out.writeLong(lastTick);
    out.writeLong(present);
    out.writeLong(anomalous);
    for (int i = 0; i < count; i++) {
      out.writeFloat(waiting[(first + i) % waiting.length]);
    }
    out.writeFloat(logGap);
  }

  static Baseline read(DataInputView in, int version) throws IOException {
    Baseline baseline = new Baseline(in.readByte());
    baseline.ring = Ring.read(in);
    baseline.frozen = in.readByte();
    baseline.lastTick = in.readLong();
    baseline.present = in.readLong();
    baseline.anomalous = in.readLong();
    baseline.count = Long.bitCount(baseline.present);
    baseline.waiting = new float[Math.max(baseline.window, baseline.count) + 1];
    for (int i = 0; i < baseline.count; i++) {
      baseline.waiting[i] = in.readFloat();
    }
    baseline.logGap = version < 3 ? 0 : in.readFloat();
    return baseline;
  }
}
