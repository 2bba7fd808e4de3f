package io.faultline.decode;

import java.util.Map;
import javax.annotation.Nullable;

/** One resource and one scope of it, with the metrics seen there. */
final class OtlpScope {
  private final Map<String, String> resource;
  private final Map<String, String> labels;
  private final BytesMap<OtlpMetric> metrics = new BytesMap<>();
  private final BytesMap<OtlpMetric> scattered = new BytesMap<>();
  private final OtlpCache cache;

  OtlpScope(Map<String, String> resource, Map<String, String> labels, OtlpCache cache) {
    this.resource = resource;
    this.labels = labels;
    this.cache = cache;
  }

  Map<String, String> resource() {
    return resource;
  }

  /** Labels that every series here carries. */
  Map<String, String> labels() {
    return labels;
  }

  /**
   * The metric that came after the last one, if these bytes begin with its header: what it says
   * before its data, and the tag of the data. Null where it must be looked up.
   */
  @Nullable
  OtlpMetric guess(byte[] buffer, int from, int to) {
    return metrics.guess(buffer, from, to);
  }

  /** The metric with that header. */
  @Nullable
  OtlpMetric withHeader(byte[] buffer, int from, int to) {
    return metrics.get(buffer, from, to);
  }

  void keepHeader(byte[] buffer, int from, int to, OtlpMetric metric) {
    metrics.put(buffer, from, to, metric);
    cache.count();
  }

  /** The metric of that name, of those that say something after their data. */
  @Nullable
  OtlpMetric withName(byte[] buffer, int from, int to) {
    return scattered.get(buffer, from, to);
  }

  void keepName(byte[] buffer, int from, int to, OtlpMetric metric) {
    scattered.put(buffer, from, to, metric);
    cache.count();
  }

  String intern(String name) {
    return cache.intern(name);
  }

  void count() {
    cache.count();
  }
}
