package io.faultline.node;

import io.faultline.records.Kind;
import io.faultline.records.Signal;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * What a metric of a certain name and labels measures. Names are matched as sent and with
 * underscores for their dots.
 *
 * @param metric regular expression that matches the whole metric name
 * @param labels regular expressions that match the whole value of the label of that name
 * @param signal null = not said: a rule that neither says it nor drops only corrects what the next
 *     one says
 * @param unit UCUM unit of the samples as sent; null = none
 * @param kind null = gauge
 * @param histogram {@code metric} names a histogram or summary, whose count, sum and buckets are
 *     counters; a series of that very name is a gauge
 * @param drop the series is not wanted at all
 * @param as which value derived of a histogram the rule speaks of: rate, mean or p95; null = any
 * @param sum labels over which series are added up; null = the series stands for itself
 * @param also further sums over those of the same series whose labels match
 * @param combine null = the series is no term of another one
 * @param place where the rule is written, for people
 */
public record Rule(
    String metric,
    Map<String, String> labels,
    @Nullable Signal signal,
    @Nullable String unit,
    @Nullable Kind kind,
    boolean histogram,
    boolean drop,
    @Nullable String as,
    @Nullable List<String> sum,
    List<Also> also,
    @Nullable Combine combine,
    @Nullable String place)
    implements Serializable {
  private static final String HISTOGRAM = "histogram";
  private static final Set<String> KEYS =
      Set.of(
          "metric", "labels", "signal", "unit", "kind", "drop", "as", "sum", "also", "combine",
          "place");

  /**
   * A further sum.
   *
   * @param where a series counts where all labels of one of these match; empty = every series
   */
  public record Also(Signal signal, List<Map<String, String>> where) implements Serializable {
    private static Also parse(JsonNode json) {
      Signal signal = Rule.signal(text(json, "signal"));
      if (signal == null) {
        throw new IllegalArgumentException("rule with a sum without a signal: " + json);
      }
      List<Map<String, String>> where = new ArrayList<>();
      json.path("where").forEach(each -> where.add(Rule.labels(each)));
      return new Also(signal, List.copyOf(where));
    }
  }

  /**
   * A series that is made of several metrics: total - less, or part / whole.
   *
   * @param name of the series that is made
   * @param unit UCUM unit of what is made
   * @param of the total or the whole where it is always the same, such as 100; NaN = a metric has
   *     it
   */
  public record Combine(String name, Signal signal, @Nullable String unit, Term term, double of)
      implements Serializable {
    private static Combine parse(JsonNode json) {
      String name = text(json, "name");
      Signal signal = Rule.signal(text(json, "signal"));
      String term = text(json, "term");
      if (name == null || signal == null || term == null) {
        throw new IllegalArgumentException(
            "rule that combines without name, signal, term: " + json);
      }
      return new Combine(
          name,
          signal,
          text(json, "unit"),
          Term.valueOf(term.toUpperCase(Locale.ROOT)),
          json.path("of").asDouble(Double.NaN));
    }
  }

  /**
   * The rule as the job's configuration has it. Throws IllegalArgumentException with the reason.
   */
  public static Rule parse(JsonNode json) {
    if (!json.path("metric").isTextual()) {
      throw new IllegalArgumentException("rule without a metric: " + json);
    }
    json.fieldNames()
        .forEachRemaining(
            key -> {
              if (!KEYS.contains(key)) {
                throw new IllegalArgumentException(
                    "rule with an unknown key '" + key + "': " + json);
              }
            });
    List<Also> also = new ArrayList<>();
    json.path("also").forEach(each -> also.add(Also.parse(each)));
    boolean histogram = HISTOGRAM.equals(text(json, "kind"));
    return new Rule(
        json.path("metric").asText(),
        labels(json.path("labels")),
        signal(text(json, "signal")),
        text(json, "unit"),
        histogram ? null : kind(text(json, "kind")),
        histogram,
        json.path("drop").asBoolean(false),
        text(json, "as"),
        json.path("sum").isArray() ? texts(json.path("sum")) : null,
        List.copyOf(also),
        json.path("combine").isObject() ? Combine.parse(json.path("combine")) : null,
        text(json, "place"));
  }

  /** All rules of a JSON array, in order; none where it is missing or null. */
  public static List<Rule> parseAll(JsonNode array) {
    List<Rule> rules = new ArrayList<>();
    array.forEach(json -> rules.add(parse(json)));
    return rules;
  }

  /** Whether the rule only corrects what the next one says. */
  boolean corrects() {
    return signal == null && !drop && combine == null;
  }

  private static Map<String, String> labels(JsonNode json) {
    Map<String, String> labels = new LinkedHashMap<>();
    json.fields().forEachRemaining(e -> labels.put(e.getKey(), e.getValue().asText()));
    return labels;
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(each -> texts.add(each.asText()));
    return List.copyOf(texts);
  }

  @Nullable
  private static String text(JsonNode json, String field) {
    return json.path(field).isTextual() ? json.path(field).asText() : null;
  }

  @Nullable
  private static Signal signal(@Nullable String name) {
    Signal signal = name == null ? null : Signal.ofWireName(name);
    if (name != null && signal == null) {
      throw new IllegalArgumentException("rule with an unknown signal: " + name);
    }
    return signal;
  }

  @Nullable
  private static Kind kind(@Nullable String name) {
    return name == null ? null : Kind.valueOf(name.toUpperCase(Locale.ROOT));
  }
}
