package io.faultline.config;

import java.io.Serializable;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What a metric measures, for series that do not say it themselves; the first match wins.
 *
 * @param metric regular expression, full match
 * @param labels regular expressions that must match the labels of that name
 * @param derive rate, mean or p95: what is derived from a histogram
 */
public record RuleConfig(
    String metric,
    Map<String, String> labels,
    @Nullable String signal,
    @Nullable String unit,
    @Nullable String kind,
    boolean drop,
    @JsonProperty("as") @Nullable String derive)
    implements Serializable {

  public RuleConfig {
    if (metric == null || metric.isEmpty()) {
      throw new ConfigException("metric: is missing");
    }
    labels = labels == null ? Map.of() : Map.copyOf(labels);
  }
}
