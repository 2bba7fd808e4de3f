package io.faultline.cep;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;

/**
 * The conditions of an engine's patterns, equal ones once. A condition goes when no pattern has it
 * any more.
 */
final class Dictionary {
  private record Entry(WeakReference<Predicate> predicate, ConditionCounts counts) {}

  private final Map<Expr, Entry> known = new HashMap<>();
  private final Names names = new Names();

  /** Number of the event at hand. */
  private long moment;

  /** Numbers of the events that were looked at out of turn: below all others. */
  private long aside = Long.MIN_VALUE;

  long moment() {
    return moment;
  }

  /** Another event is at hand. */
  void next() {
    moment++;
  }

  /**
   * An earlier event is looked at, out of turn.
   *
   * @return the moment to go {@link #back} to
   */
  long aside() {
    long before = moment;
    moment = aside++;
    return before;
  }

  /** The event of that moment is at hand again. */
  void back(long before) {
    moment = before;
  }

  Names names() {
    return names;
  }

  /**
   * The one predicate of a condition.
   *
   * @param stats gains what goes wrong in it
   */
  Predicate of(Expr expr, PatternStats stats) {
    Entry entry = known.get(expr);
    Predicate predicate = entry == null ? null : entry.predicate().get();
    if (predicate == null) {
      ConditionCounts counts = new ConditionCounts();
      predicate = new Predicate(this, expr, counts);
      entry = new Entry(new WeakReference<>(predicate), counts);
      known.put(expr, entry);
    }
    stats.count(entry.counts());
    return predicate;
  }

  /** The predicate of what is left of a condition for samples of this name. */
  Predicate under(Expr expr, Name name, PatternStats stats) {
    return of(name.isAny() ? expr : Exprs.under(expr, name.metric(), name.signal()), stats);
  }

  /** Forgets the conditions of patterns that are gone. */
  void tidy() {
    known.values().removeIf(entry -> entry.predicate().get() == null);
  }

  int size() {
    return known.size();
  }
}
