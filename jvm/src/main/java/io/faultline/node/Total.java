package io.faultline.node;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import java.util.ArrayList;
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
    double[] sums = new double[Term.values().length];
    boolean[] known = new boolean[sums.length];
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
    return now ? result(sums, known) : Double.NaN;
  }

  private static double result(double[] sums, boolean[] known) {
    if (has(known, Term.TOTAL) || has(known, Term.LESS)) {
      boolean both = has(known, Term.LESS) && of(sums, Term.TOTAL) > 0;
      return both ? of(sums, Term.TOTAL) - of(sums, Term.LESS) : Double.NaN;
    }
    if (has(known, Term.PART) || has(known, Term.WHOLE)) {
      boolean both = has(known, Term.PART) && of(sums, Term.WHOLE) > 0;
      return both ? of(sums, Term.PART) / of(sums, Term.WHOLE) : Double.NaN;
    }
    return of(sums, Term.PLUS);
  }

  private static boolean has(boolean[] known, Term term) {
    return known[term.ordinal()];
  }

  private static double of(double[] sums, Term term) {
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
