package io.faultline.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;

class UnmappedNamesTest {
  private final Map<String, Counter> counters = new HashMap<>();

  /** Keeps its counters by name. */
  private final class Kept extends UnregisteredMetricsGroup {
    @Override
    public MetricGroup addGroup(String name) {
      return this;
    }

    @Override
    public Counter counter(String name) {
      return counters.computeIfAbsent(name, n -> new SimpleCounter());
    }
  }

  private final UnmappedNames names = new UnmappedNames(new Kept());

  @Test
  void aNameIsNewOnceAndCountedAlways() {
    assertTrue(names.count("cart_items"));
    assertFalse(names.count("cart_items"));
    assertTrue(names.count("cart_size"));
    assertEquals(2, counters.get("cart_items").getCount());
    assertEquals(1, counters.get("cart_size").getCount());
  }

  @Test
  void namesBeyondTheBoundAreCountedTogether() {
    for (int i = 0; i < UnmappedNames.MOST; i++) {
      assertTrue(names.count("m" + i));
    }
    assertFalse(names.count("one_more"));
    assertFalse(names.count("another"));
    assertFalse(names.count("m3"));
    assertEquals(2, counters.get("further_names").getCount());
    assertEquals(2, counters.get("m3").getCount());
    assertEquals(UnmappedNames.MOST + 1, counters.size());
  }
}
