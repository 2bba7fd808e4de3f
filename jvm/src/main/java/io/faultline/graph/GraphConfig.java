package io.faultline.graph;

import io.faultline.config.Json;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * What {@code correlate} needs of the job's configuration.
 *
 * @param tickMs length of a tick, ms
 * @param graphTicks the same for single graphs
 * @param windowTicks most empty ticks after a graph fell silent
 * @param edgeTtlMs how long a sighting of an edge counts where it does not say, ms
 * @param nodesPerGraph most nodes of one graph
 * @param patternTexts pattern models as JSON; those keyed by graph run here
 * @param partialsPerKey most partial matches of one graph and pattern
 * @param timeouts whether all partial matches that ran out of time are told
 * @param matchesPerTick most matches of one graph that a tick passes on
 * @param graphEnds when the input of a graph ends, ms UTC: silence after that says nothing
 */
public record GraphConfig(
    long tickMs,
    Map<String, Long> graphTicks,
    int windowTicks,
    long edgeTtlMs,
    int nodesPerGraph,
    List<String> patternTexts,
    int partialsPerKey,
    boolean timeouts,
    int matchesPerTick,
    Map<String, Long> graphEnds)
    implements Serializable {
  private static final int MOST_NODES = 20_000;
  private static final int MOST_MATCHES = 2_000;
  private static final long HOUR_MS = 3_600_000;

  public GraphConfig {
    graphTicks = new LinkedHashMap<>(graphTicks);
    graphEnds = new LinkedHashMap<>(graphEnds);
    patternTexts = new ArrayList<>(patternTexts);
  }

  /** Without patterns. */
  public GraphConfig(
      long tickMs,
      Map<String, Long> graphTicks,
      int windowTicks,
      long edgeTtlMs,
      int nodesPerGraph) {
    this(
        tickMs,
        graphTicks,
        windowTicks,
        edgeTtlMs,
        nodesPerGraph,
        List.of(),
        1000,
        false,
        MOST_MATCHES,
        Map.of());
  }

  /** The patterns as JSON. */
  List<JsonNode> patterns() {
    return patternTexts.stream().map(text -> Json.read(text, JsonNode.class, "patterns")).toList();
  }

  /**
   * Reads the configuration of the job: tick_ms, graph_ticks, window_ticks, edge_ttl_ms, limits.
   */
  public static GraphConfig parse(JsonNode json) {
    return new GraphConfig(
        json.path("tick_ms").asLong(60_000),
        Json.longs(json.path("graph_ticks")),
        json.path("window_ticks").asInt(10),
        json.path("edge_ttl_ms").asLong(HOUR_MS),
        json.path("limits").path("nodes_per_graph").asInt(MOST_NODES),
        texts(json.path("patterns")),
        json.path("limits").path("partials_per_key").asInt(1000),
        json.path("timeouts").asBoolean(false),
        json.path("limits").path("matches_per_tick").asInt(MOST_MATCHES),
        Json.longs(json.path("graph_ends")));
  }

  private static List<String> texts(JsonNode patterns) {
    List<String> texts = new ArrayList<>();
    patterns.forEach(pattern -> texts.add(pattern.toString()));
    return texts;
  }

  /** When the input of this graph ends, ms UTC; Long.MAX_VALUE = it does not. */
  long endOf(String graph) {
    return graphEnds.getOrDefault(graph, Long.MAX_VALUE);
  }

  /** Length of a tick of this graph, ms. */
  public long tickMs(String graph) {
    return graphTicks.getOrDefault(graph, tickMs);
  }
}
