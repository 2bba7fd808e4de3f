package io.faultline.node;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.annotation.Nullable;

/** One series that is made of several of the same node: their sum, difference or share. */
final class Total {
  /** A part that was silent for longer than this many of its intervals no longer counts. */
  private static final double SILENT_INTERVALS = 1.5;

  final SeriesKey key;

  /** Looked up when first needed. */
  @Nullable Series series;

  private final List<Series> members = new ArrayList<>();
  private final List<Term> terms = new ArrayList<>();

  /** By term, of the value at hand. */
  private final double[] sums = new double[Term.values().length];

  private final boolean[] known = new boolean[sums.length];

  /** A total or whole that is always the same; NaN = a member has it. */
  private double of = Double.NaN;

  Total(SeriesKey key) {
    this.key = key;
  }

  void add(Series member, Part part) {
    members.add(member);
    terms.add(part.term());
    of = Double.isNaN(part.of()) ? of : part.of();
  }

  /**
   * The value at this event time; NaN where no part has a value now, or a term that is needed is
   * missing.
   */
  double value(long time) {
    boolean now = false;
    Arrays.fill(sums, 0);
    Arrays.fill(known, false);
    if (!Double.isNaN(of)) {
      sums[Term.TOTAL.ordinal()] = of;
      sums[Term.WHOLE.ordinal()] = of;
    }
    for (int i = 0; i < members.size(); i++) {
      Series member = members.get(i);
      if (!Double.isNaN(member.lastValue) && counts(member, time)) {
        now |= member.lastTime == time;
        sums[terms.get(i).ordinal()] += member.lastValue;
        known[terms.get(i).ordinal()] = true;
      }
    }
    return now ? result() : Double.NaN;
  }

  private double result() {
    if (has(Term.TOTAL) || has(Term.LESS)) {
      boolean both = has(Term.LESS) && sum(Term.TOTAL) > 0;
      return both ? sum(Term.TOTAL) - sum(Term.LESS) : Double.NaN;
    }
    if (has(Term.PART) || has(Term.WHOLE)) {
      boolean both = has(Term.PART) && sum(Term.WHOLE) > 0;
      return both ? sum(Term.PART) / sum(Term.WHOLE) : Double.NaN;
    }
    return sum(Term.PLUS);
  }

  private boolean has(Term term) {
    return known[term.ordinal()];
  }

  private double sum(Term term) {
    return sums[term.ordinal()];
  }

  /** A gauge or a delta counts at its own time only; a counter's rate holds until the next. */
  private static boolean counts(Series member, long time) {
    if (member.lastTime == time) {
      return true;
    }
    return member.resolved.kind() == Kind.COUNTER
        && time - member.lastTime <= SILENT_INTERVALS * member.counter.interval();
  }
}
