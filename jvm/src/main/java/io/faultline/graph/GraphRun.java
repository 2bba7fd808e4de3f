package io.faultline.graph;

import io.faultline.cep.CompiledPattern;
import io.faultline.cep.Event;
import io.faultline.cep.KeyRuns;
import io.faultline.cep.LivePattern;
import io.faultline.cep.Refusal;
import io.faultline.node.NodeOutput;
import io.faultline.records.Edge;
import io.faultline.records.GraphEvent;
import io.faultline.records.NodeFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * One graph without Flink: collects what its nodes put out and packs it, in order of event time.
 * The caller gives edges and nodes' outputs before it lets the watermark pass.
 */
public final class GraphRun implements NodeOutput, GraphOutput {
  private final GraphAssembler assembler;
  private final GraphState state;
  private final List<byte[]> rows = new ArrayList<>();
  private final List<byte[]> matches = new ArrayList<>();
  private final List<byte[]> graphMatches = new ArrayList<>();
  private final Map<String, Long> counts = new TreeMap<>();
  private long watermark = Long.MIN_VALUE;
  private BiConsumer<KeyRuns, Event> onlooker = (runs, sight) -> {};

  public GraphRun(GraphConfig config, String graph) {
    this(new GraphAssembler(config), graph);
  }

  private GraphRun(GraphAssembler assembler, String graph) {
    this.assembler = assembler;
    this.state = new GraphState(graph);
  }

  /** Another graph with the same patterns, which count both and change for both. */
  public GraphRun beside(String graph) {
    return new GraphRun(assembler, graph);
  }

  /** Shows what the patterns keyed by graph are about to see, with their partial matches. */
  public void onSight(BiConsumer<KeyRuns, Event> newOnlooker) {
    onlooker = newOnlooker;
  }

  public void edge(Edge edge) {
    assembler.add(state, GraphEvent.of(edge), watermark, this);
  }

  /** Lets event time pass. */
  public void advance(long newWatermark) {
    watermark = newWatermark;
    assembler.advance(state, watermark, false, this);
  }

  /** What is told of it is held against the end of a recording by whoever reads it. */
  @Override
  public long inputEnd() {
    return Long.MAX_VALUE;
  }

  /** Packs what is left; silence after the end of the input means nothing. */
  public void end() {
    assembler.advance(state, Long.MAX_VALUE, true, this);
  }

  /** Patterns keyed by graph that do not run, and why. */
  public List<Refusal> refused() {
    return assembler.patterns().refused();
  }

  /** The patterns keyed by graph that run. */
  public List<CompiledPattern> patterns() {
    return assembler.patterns().patterns();
  }

  /** Runs these patterns from now on; what the graph holds of others goes. */
  public void use(List<LivePattern> patterns) {
    assembler.patterns().use(patterns);
  }

  /** Whether there is any pattern keyed by graph. */
  public boolean hasPatterns() {
    return assembler.patterns().any();
  }

  /** Frame rows so far, in order of time. */
  public List<byte[]> rows() {
    return rows;
  }

  /** Matches so far as UTF-8 JSON, in order of time. */
  public List<byte[]> matches() {
    return matches;
  }

  /** Matches so far of patterns keyed by graph. */
  public List<byte[]> graphMatches() {
    return graphMatches;
  }

  /** Drops what was put out so far. */
  public void forget() {
    rows.clear();
    matches.clear();
    graphMatches.clear();
  }

  /** What was dropped or decided silently, by reason. */
  public Map<String, Long> counts() {
    return counts;
  }

  @Override
  public void frame(NodeFrame frame) {
    assembler.add(state, GraphEvent.of(frame), watermark, this);
  }

  @Override
  public void called(Edge edge) {
    edge(edge);
  }

  @Override
  public void match(String graph, long time, byte[] json) {
    assembler.add(state, GraphEvent.ofMatch(graph, time, json), watermark, this);
  }

  @Override
  public void frame(long time, byte[] row) {
    rows.add(row);
  }

  @Override
  public void match(long time, byte[] json) {
    matches.add(json);
  }

  @Override
  public void graphMatch(long time, byte[] json) {
    graphMatches.add(json);
    match(time, json);
  }

  @Override
  public void sight(KeyRuns runs, Event sight) {
    onlooker.accept(runs, sight);
  }

  @Override
  public void add(String reason) {
    counts.merge(reason, 1L, Long::sum);
  }
}
