package io.faultline.node;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.annotation.Nullable;

/**
 * Ordered rules, first match wins. What a series declares wins over its rule, field by field; a
 * rule that drops always drops. Answers are remembered per series key, bounded; one thread only.
 */
public final class SignalRules {
  static final String NET_DELAY = "net_delay";
  private static final int CACHED = 200_000;
  private static final String BUCKET_LABEL = "le";
  private static final String RATE = "rate";

  private final List<Compiled> rules = new ArrayList<>();
  private final Map<SeriesKey, Resolved> cache = new HashMap<>();

  public SignalRules(List<Rule> rules) {
    rules.forEach(rule -> this.rules.add(new Compiled(rule)));
  }

  /** What a series that was sent is. */
  Resolved resolve(SeriesKey key) {
    Resolved known = cache.get(key);
    if (known == null) {
      known = sent(key);
      if (cache.size() >= CACHED) {
        cache.clear();
      }
      cache.put(key, known);
    }
    return known;
  }

  /** What a series derived here is; its key carries what the histogram declared. */
  Resolved resolveDerived(SeriesKey key, Role role) {
    if (role == Role.NET_DELAY) {
      return new Resolved(Signal.LATENCY, "s", 1.0, Kind.GAUGE, role, false, true);
    }
    if (role.sums()) {
      return new Resolved(
          key.signal(), key.unit(), Units.factor(key.unit()), Kind.GAUGE, role, false, true);
    }
    String base = base(key.metric());
    Rule rule = match(key, base, base + "_sum", role == Role.MEAN ? "mean" : "p95");
    return resolved(key, rule, Kind.GAUGE, role, key.unit() == null ? unit(rule) : key.unit());
  }

  private Resolved sent(SeriesKey key) {
    Rule rule = match(key, null, null, RATE);
    Kind kind = key.kind();
    if (kind == Kind.UNSAID) {
      kind = rule == null || rule.kind() == null ? Kind.GAUGE : rule.kind();
    }
    Role role = kind == Kind.GAUGE ? Role.PLAIN : role(key);
    if (role == Role.COUNT) {
      return count(key, kind);
    }
    String unit = key.unit() == null ? unit(rule) : key.unit();
    return resolved(key, rule, kind, role, kind == Kind.GAUGE ? unit : Units.perSecond(unit));
  }

  /** Events of a histogram: a rate, so never a latency, whatever the histogram measures. */
  private Resolved count(SeriesKey key, Kind kind) {
    Rule rule = match(key, base(key.metric()), null, RATE);
    Signal signal = key.signal();
    if (signal == null || signal == Signal.LATENCY) {
      boolean useful = rule != null && rule.signal() != null && rule.signal() != Signal.LATENCY;
      signal = useful ? rule.signal() : Signal.TRAFFIC;
    }
    boolean dropped = rule != null && rule.drop();
    return new Resolved(signal, "1/s", 1.0, kind, Role.COUNT, dropped, true);
  }

  private static Resolved resolved(
      SeriesKey key, @Nullable Rule rule, Kind kind, Role role, @Nullable String unit) {
    Signal signal = key.signal();
    if (signal == null && rule != null) {
      signal = rule.signal();
    }
    return new Resolved(
        signal == null ? Signal.OTHER : signal,
        unit,
        Units.factor(unit),
        kind,
        role,
        rule != null && rule.drop(),
        key.signal() != null || rule != null);
  }

  private static Role role(SeriesKey key) {
    String metric = key.metric();
    if (metric.endsWith("_count")) {
      return Role.COUNT;
    }
    if (metric.endsWith("_sum")) {
      return Role.SUM;
    }
    return metric.endsWith("_bucket") && key.label(BUCKET_LABEL) != null ? Role.BUCKET : Role.PLAIN;
  }

  /**
   * The first rule that speaks of a series.
   *
   * @param base the histogram's own name, which counts where the rule says as what
   * @param also another name of the series
   * @param as what the series is of its histogram
   */
  @Nullable
  private Rule match(SeriesKey key, @Nullable String base, @Nullable String also, String as) {
    for (Compiled compiled : rules) {
      Rule rule = compiled.rule;
      boolean special = as.equals(rule.as());
      boolean named =
          compiled.matches(key.metric())
              || (also != null && compiled.matches(also))
              || (special && base != null && compiled.matches(base));
      if (named && (special || rule.as() == null) && compiled.matchesLabels(key)) {
        return rule;
      }
    }
    return null;
  }

  @Nullable
  private static String unit(@Nullable Rule rule) {
    return rule == null ? null : rule.unit();
  }

  /** A histogram's own name: without the last underscore and what follows. */
  static String base(String metric) {
    return metric.substring(0, metric.lastIndexOf('_'));
  }

  /** A rule with its expressions compiled. */
  private static final class Compiled {
    private final Rule rule;
    private final Pattern metric;
    private final Map<String, Pattern> labels = new HashMap<>();

    Compiled(Rule rule) {
      this.rule = rule;
      this.metric = Pattern.compile(rule.metric());
      rule.labels().forEach((name, regex) -> labels.put(name, Pattern.compile(regex)));
    }

    boolean matches(String name) {
      return metric.matcher(name).matches();
    }

    boolean matchesLabels(SeriesKey key) {
      for (Map.Entry<String, Pattern> label : labels.entrySet()) {
        String value = key.label(label.getKey());
        if (value == null || !label.getValue().matcher(value).matches()) {
          return false;
        }
      }
      return true;
    }
  }
}
