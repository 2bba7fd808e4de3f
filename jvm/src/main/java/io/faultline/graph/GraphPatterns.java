package io.faultline.graph;

import io.faultline.cep.Calls;
import io.faultline.cep.CepEngine;
import io.faultline.cep.CepSettings;
import io.faultline.cep.CompiledPattern;
import io.faultline.cep.Containment;
import io.faultline.cep.Event;
import io.faultline.cep.GraphMatchJson;
import io.faultline.cep.GraphSight;
import io.faultline.cep.LivePattern;
import io.faultline.cep.MatchJson;
import io.faultline.cep.MatchOutput;
import io.faultline.cep.PatternModel;
import io.faultline.cep.PatternReader;
import io.faultline.cep.Refusal;
import io.faultline.records.Edge;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Patterns keyed by graph: over the matches of other patterns, over edges that appear, and over
 * nodes that fall silent. Without state of its own; not thread-safe.
 */
final class GraphPatterns implements MatchOutput {
  private final List<Refusal> refused = new ArrayList<>();
  private final GraphConfig config;
  private final Containment containment = new Containment();
  private CepEngine engine;
  private boolean any;

  /** Graph and output of the call at hand. */
  private String graph;

  private GraphOutput out;

  GraphPatterns(GraphConfig config) {
    this.config = config;
    List<PatternModel> models =
        PatternReader.readAll(config.patterns(), new ArrayList<>()).stream()
            .filter(model -> model.key() == PatternModel.Key.GRAPH)
            .toList();
    engine = new CepEngine(models, new CepSettings(config.partialsPerKey(), config.timeouts()));
    refused.addAll(engine.refused());
    any = !engine.patterns().isEmpty();
  }

  /** Runs these patterns from now on. */
  void use(List<LivePattern> patterns) {
    engine = engine.withLive(patterns);
    any = !engine.patterns().isEmpty();
  }

  /** Patterns that do not run, and why. */
  List<Refusal> refused() {
    return refused;
  }

  List<CompiledPattern> patterns() {
    return engine.patterns();
  }

  /** Whether there is any such pattern. */
  boolean any() {
    return any;
  }

  /** A match or timeout of another pattern, ready at this time. */
  void match(GraphState state, long time, byte[] json, GraphOutput output) {
    if (any) {
      GraphSight sight = GraphMatchJson.read(json, time, calls(state, time));
      if (sight != null) {
        show(state, sight, output);
      }
    }
  }

  /** An edge that was not there before this time. */
  void appeared(GraphState state, long moment, Edge edge, GraphOutput output) {
    if (any) {
      // What a tick told came at its end, which may be a millisecond ahead.
      long time = Math.max(moment, state.lastTick);
      Calls calls = calls(state, time);
      String graph = state.graph;
      show(
          state,
          new GraphSight(
              GraphSight.Kind.EDGE, time, graph, edge.target(), edge.source(), null, calls),
          output);
    }
  }

  /**
   * A node that has told nothing of itself for one more of its usual gaps, while others went on.
   *
   * @param time end of the tick
   */
  void silent(GraphState state, long time, String node, Presence presence, GraphOutput output) {
    if (any) {
      Calls calls = calls(state, time);
      show(
          state,
          GraphSight.silent(time, state.graph, node, presence.missed(), presence.last(), calls),
          output);
    }
  }

  private static Calls calls(GraphState state, long time) {
    return new LiveCalls(state.topology, time);
  }

  private void show(GraphState state, GraphSight sight, GraphOutput output) {
    begin(state, output);
    output.sight(state.runs, sight);
    engine.event(state.runs, sight, this);
  }

  private void begin(GraphState state, GraphOutput output) {
    graph = state.graph;
    out = output;
  }

  /** Lets event time pass for partial matches. */
  void advance(GraphState state, long time, GraphOutput output) {
    begin(state, output);
    engine.advance(state.runs, time, this);
  }

  /** When a partial match next runs out of time; Long.MAX_VALUE = never. */
  long nextTimer(GraphState state) {
    return any || !state.runs.isEmpty() ? engine.nextTimer(state.runs) : Long.MAX_VALUE;
  }

  @Override
  public void match(CompiledPattern pattern, Map<String, List<Event>> seen, long readyAt) {
    tell(pattern, MatchJson.Kind.MATCH, seen, readyAt);
  }

  @Override
  public void timeout(CompiledPattern pattern, Map<String, List<Event>> seen, long readyAt) {
    tell(pattern, MatchJson.Kind.TIMEOUT, seen, readyAt);
  }

  private void tell(
      CompiledPattern pattern, MatchJson.Kind kind, Map<String, List<Event>> seen, long readyAt) {
    long end = Math.min(config.endOf(graph), out.inputEnd());
    if (readyAt > end && pattern.isToldBySilence(kind)) {
      out.add("silent_after_end");
      return;
    }
    out.add("graph_matches");
    out.graphMatch(
        readyAt, GraphMatchJson.render(pattern.model(), pattern.isDryRun(), kind, seen, readyAt));
  }

  @Override
  public void evicted(CompiledPattern pattern, int partials) {
    out.add(Containment.EVICTED);
    tellOf(pattern, Containment.EVICTED, pattern.stats().evicted());
  }

  @Override
  public void failed(CompiledPattern pattern, Exception cause) {
    out.add(Containment.FAILED);
    tellOf(pattern, Containment.FAILED, pattern.stats().failed());
  }

  private void tellOf(CompiledPattern pattern, String reason, long count) {
    if (containment.isWorthTelling(pattern, reason, count)) {
      out.contained(pattern, reason, count);
    }
  }
}
