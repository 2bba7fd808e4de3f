package io.faultline.node;

import io.faultline.records.Block;
import io.faultline.records.Kind;
import io.faultline.records.Layout;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/** Short forms of what tests begin with. */
final class Given {
  static final long T0 = 1_767_225_600_000L;
  static final long TICK = 10_000;

  private Given() {}

  static NodeConfig config(String... patterns) {
    return config(List.of(), patterns);
  }

  static NodeConfig config(List<Rule> rules, String... patterns) {
    return new NodeConfig(
        TICK, Map.of(), 10, rules, List.of(patterns), false, NodeConfig.Limits.DEFAULT);
  }

  /** Rules, each as JSON. */
  static List<Rule> rules(String... json) {
    try {
      return Rule.parseAll(new ObjectMapper().readTree("[" + String.join(",", json) + "]"));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  static SeriesKey gauge(String metric, Signal signal, String unit) {
    return new SeriesKey(metric, "", null, Side.UNSAID, Kind.GAUGE, signal, unit);
  }

  static SeriesKey counter(String metric) {
    return new SeriesKey(metric, "", null, Side.UNSAID, Kind.COUNTER, null, null);
  }

  static SeriesKey edge(String metric, String peer, Side side, Signal signal, String unit) {
    return new SeriesKey(metric, "", peer, side, Kind.GAUGE, signal, unit);
  }

  static Block block(long time, SeriesKey key, double value) {
    return new Block("shop", "cart", time, Layout.of(key), new double[] {value}, null);
  }

  static Block block(long time, Layout layout, double... values) {
    return new Block("shop", "cart", time, layout, values, null);
  }

  static NodeState state() {
    return new NodeState("shop", "cart");
  }
}
