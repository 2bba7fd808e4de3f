package io.faultline.node;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * What the fused operator needs of the job's configuration.
 *
 * @param tickMs length of a tick, ms
 * @param graphTicks the same for single graphs
 * @param windowTicks ticks of a snapshot: values wait so long before they enter a baseline
 * @param rules signal rules, first match wins
 * @param patterns pattern models as JSON
 * @param timeouts whether partial matches that ran out of time are told
 * @param limits bounds of one node's state
 * @param edges how edges follow from series that have a peer
 * @param spreadTicks whether the ticks of a graph end at a moment of its own, so that not all
 *     graphs are dealt with at once
 */
public record NodeConfig(
    long tickMs,
    Map<String, Long> graphTicks,
    int windowTicks,
    List<Rule> rules,
    List<String> patterns,
    boolean timeouts,
    Limits limits,
    EdgePolicy edges,
    boolean spreadTicks)
    implements Serializable {

  /**
   * Bounds of one node's state.
   *
   * @param partialsPerKey most partial matches of one key and pattern
   * @param seriesPerNode most series
   */
  public record Limits(int partialsPerKey, int seriesPerNode) implements Serializable {
    public static final Limits DEFAULT = new Limits(1000, 2000);
  }

  /** With the usual edges, all ticks at multiples of their length. */
  public NodeConfig(
      long tickMs,
      Map<String, Long> graphTicks,
      int windowTicks,
      List<Rule> rules,
      List<String> patterns,
      boolean timeouts,
      Limits limits) {
    this(
        tickMs,
        graphTicks,
        windowTicks,
        rules,
        patterns,
        timeouts,
        limits,
        EdgePolicy.DEFAULT,
        false);
  }

  public NodeConfig {
    if (windowTicks < 1 || windowTicks > Baseline.LONGEST_WINDOW) {
      throw new IllegalArgumentException(
          "window_ticks must be 1 to " + Baseline.LONGEST_WINDOW + ", not " + windowTicks);
    }
    if (tickMs < 1) {
      throw new IllegalArgumentException("tick_ms must be positive, not " + tickMs);
    }
    graphTicks = new LinkedHashMap<>(graphTicks);
    rules = new ArrayList<>(rules);
    patterns = new ArrayList<>(patterns);
  }

  /** Reads the configuration of the job: tick_ms, graph_ticks, window_ticks, rules, ... */
  public static NodeConfig parse(JsonNode json) {
    Map<String, Long> ticks = new LinkedHashMap<>();
    json.path("graph_ticks")
        .fields()
        .forEachRemaining(e -> ticks.put(e.getKey(), e.getValue().asLong()));
    List<String> patterns = new ArrayList<>();
    json.path("patterns").forEach(pattern -> patterns.add(pattern.toString()));
    JsonNode limits = json.path("limits");
    return new NodeConfig(
        json.path("tick_ms").asLong(60_000),
        ticks,
        json.path("window_ticks").asInt(10),
        Rule.parseAll(json.path("rules")),
        patterns,
        json.path("timeouts").asBoolean(false),
        new Limits(
            limits.path("partials_per_key").asInt(Limits.DEFAULT.partialsPerKey()),
            limits.path("series_per_node").asInt(Limits.DEFAULT.seriesPerNode())),
        EdgePolicy.parse(json),
        json.path("spread_ticks").asBoolean(false));
  }

  /** Length of a tick of this graph, ms. */
  public long tickMs(String graph) {
    return graphTicks.getOrDefault(graph, tickMs);
  }

  /** The ticks of this graph. */
  Ticks ticks(String graph) {
    long length = tickMs(graph);
    return new Ticks(length, spreadTicks ? Ticks.phase(graph, length) : 0);
  }
}
