package io.faultline.node;

import io.faultline.records.SeriesKey;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The rules compiled. Many series share a name, so which rules speak of a name is remembered,
 * bounded; one thread only.
 */
final class RuleBook {
  private static final int NAMES = 20_000;

  private final List<Compiled> rules = new ArrayList<>();
  private final NameIndex index;
  private final Map<SeriesName, List<Compiled>> byName = new HashMap<>();

  RuleBook(List<Rule> rules) {
    rules.forEach(rule -> this.rules.add(new Compiled(rule)));
    index = new NameIndex(rules.stream().map(Rule::metric).toList());
  }

  /** What the rules say of a series; where they say nothing, what they say of its original name. */
  Verdict verdict(SeriesKey key, SeriesName name) {
    Verdict verdict = ofName(key, name);
    SeriesName original = verdict.decided() ? null : name.original();
    Verdict other = original == null ? Verdict.NONE : ofName(key, original);
    return other.decided() ? other : verdict;
  }

  private Verdict ofName(SeriesKey key, SeriesName name) {
    List<Rule> matched = new ArrayList<>(2);
    for (Compiled compiled : named(name)) {
      if (matches(compiled.labels, key)) {
        matched.add(compiled.rule);
        if (!compiled.rule.corrects()) {
          break;
        }
      }
    }
    return Verdict.of(matched, name);
  }

  /** The rules for a name, whatever its labels. */
  private List<Compiled> named(SeriesName name) {
    List<Compiled> known = byName.get(name);
    if (known == null) {
      BitSet candidates = new BitSet();
      name.spellings().forEach(spelling -> index.candidates(spelling, candidates));
      known = candidates.stream().mapToObj(rules::get).filter(rule -> rule.speaksOf(name)).toList();
      if (byName.size() >= NAMES) {
        byName.clear();
      }
      byName.put(name, known);
    }
    return known;
  }

  /** Labels with underscores for the dots of their names, compiled. */
  static Map<String, Pattern> compile(Map<String, String> labels) {
    Map<String, Pattern> compiled = new LinkedHashMap<>();
    labels.forEach(
        (name, regex) -> compiled.put(SeriesKey.underscored(name), Pattern.compile(regex)));
    return compiled;
  }

  static boolean matches(Map<String, Pattern> labels, SeriesKey key) {
    for (Map.Entry<String, Pattern> label : labels.entrySet()) {
      String value = key.labelSpelledAs(label.getKey());
      if (value == null || !label.getValue().matcher(value).matches()) {
        return false;
      }
    }
    return true;
  }

  /** A rule with its expressions compiled. */
  private static final class Compiled {
    private final Rule rule;
    private final Pattern metric;
    private final Map<String, Pattern> labels;

    Compiled(Rule rule) {
      this.rule = rule;
      try {
        this.metric = Pattern.compile(rule.metric());
        this.labels = compile(rule.labels());
      } catch (PatternSyntaxException e) {
        String place = rule.place() == null ? "a rule" : rule.place();
        throw new IllegalArgumentException(
            place + ": '" + e.getPattern() + "' is no regular expression: " + e.getDescription(),
            e);
      }
    }

    boolean speaksOf(SeriesName name) {
      boolean special = name.as().equals(rule.as());
      if (!special && rule.as() != null) {
        return false;
      }
      return matches(name.metric())
          || (name.sum() != null && matches(name.sum()))
          || ((special || rule.histogram())
              && name.histogram() != null
              && matches(name.histogram()));
    }

    private boolean matches(String name) {
      return metric.matcher(name).matches()
          || (name.indexOf('.') >= 0 && metric.matcher(SeriesKey.underscored(name)).matches());
    }
  }
}
