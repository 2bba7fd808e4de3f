package io.faultline.decode;

import java.util.Map;
import javax.annotation.Nullable;

/** One resource and one scope of it, with the metrics seen there. */
final class OtlpScope {
  private final Map<String, String> resource;
  private final Map<String, String> labels;
  private final BytesMap<OtlpMetric> metrics = new BytesMap<>();
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

  @Nullable
  OtlpMetric metric(byte[] buffer, int from, int to) {
    return metrics.get(buffer, from, to);
  }

  void keep(byte[] buffer, int from, int to, OtlpMetric metric) {
    metrics.put(buffer, from, to, metric);
    cache.count();
  }

  String intern(String name) {
    return cache.intern(name);
  }

  void count() {
    cache.count();
  }
}
