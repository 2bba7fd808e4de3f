package io.faultline.node;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * Series of which no rule says what they measure, counted by metric name: {@code unmapped.<name>}.
 * The first {@value #MOST} names only; further ones are counted together.
 */
final class UnmappedNames {
  static final int MOST = 500;
  private static final String FURTHER = "further_names";

  private final MetricGroup group;
  private final Map<String, Counter> names = new HashMap<>();

  UnmappedNames(MetricGroup parent) {
    group = parent.addGroup("unmapped");
  }

  /** Counts a series; true where its name is new and counted by itself. */
  boolean count(String metric) {
    boolean full = names.size() >= MOST && !names.containsKey(metric);
    String name = full ? FURTHER : metric;
    boolean fresh = !full && !names.containsKey(name);
    names.computeIfAbsent(name, group::counter).inc();
    return fresh;
  }
}
