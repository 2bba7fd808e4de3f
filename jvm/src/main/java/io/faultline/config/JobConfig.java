package io.faultline.config;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * What {@code Entry.sources} takes.
 *
 * @param graph graph of records that name none; null = "default"
 * @param tickMs length of a tick, ms
 * @param graphTicks length of a tick by graph, ms
 * @param spreadTicks whether the ticks of a graph end at a moment of its own
 * @param outOfOrdernessMs how far event time stays behind the latest record, ms
 * @param idleAfterMs a partition silent for so long (wall clock) no longer holds back event time
 * @param maxFutureMs a record further ahead of its Kafka timestamp is a dead letter, ms
 * @param edgeTtlMs how long an edge counts that says nothing of it, ms
 * @param edgeSide whose count is an edge's traffic and errors where both ends count: server or
 *     client
 * @param windowTicks ticks in the model's window, T
 * @param rules signal rules as JSON, read by the normaliser
 * @param timeouts whether partial matches that ran out of time are told
 * @param patterns pattern models as JSON, read by the pattern engine
 * @param name of the job, for logs and ids
 * @param control where patterns that change are read; null = they do not
 * @param feedback where verdicts on incidents are read; null = nowhere
 */
public record JobConfig(
    List<SourceConfig> sources,
    @Nullable String graph,
    @Nullable Long tickMs,
    Map<String, Long> graphTicks,
    boolean spreadTicks,
    @Nullable Long outOfOrdernessMs,
    @Nullable Long idleAfterMs,
    @Nullable Long maxFutureMs,
    @Nullable Long edgeTtlMs,
    @Nullable String edgeSide,
    @Nullable Integer windowTicks,
    List<JsonNode> rules,
    boolean timeouts,
    List<JsonNode> patterns,
    LimitsConfig limits,
    String name,
    @Nullable ControlConfig control,
    @Nullable ControlConfig feedback)
    implements Serializable {

  public static final String DEFAULT_GRAPH = "default";
  private static final Set<String> SIDES = Set.of("server", "client");

  public JobConfig {
    if (sources == null || sources.isEmpty()) {
      throw new ConfigException("sources: at least one source is wanted");
    }
    sources = List.copyOf(sources);
    graph = graph == null || graph.isBlank() ? DEFAULT_GRAPH : graph.trim();
    tickMs = atLeast(tickMs, 1, 60_000L, "tick_ms");
    graphTicks = graphTicks == null ? Map.of() : Map.copyOf(graphTicks);
    graphTicks.forEach((of, tick) -> atLeast(tick, 1, 1, "graph_ticks." + of));
    outOfOrdernessMs = atLeast(outOfOrdernessMs, 0, 0L, "out_of_orderness_ms");
    idleAfterMs = atLeast(idleAfterMs, 1, 30_000L, "idle_after_ms");
    maxFutureMs = atLeast(maxFutureMs, 0, 300_000L, "max_future_ms");
    edgeTtlMs = atLeast(edgeTtlMs, 1, 3_600_000L, "edge_ttl_ms");
    edgeSide = edgeSide == null ? "server" : edgeSide;
    if (!SIDES.contains(edgeSide)) {
      throw new ConfigException("edge_side: server or client is wanted, found " + edgeSide);
    }
    windowTicks =
        (int)
            (long) atLeast(windowTicks == null ? null : (long) windowTicks, 1, 10L, "window_ticks");
    rules = rules == null ? List.of() : List.copyOf(rules);
    patterns = patterns == null ? List.of() : List.copyOf(patterns);
    limits = limits == null ? new LimitsConfig(null, null, null, null) : limits;
    name = name == null ? "faultline" : name;
  }

  /** Reads the JSON of {@code Entry.sources}. */
  public static JobConfig read(String json) {
    return Json.read(json, JobConfig.class, "config");
  }

  private static Long atLeast(@Nullable Long value, long least, long otherwise, String key) {
    if (value != null && value < least) {
      throw new ConfigException(key + ": at least " + least + " is wanted, found " + value);
    }
    return value == null ? Long.valueOf(otherwise) : value;
  }
}
