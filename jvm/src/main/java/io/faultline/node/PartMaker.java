package io.faultline.node;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/**
 * Says of which totals a series is a part. Equal keys become one object, as many series share a
 * total.
 */
final class PartMaker {
  private final Map<Rule, Sums> compiled = new IdentityHashMap<>();
  private final Map<SeriesKey, SeriesKey> keys = new HashMap<>();

  /** Forgets the keys. */
  void clear() {
    keys.clear();
  }

  /**
   * The parts of a series, none where it stands for itself: it has no label that the rule sums
   * over, or says itself what it measures.
   *
   * @param signal of the series
   * @param unit of its values after counter to rate
   */
  List<Part> parts(
      SeriesKey key, @Nullable Rule rule, Kind kind, Signal signal, @Nullable String unit) {
    if (rule == null || key.signal() != null) {
      return List.of();
    }
    if (rule.combine() != null) {
      return List.of(combined(key, rule.combine()));
    }
    if (rule.sum() == null) {
      return List.of();
    }
    Sums sums = compiled.computeIfAbsent(rule, Sums::new);
    String canonical = key.labelsWithout(sums.over);
    if (canonical.length() == key.labels().length() && !sums.over.isEmpty()) {
      return List.of();
    }
    List<Part> parts = new ArrayList<>();
    parts.add(new Part(key(key, key.metric(), canonical, kind, signal, unit), Term.PLUS));
    for (int i = 0; i < rule.also().size(); i++) {
      Signal other = rule.also().get(i).signal();
      String name = stem(key) + "_" + other.wireName();
      Term term = counts(sums.where.get(i), key) ? Term.PLUS : Term.NONE;
      parts.add(new Part(key(key, name, canonical, kind, other, unit), term));
    }
    return parts;
  }

  private Part combined(SeriesKey key, Rule.Combine combine) {
    SeriesKey total =
        key(key, combine.name(), key.labels(), Kind.GAUGE, combine.signal(), combine.unit());
    return new Part(total, combine.term(), combine.of());
  }

  private SeriesKey key(
      SeriesKey of, String metric, String labels, Kind kind, Signal signal, @Nullable String unit) {
    SeriesKey key = new SeriesKey(metric, labels, of.peer(), of.side(), kind, signal, unit);
    SeriesKey known = keys.putIfAbsent(key, key);
    return known == null ? key : known;
  }

  /** What a further sum's name begins with: a histogram's own name for its count. */
  private static String stem(SeriesKey key) {
    return SeriesName.role(key) == Role.COUNT ? SeriesName.base(key.metric()) : key.metric();
  }

  private static boolean counts(List<Map<String, Pattern>> anyOf, SeriesKey key) {
    return anyOf.isEmpty() || anyOf.stream().anyMatch(all -> RuleBook.matches(all, key));
  }

  /** What a rule sums over, compiled. */
  private static final class Sums {
    private final Set<String> over;
    private final List<List<Map<String, Pattern>>> where;

    Sums(Rule rule) {
      over = rule.sum().stream().map(SeriesKey::underscored).collect(Collectors.toSet());
      where =
          rule.also().stream()
              .map(also -> also.where().stream().map(RuleBook::compile).toList())
              .toList();
    }
  }
}
