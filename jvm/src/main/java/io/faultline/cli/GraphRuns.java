package io.faultline.cli;

import io.faultline.cep.Refusal;
import io.faultline.graph.GraphConfig;
import io.faultline.graph.GraphRun;
import io.faultline.records.Edge;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** The graphs of one run, for its patterns keyed by graph. */
final class GraphRuns {
  private final GraphConfig config;
  private final Consumer<byte[]> matches;
  private final Map<String, GraphRun> graphs = new TreeMap<>();
  private final boolean any;
  private final List<Refusal> refused;

  /**
   * @param matches takes what patterns keyed by graph find
   */
  GraphRuns(GraphConfig config, Consumer<byte[]> matches) {
    this.config = config;
    this.matches = matches;
    GraphRun none = new GraphRun(config, "");
    this.any = none.hasPatterns();
    this.refused = none.refused();
  }

  List<Refusal> refused() {
    return refused;
  }

  /**
   * @param edges native edge objects
   */
  void edges(List<JsonNode> edges) {
    for (JsonNode edge : any ? edges : List.<JsonNode>of()) {
      String graph = edge.path("graph").asText();
      of(graph)
          .edge(
              new Edge(
                  graph,
                  edge.path("source").asText(),
                  edge.path("target").asText(),
                  edge.path("time").asLong(),
                  edge.path("kind").textValue(),
                  edge.path("ttl").asLong(-1)));
    }
  }

  private GraphRun of(String graph) {
    return graphs.computeIfAbsent(graph, name -> new GraphRun(config, name));
  }

  /** A match of a pattern that is keyed by series or node. */
  void match(String graph, long time, byte[] json) {
    if (any) {
      of(graph).match(graph, time, json);
    }
  }

  /** Lets event time pass. */
  void advance(long time) {
    for (GraphRun graph : graphs.values()) {
      if (time == Long.MAX_VALUE) {
        graph.end();
      } else {
        graph.advance(time);
      }
      graph.graphMatches().forEach(matches);
      graph.forget();
    }
  }
}
