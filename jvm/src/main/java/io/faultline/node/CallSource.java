package io.faultline.node;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * One source that counts the calls of an edge: a proxy, an instance, a collector. It counts in
 * several series, which differ in how calls ended and come at one event time; a series that it no
 * longer sends has stopped.
 */
final class CallSource {
  static final long NEVER = Long.MIN_VALUE;

  /** A source is alive while it has missed no more than one report. */
  private static final int BRIDGED_INTERVALS = 2;

  /** From this report on, a series not seen before is a new one. */
  private static final int SETTLED = 3;

  /** Not written: given up, so that a series must look for another one. */
  boolean removed;

  /** Event time of the report at hand and of the one before, ms. */
  private long time = NEVER;

  private long before = NEVER;

  /** How far apart the two reports before the one at hand were, ms; 0 = not known. */
  private long usual;

  private int reports;

  /** Whether any series had a rate at this time. */
  private boolean known;

  /** Whether it counts calls, tells failed ones from others, counts failed ones apart. */
  private boolean counts;

  private boolean parted;
  private boolean apart;

  /** Per second at this time. */
  private double calls;

  private double failed;
  private double told;

  /** A report is under way at this event time. */
  void begin(long at) {
    if (at == time) {
      return;
    }
    usual = before == NEVER ? 0 : time - before;
    before = time;
    time = at;
    reports = Math.min(SETTLED, reports + 1);
    known = false;
    calls = failed = told = 0;
  }

  /**
   * The rate at the first value of a series: what the source counts for the first time now, it did
   * not count in its last report. NaN while the source itself is too new to say so.
   */
  double first(double value) {
    boolean settled = reports == SETTLED && time - before <= BRIDGED_INTERVALS * usual;
    return settled ? value * 1000.0 / (time - before) : Double.NaN;
  }

  /** Takes the rate of one series at this time; NaN = there is none. */
  void add(Outcome outcome, double rate) {
    counts |= outcome != Outcome.TOLD;
    parted |= outcome == Outcome.FAILED || outcome == Outcome.GOOD;
    apart |= outcome == Outcome.TOLD;
    if (Double.isNaN(rate)) {
      return;
    }
    known = true;
    switch (outcome) {
      case TOLD -> told += rate;
      case FAILED -> {
        calls += rate;
        failed += rate;
      }
      default -> calls += rate;
    }
  }

  boolean known() {
    return known;
  }

  boolean counts() {
    return counts;
  }

  /** Whether it says how many calls fail. */
  boolean tellsErrors() {
    return parted || apart;
  }

  double calls() {
    return calls;
  }

  /** Failed calls may be told twice, by parting the calls and apart: that is the same twice. */
  double errors() {
    return Math.max(failed, told);
  }

  long time() {
    return time;
  }

  /** Time between reports, ms; 0 = not known. One missed report does not change it. */
  long interval() {
    if (before == NEVER) {
      return 0;
    }
    return usual == 0 ? time - before : Math.min(usual, time - before);
  }

  /**
   * Whether it still reports.
   *
   * @param otherwise time between reports of sources like it, ms, for one that has reported once; 0
   *     = not known
   */
  boolean alive(long now, long otherwise) {
    long interval = interval() == 0 ? otherwise : interval();
    return interval == 0 || now - time <= BRIDGED_INTERVALS * interval;
  }

  CallSource copy() {
    CallSource copy = new CallSource();
    copy.time = time;
    copy.before = before;
    copy.usual = usual;
    copy.reports = reports;
    copy.known = known;
    copy.counts = counts;
    copy.parted = parted;
    copy.apart = apart;
    copy.calls = calls;
    copy.failed = failed;
    copy.told = told;
    return copy;
  }

  void write(DataOutputView out) throws IOException {
    out.writeLong(time);
    out.writeLong(before);
    out.writeLong(usual);
    out.writeByte(reports);
    out.writeBoolean(known);
    out.writeBoolean(counts);
    out.writeBoolean(parted);
    out.writeBoolean(apart);
    out.writeDouble(calls);
    out.writeDouble(failed);
    out.writeDouble(told);
  }

  static CallSource read(DataInputView in) throws IOException {
    CallSource source = new CallSource();
    source.time = in.readLong();
    source.before = in.readLong();
    source.usual = in.readLong();
    source.reports = in.readByte();
    source.known = in.readBoolean();
    source.counts = in.readBoolean();
    source.parted = in.readBoolean();
    source.apart = in.readBoolean();
    source.calls = in.readDouble();
    source.failed = in.readDouble();
    source.told = in.readDouble();
    return source;
  }

  /** What a series of a source counts. */
  enum Outcome {
    /** Calls, however they ended. */
    ANY,
    /** Calls that did not fail. */
    GOOD,
    /** Calls that failed, counted among all calls. */
    FAILED,
    /** Calls that failed, counted by a metric of their own. */
    TOLD
  }
}
