package io.faultline.node;

import io.faultline.records.SeriesKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.annotation.Nullable;

/**
 * A series' name as rules see it.
 *
 * @param metric as sent or derived
 * @param histogram name of the histogram that it is a part of, or would be if it were a counter;
 *     null = its name is not that of a part
 * @param as which value of the histogram it is: rate, mean or p95
 */
record SeriesName(String metric, @Nullable String histogram, String as) {
  static final String RATE = "rate";
  private static final String MEAN = "mean";
  private static final String P95 = "p95";
  private static final String BUCKET_LABEL = "le";
  private static final String TELEGRAF = "prometheus_";
  private static final List<String> TELEGRAF_FIELDS = List.of("_counter", "_gauge", "_value");

  /** Name of a series that was sent. */
  static SeriesName sent(SeriesKey key) {
    return new SeriesName(key.metric(), role(key) == Role.PLAIN ? null : base(key.metric()), RATE);
  }

  /** Name of a mean or quantile. */
  static SeriesName derived(String metric, Role role) {
    return new SeriesName(metric, base(metric), role == Role.MEAN ? MEAN : P95);
  }

  /**
   * What a counter of this name is of its histogram; plain where its name is not that of a part.
   */
  static Role role(SeriesKey key) {
    String metric = key.metric();
    if (metric.endsWith("_count")) {
      return Role.COUNT;
    }
    if (metric.endsWith("_sum")) {
      return Role.SUM;
    }
    return metric.endsWith("_bucket") && key.label(BUCKET_LABEL) != null ? Role.BUCKET : Role.PLAIN;
  }

  /** A histogram's own name: without the last underscore and what follows. */
  static String base(String metric) {
    return metric.substring(0, metric.lastIndexOf('_'));
  }

  /**
   * The name without what Telegraf adds to those it took from Prometheus or statsd; null where it
   * adds nothing.
   */
  @Nullable
  SeriesName original() {
    if (metric.startsWith(TELEGRAF)) {
      String of = histogram == null ? null : histogram.substring(TELEGRAF.length());
      return new SeriesName(metric.substring(TELEGRAF.length()), of, as);
    }
    for (String suffix : TELEGRAF_FIELDS) {
      if (metric.endsWith(suffix)) {
        return new SeriesName(metric.substring(0, metric.length() - suffix.length()), null, as);
      }
    }
    return null;
  }

  /** Every text that a rule's expression may be held against. */
  List<String> spellings() {
    List<String> all = new ArrayList<>(6);
    for (String one : Arrays.asList(metric, histogram, sum())) {
      if (one != null) {
        all.add(one);
        all.add(SeriesKey.underscored(one));
      }
    }
    return all;
  }

  /** For a mean or quantile, the name of the sum, which rules may be written for; else null. */
  @Nullable
  String sum() {
    return as.equals(RATE) ? null : histogram + "_sum";
  }
}
