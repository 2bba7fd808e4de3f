package io.faultline.cli;

import io.faultline.config.ConfigException;
import io.faultline.config.Json;
import io.faultline.graph.GraphConfig;
import io.faultline.node.NodeConfig;
import io.faultline.node.Rule;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.MissingNode;

/**
 * What {@link Patterns} is asked for.
 *
 * @param patterns pattern models as JSON
 * @param rules signal rules as JSON, null = none
 * @param tickMs length of a tick, ms; 60,000 unless said
 * @param windowTicks ticks of a snapshot; 10 unless said
 * @param outOfOrdernessMs how far event time stays behind the latest sample, ms; 0 unless said
 */
record PatternsRequest(
    List<JsonNode> patterns,
    @Nullable JsonNode rules,
    @Nullable Long tickMs,
    @Nullable Integer windowTicks,
    @Nullable Long outOfOrdernessMs,
    List<Run> runs) {

  /**
   * One stream of samples, fed in this order.
   *
   * @param samples native sample objects
   * @param edges native edge objects, known from the start; for patterns of graphs
   */
  record Run(String name, List<JsonNode> samples, @Nullable List<JsonNode> edges) {
    Run {
      if (name == null || samples == null) {
        throw new ConfigException("a run needs \"name\" and \"samples\"");
      }
    }
  }

  private static final long EDGE_TTL_MS = 3_600_000;
  private static final int MOST_NODES = 20_000;

  PatternsRequest {
    if (patterns == null || runs == null) {
      throw new ConfigException("the request needs \"patterns\" and \"runs\"");
    }
    Set<String> names = new HashSet<>();
    for (Run run : runs) {
      if (!names.add(run.name())) {
        throw new ConfigException("runs: there are two of name '" + run.name() + "'");
      }
    }
    outOfOrdernessMs = outOfOrdernessMs == null ? Long.valueOf(0) : outOfOrdernessMs;
    if (outOfOrdernessMs < 0) {
      throw new ConfigException("out_of_orderness_ms: at least 0 is wanted");
    }
  }

  static PatternsRequest read(byte[] json) {
    return Json.read(json, PatternsRequest.class, "request");
  }

  GraphConfig graphs() {
    return new GraphConfig(
        tickMs == null ? 60_000 : tickMs,
        Map.of(),
        windowTicks == null ? 10 : windowTicks,
        EDGE_TTL_MS,
        MOST_NODES,
        patterns.stream().map(JsonNode::toString).toList(),
        NodeConfig.Limits.DEFAULT.partialsPerKey(),
        true);
  }

  NodeConfig nodes() {
    return new NodeConfig(
        tickMs == null ? 60_000 : tickMs,
        Map.of(),
        windowTicks == null ? 10 : windowTicks,
        Rule.parseAll(rules == null ? MissingNode.getInstance() : rules),
        patterns.stream().map(JsonNode::toString).toList(),
        true,
        NodeConfig.Limits.DEFAULT);
  }
}
