package io.faultline.node;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/** A Flink counter per reason. */
public final class Counts implements Tally {
  private final MetricGroup group;
  private final Map<String, Counter> counters = new HashMap<>();

  public Counts(MetricGroup group) {
    this.group = group;
  }

  @Override
  public void add(String reason) {
    add(reason, 1);
  }

  public void add(String reason, long count) {
    counters.computeIfAbsent(reason, group::counter).inc(count);
  }
}
