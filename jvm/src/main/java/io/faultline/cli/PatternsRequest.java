package io.faultline.cli;

import io.faultline.config.ConfigException;
import io.faultline.config.Json;
import io.faultline.graph.GraphConfig;
import io.faultline.node.NodeConfig;
import io.faultline.node.Rule;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
 * @param automata whether the patterns' automata are described; false unless said
 */
record PatternsRequest(
    List<JsonNode> patterns,
    @Nullable JsonNode rules,
    @Nullable Long tickMs,
    @Nullable Integer windowTicks,
    @Nullable Long outOfOrdernessMs,
    @Nullable Boolean automata,
    List<Run> runs) {

  /**
   * One stream of samples, fed in this order: those given, or those of a recording.
   *
   * @param samples native sample objects
   * @param edges native edge objects, known from the start; for patterns of graphs
   * @param recording folder of a recording, in place of samples and edges
   * @param tickMs as the request's, for this run
   * @param outOfOrdernessMs as the request's, for this run
   * @param patterns which of the request's patterns run, by place from 0; all unless said
   * @param trace whether the partial matches at each sample are told; false unless said
   */
  record Run(
      String name,
      @Nullable List<JsonNode> samples,
      @Nullable List<JsonNode> edges,
      @Nullable String recording,
      @Nullable Long tickMs,
      @Nullable Long outOfOrdernessMs,
      @Nullable List<Integer> patterns,
      @Nullable Boolean trace) {
    Run {
      if (name == null || (samples == null) == (recording == null)) {
        throw new ConfigException("a run needs \"name\" and \"samples\" (or \"recording\")");
      }
      edges = edges == null ? List.of() : edges;
    }

    boolean isTraced() {
      return Boolean.TRUE.equals(trace);
    }
  }

  private static final long EDGE_TTL_MS = 3_600_000;
  private static final int MOST_NODES = 20_000;

  PatternsRequest {
    if (patterns == null || runs == null) {
      throw new ConfigException("the request needs \"patterns\" and \"runs\"");
    }
    tickMs = tickMs == null ? Long.valueOf(60_000) : tickMs;
    windowTicks = windowTicks == null ? Integer.valueOf(10) : windowTicks;
    outOfOrdernessMs = outOfOrdernessMs == null ? Long.valueOf(0) : outOfOrdernessMs;
    Set<String> names = new HashSet<>();
    for (Run run : runs) {
      if (!names.add(run.name())) {
        throw new ConfigException("runs: there are two of name '" + run.name() + "'");
      }
      check(run, patterns.size());
    }
    if (outOfOrdernessMs < 0) {
      throw new ConfigException("out_of_orderness_ms: at least 0 is wanted");
    }
  }

  private static void check(Run run, int patterns) {
    if (run.outOfOrdernessMs() != null && run.outOfOrdernessMs() < 0) {
      throw new ConfigException("out_of_orderness_ms: at least 0 is wanted");
    }
    for (int place : run.patterns() == null ? List.<Integer>of() : run.patterns()) {
      if (place < 0 || place >= patterns) {
        throw new ConfigException("run '" + run.name() + "': there is no pattern " + place);
      }
    }
  }

  static PatternsRequest read(byte[] json) {
    return Json.read(json, PatternsRequest.class, "request");
  }

  long outOfOrderness(Run run) {
    return Objects.requireNonNullElse(run.outOfOrdernessMs(), outOfOrdernessMs);
  }

  private long tick(Run run) {
    return Objects.requireNonNullElse(run.tickMs(), tickMs);
  }

  /** The patterns of a run, as JSON. */
  List<String> patterns(Run run) {
    return run.patterns() == null
        ? patterns.stream().map(JsonNode::toString).toList()
        : run.patterns().stream().map(place -> patterns.get(place).toString()).toList();
  }

  GraphConfig graphs(Run run) {
    return new GraphConfig(
        tick(run),
        Map.of(),
        windowTicks,
        EDGE_TTL_MS,
        MOST_NODES,
        patterns(run),
        NodeConfig.Limits.DEFAULT.partialsPerKey(),
        true,
        Integer.MAX_VALUE,
        Map.of());
  }

  List<Rule> signalRules() {
    return Rule.parseAll(rules == null ? MissingNode.getInstance() : rules);
  }

  NodeConfig nodes(Run run, List<Rule> signalRules) {
    return new NodeConfig(
        tick(run),
        Map.of(),
        windowTicks,
        signalRules,
        patterns(run),
        true,
        NodeConfig.Limits.DEFAULT);
  }
}
