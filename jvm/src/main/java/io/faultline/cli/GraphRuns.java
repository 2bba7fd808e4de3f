package io.faultline.cli;

import io.faultline.cep.CompiledPattern;
import io.faultline.cep.Event;
import io.faultline.cep.KeyRuns;
import io.faultline.cep.LivePattern;
import io.faultline.cep.Refusal;
import io.faultline.graph.GraphConfig;
import io.faultline.graph.GraphRun;
import io.faultline.records.Edge;
import io.faultline.records.NodeFrame;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** The graphs of one run, for its patterns keyed by graph. */
final class GraphRuns {
  private final Consumer<byte[]> matches;
  private final BiConsumer<KeyRuns, Event> onlooker;
  private final Map<String, GraphRun> graphs = new TreeMap<>();
  private final boolean any;

  /** Of no graph: has the patterns of all. */
  private final GraphRun none;

  /**
   * @param matches takes what patterns keyed by graph find
   * @param onlooker is shown what they are about to see; may change them then
   */
  GraphRuns(GraphConfig config, Consumer<byte[]> matches, BiConsumer<KeyRuns, Event> onlooker) {
    this.matches = matches;
    this.onlooker = onlooker;
    this.none = new GraphRun(config, "");
    this.any = none.hasPatterns();
  }

  List<Refusal> refused() {
    return none.refused();
  }

  /** The patterns keyed by graph that run. */
  List<CompiledPattern> patterns() {
    return none.patterns();
  }

  /** Runs these patterns from now on. */
  void use(List<LivePattern> patterns) {
    none.use(patterns);
  }

  /**
   * @param edges native edge objects
   */
  void edges(List<JsonNode> edges) {
    for (JsonNode edge : edges) {
      edge(
          new Edge(
              edge.path("graph").asText(),
              edge.path("source").asText(),
              edge.path("target").asText(),
              edge.path("time").asLong(),
              edge.path("kind").textValue(),
              edge.path("ttl").asLong(-1)));
    }
  }

  void edge(Edge edge) {
    if (any) {
      of(edge.graph()).edge(edge);
    }
  }

  private GraphRun of(String graph) {
    return graphs.computeIfAbsent(graph, this::begin);
  }

  private GraphRun begin(String graph) {
    GraphRun run = none.beside(graph);
    run.onSight(onlooker);
    return run;
  }

  /** A node's frame: from these it is told which nodes have fallen silent. */
  void frame(NodeFrame frame) {
    if (any) {
      of(frame.graph()).frame(frame);
    }
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
