package io.faultline.config;

import java.io.Serializable;
import javax.annotation.Nullable;

/**
 * Bounds of what is kept per key, beyond which it is dropped and counted, and of one pattern's
 * time.
 *
 * @param patternTimeShare the share of a subtask's time that one pattern may take, above 0; only
 *     where patterns change while the job runs
 * @param patternTimeWindowMs over which that is looked at, ms of the machine's clock
 */
public record LimitsConfig(
    @Nullable Integer partialsPerKey,
    @Nullable Integer seriesPerNode,
    @Nullable Integer nodesPerGraph,
    @Nullable Integer matchesPerTick,
    @Nullable Double patternTimeShare,
    @Nullable Long patternTimeWindowMs)
    implements Serializable {
  public static final LimitsConfig DEFAULT = new LimitsConfig(null, null, null, null, null, null);

  private static final double TIME_SHARE = 0.8;
  private static final long TIME_WINDOW_MS = 60_000;

  public LimitsConfig {
    partialsPerKey = positive(partialsPerKey, 1_000, "partials_per_key");
    seriesPerNode = positive(seriesPerNode, 2_000, "series_per_node");
    nodesPerGraph = positive(nodesPerGraph, 20_000, "nodes_per_graph");
    matchesPerTick = positive(matchesPerTick, 2_000, "matches_per_tick");
    patternTimeShare = patternTimeShare == null ? Double.valueOf(TIME_SHARE) : patternTimeShare;
    patternTimeWindowMs =
        patternTimeWindowMs == null ? Long.valueOf(TIME_WINDOW_MS) : patternTimeWindowMs;
    if (!(patternTimeShare > 0)) {
      throw new ConfigException(
          "pattern_time_share: more than 0 is wanted, found " + patternTimeShare);
    }
    if (patternTimeWindowMs < 1) {
      throw new ConfigException(
          "pattern_time_window_ms: at least 1 is wanted, found " + patternTimeWindowMs);
    }
  }

  private static Integer positive(@Nullable Integer value, int otherwise, String key) {
    if (value != null && value < 1) {
      throw new ConfigException(key + ": at least 1 is wanted, found " + value);
    }
    return value == null ? otherwise : value;
  }
}
