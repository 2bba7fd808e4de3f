package io.faultline.node;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Signal;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * Ordered rules, first match wins. What a series declares wins over its rule, field by field; a
 * rule that drops always drops. Answers are remembered per series key, bounded, and equal ones are
 * one object; one thread only.
 */
public final class SignalRules {
  static final String NET_DELAY = "net_delay";
  private static final int CACHED = 20_000;

  /** Signals whose counters count something else than events. */
  private static final Set<Signal> AMOUNTS =
      EnumSet.of(Signal.CPU, Signal.MEMORY, Signal.DISK, Signal.NETWORK);

  private final RuleBook book;
  private final PartMaker parts = new PartMaker();
  private final Map<SeriesKey, Resolved> cache = new HashMap<>();
  private final Map<Resolved, Resolved> answers = new HashMap<>();

  public SignalRules(List<Rule> rules) {
    this.book = new RuleBook(rules);
  }

  /** What a series that was sent is. */
  public Resolved resolve(SeriesKey key) {
    Resolved known = cache.get(key);
    if (known == null) {
      known = sent(key);
      if (cache.size() >= CACHED) {
        cache.clear();
        answers.clear();
        parts.clear();
      }
      cache.put(key, known);
    }
    return known;
  }

  /** What a series derived here is; its key carries what the histogram or the rule declared. */
  Resolved resolveDerived(SeriesKey key, Role role) {
    if (role == Role.NET_DELAY || role == Role.TOTAL) {
      Verdict declared = Verdict.NONE;
      return resolved(key, declared, Kind.GAUGE, role, key.signal(), key.unit(), List.of());
    }
    Verdict verdict = book.verdict(key, SeriesName.derived(key.metric(), role));
    Signal signal = key.signal() == null ? verdict.signal() : key.signal();
    String unit = key.unit() == null ? verdict.unit() : key.unit();
    return resolved(key, verdict, Kind.GAUGE, role, signal, unit, List.of());
  }

  private Resolved sent(SeriesKey key) {
    Verdict verdict = book.verdict(key, SeriesName.sent(key));
    Kind kind = key.kind();
    if (kind == Kind.UNSAID) {
      kind = verdict.kind() == null ? Kind.GAUGE : verdict.kind();
    }
    Role role = kind == Kind.GAUGE || amount(key, verdict) ? Role.PLAIN : SeriesName.role(key);
    Signal signal = key.signal() == null ? verdict.signal() : key.signal();
    String unit = key.unit() == null ? verdict.unit() : key.unit();
    if (role == Role.COUNT || role == Role.BUCKET) {
      signal = role == Role.COUNT ? ofEvents(key, verdict) : signal;
      unit = "1/s";
    } else if (kind != Kind.GAUGE) {
      unit = Units.perSecond(unit);
    }
    List<Part> made =
        role.feeds() ? parts.parts(key, verdict.rule(), kind, signal, unit) : List.of();
    return resolved(key, verdict, kind, role, signal, unit, made);
  }

  /**
   * Whether a counter of amounts is only called like the events of a histogram: a rule says that it
   * is a counter, and what of.
   */
  private static boolean amount(SeriesKey key, Verdict verdict) {
    if (key.kind() != Kind.UNSAID || verdict.rule() == null || verdict.rule().histogram()) {
      return false;
    }
    return verdict.signal() != null && AMOUNTS.contains(verdict.signal());
  }

  /** Events of a histogram: a rate, so never a latency or an amount, whatever it measures. */
  @Nullable
  private static Signal ofEvents(SeriesKey key, Verdict verdict) {
    if (key.signal() != null && key.signal() != Signal.LATENCY) {
      return key.signal();
    }
    Signal said = verdict.signal() == null ? key.signal() : verdict.signal();
    if (said == null) {
      return null;
    }
    return switch (said) {
      case LATENCY -> Signal.TRAFFIC;
      default -> AMOUNTS.contains(said) ? Signal.OTHER : said;
    };
  }

  private Resolved resolved(
      SeriesKey key,
      Verdict verdict,
      Kind kind,
      Role role,
      @Nullable Signal signal,
      @Nullable String unit,
      List<Part> parts) {
    Resolved answer =
        new Resolved(
            signal == null ? Signal.OTHER : signal,
            unit,
            Units.factor(unit),
            kind,
            role,
            verdict.drop(),
            key.signal() != null || verdict.decided(),
            parts,
            verdict.place());
    Resolved known = answers.putIfAbsent(answer, answer);
    return known == null ? answer : known;
  }
}
