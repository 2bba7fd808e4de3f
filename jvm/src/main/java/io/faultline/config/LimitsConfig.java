package io.faultline.config;

import java.io.Serializable;
import javax.annotation.Nullable;

/** Bounds of what is kept per key; what goes beyond is counted. */
public record LimitsConfig(
    @Nullable Integer partialsPerKey,
    @Nullable Integer seriesPerNode,
    @Nullable Integer nodesPerGraph,
    @Nullable Integer matchesPerTick)
    implements Serializable {

  public LimitsConfig {
    partialsPerKey = positive(partialsPerKey, 1_000, "partials_per_key");
    seriesPerNode = positive(seriesPerNode, 2_000, "series_per_node");
    nodesPerGraph = positive(nodesPerGraph, 20_000, "nodes_per_graph");
    matchesPerTick = positive(matchesPerTick, 2_000, "matches_per_tick");
  }

  private static Integer positive(@Nullable Integer value, int otherwise, String key) {
    if (value != null && value < 1) {
      throw new ConfigException(key + ": at least 1 is wanted, found " + value);
    }
    return value == null ? otherwise : value;
  }
}
