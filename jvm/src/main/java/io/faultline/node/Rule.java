package io.faultline.node;

import io.faultline.records.Kind;
import io.faultline.records.Signal;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * What a metric of a certain name and labels measures.
 *
 * @param metric regular expression that matches the whole metric name
 * @param labels regular expressions that match the whole value of the label of that name
 * @param signal null = other
 * @param unit UCUM unit of the samples as sent; null = none
 * @param kind null = gauge
 * @param drop the series is not wanted at all
 * @param as which value derived of a histogram the rule speaks of: rate, mean or p95; null = any
 */
public record Rule(
    String metric,
    Map<String, String> labels,
    @Nullable Signal signal,
    @Nullable String unit,
    @Nullable Kind kind,
    boolean drop,
    @Nullable String as)
    implements Serializable {

  /**
   * The rule as the job's configuration has it. Throws IllegalArgumentException with the reason.
   */
  public static Rule parse(JsonNode json) {
    if (!json.path("metric").isTextual()) {
      throw new IllegalArgumentException("rule without a metric: " + json);
    }
    Map<String, String> labels = new LinkedHashMap<>();
    json.path("labels")
        .fields()
        .forEachRemaining(e -> labels.put(e.getKey(), e.getValue().asText()));
    return new Rule(
        json.path("metric").asText(),
        labels,
        signal(text(json, "signal")),
        text(json, "unit"),
        kind(text(json, "kind")),
        json.path("drop").asBoolean(false),
        text(json, "as"));
  }

  /** All rules of a JSON array, in order; none where it is missing or null. */
  public static List<Rule> parseAll(JsonNode array) {
    List<Rule> rules = new ArrayList<>();
    array.forEach(json -> rules.add(parse(json)));
    return rules;
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
