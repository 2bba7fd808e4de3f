package io.faultline.node;

import io.faultline.records.Kind;
import io.faultline.records.Signal;
import java.util.List;
import javax.annotation.Nullable;

/**
 * What the rules say of one series together: the first that says a signal or drops, corrected by
 * those before it that say neither.
 *
 * @param rule the one that decided; null = none did
 * @param kind null = not said
 * @param place where the rules are written, in order; null = none matched
 */
record Verdict(
    @Nullable Rule rule, @Nullable String unit, @Nullable Kind kind, @Nullable String place) {
  static final Verdict NONE = new Verdict(null, null, null, null);

  boolean drop() {
    return rule != null && rule.drop();
  }

  @Nullable
  Signal signal() {
    return rule == null ? null : rule.signal();
  }

  /** Whether a rule says what the series measures, or that nobody wants it. */
  boolean decided() {
    return rule != null;
  }

  /**
   * The verdict of rules in their order; the last is looked at even where an earlier one decided.
   */
  static Verdict of(List<Rule> matched, SeriesName name) {
    if (matched.isEmpty()) {
      return NONE;
    }
    String unit = null;
    Kind kind = null;
    StringBuilder place = new StringBuilder();
    Rule decisive = null;
    for (Rule rule : matched) {
      unit = unit == null ? rule.unit() : unit;
      kind = kind == null ? kind(rule, name) : kind;
      place.append(place.length() == 0 || rule.place() == null ? "" : ", ");
      place.append(rule.place() == null ? "" : rule.place());
      decisive = rule.corrects() ? null : rule;
    }
    return new Verdict(decisive, unit, kind, place.length() == 0 ? null : place.toString());
  }

  @Nullable
  private static Kind kind(Rule rule, SeriesName name) {
    if (!rule.histogram()) {
      return rule.kind();
    }
    return name.histogram() == null ? Kind.GAUGE : Kind.COUNTER;
  }
}
