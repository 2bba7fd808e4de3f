package io.faultline.node;

import io.faultline.cep.CepEngine;
import io.faultline.cep.CepSettings;
import io.faultline.cep.CompiledPattern;
import io.faultline.cep.Containment;
import io.faultline.cep.Event;
import io.faultline.cep.KeyRuns;
import io.faultline.cep.LivePattern;
import io.faultline.cep.MatchJson;
import io.faultline.cep.MatchOutput;
import io.faultline.cep.PatternModel;
import io.faultline.cep.PatternReader;
import io.faultline.cep.Refusal;
import io.faultline.cep.SampleEvent;
import io.faultline.cep.SeriesRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;

/** Shows normalised samples to the patterns. One thread, one node at a time. */
final class Detector implements MatchOutput {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final NodeConfig config;
  private final Containment containment = new Containment();
  private CepEngine engine;
  private final List<Refusal> refused = new ArrayList<>();
  private final SampleEvent event = new SampleEvent();
  private boolean idle;

  /** Node and output of the call at hand. */
  private NodeState state;

  private NodeOutput out;

  Detector(NodeConfig config) {
    this.config = config;
    List<PatternModel> models = new ArrayList<>();
    for (PatternModel model : PatternReader.readAll(patterns(config), refused)) {
      switch (model.key()) {
        case SERIES, NODE -> models.add(model);
        case ROW ->
            refused.add(
                new Refusal(model.id(), model.version(), "'key' is 'row': it is for CEP.pattern"));
        case GRAPH -> {} // Runs where the graph's matches come together.
      }
    }
    engine =
        new CepEngine(models, new CepSettings(config.limits().partialsPerKey(), config.timeouts()));
    refused.addAll(engine.refused());
    idle = engine.patterns().isEmpty();
  }

  private static ArrayNode patterns(NodeConfig config) {
    ArrayNode all = JSON.createArrayNode();
    try {
      for (String pattern : config.patterns()) {
        all.add(JSON.readTree(pattern));
      }
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a pattern is not JSON: " + e.getOriginalMessage(), e);
    }
    return all;
  }

  /** Runs these patterns from now on. */
  void use(List<LivePattern> patterns) {
    engine = engine.withLive(patterns);
    idle = engine.patterns().isEmpty();
  }

  /** Patterns that do not run, and why. */
  List<Refusal> refused() {
    return refused;
  }

  /** The patterns that run. */
  List<CompiledPattern> patterns() {
    return engine.patterns();
  }

  /** A normalised sample, against the baseline as it is now. */
  void sample(NodeState node, Series series, long time, double value, NodeOutput output) {
    if (idle && !output.wantsSamples()) {
      return;
    }
    Resolved resolved = series.resolved;
    Baseline baseline = series.baseline;
    if (series.ref == null) {
      series.ref =
          new SeriesRef(node.graph, node.node, series.key, resolved.signal(), resolved.unit());
    }
    double median = baseline.median(resolved);
    event.set(
        series.ref,
        time,
        value,
        baseline.sampleZ(value, resolved),
        median,
        baseline.scale(resolved),
        value - median,
        baseline.rel(value, resolved));
    if (output.wantsSamples()) {
      output.sample(event);
    }
    begin(node, output);
    engine.event(node.runs, event, this);
  }

  /** Lets event time pass for the node's partial matches. */
  void advance(NodeState node, long time, NodeOutput output) {
    begin(node, output);
    engine.advance(node.runs, time, this);
  }

  /** When a partial match next runs out of time; Long.MAX_VALUE = never. */
  long nextTimer(KeyRuns runs) {
    return engine.nextTimer(runs);
  }

  private void begin(NodeState node, NodeOutput output) {
    state = node;
    out = output;
  }

  @Override
  public void match(CompiledPattern pattern, Map<String, List<Event>> samples, long readyAt) {
    tell(pattern, MatchJson.Kind.MATCH, samples, readyAt);
  }

  @Override
  public void timeout(CompiledPattern pattern, Map<String, List<Event>> samples, long readyAt) {
    tell(pattern, MatchJson.Kind.TIMEOUT, samples, readyAt);
  }

  private void tell(
      CompiledPattern pattern,
      MatchJson.Kind kind,
      Map<String, List<Event>> samples,
      long readyAt) {
    long end = Math.min(config.endOf(state.graph), out.inputEnd());
    if (readyAt > end && pattern.isToldBySilence(kind)) {
      out.add("silent_after_end");
      return;
    }
    if (kind == MatchJson.Kind.MATCH) {
      out.add("matches");
    }
    out.match(
        state.graph,
        readyAt,
        MatchJson.render(pattern.model(), pattern.isDryRun(), kind, samples, readyAt));
  }

  @Override
  public void evicted(CompiledPattern pattern, int partials) {
    out.add(Containment.EVICTED);
    tellOf(pattern, Containment.EVICTED, pattern.stats().evicted(), out);
  }

  @Override
  public void failed(CompiledPattern pattern, Exception cause) {
    out.add(Containment.FAILED);
    tellOf(pattern, Containment.FAILED, pattern.stats().failed(), out);
  }

  /**
   * Names the patterns whose conditions compute what there is not; nothing tells of it by itself.
   */
  void watch(NodeOutput output) {
    for (CompiledPattern pattern : engine.patterns()) {
      tellOf(pattern, Containment.UNDEFINED, pattern.stats().undefined(), output);
    }
  }

  private void tellOf(CompiledPattern pattern, String reason, long count, NodeOutput output) {
    if (count > 0 && containment.isWorthTelling(pattern, reason, count)) {
      output.contained(pattern, reason, count);
    }
  }
}
