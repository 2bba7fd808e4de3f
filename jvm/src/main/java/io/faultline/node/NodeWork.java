package io.faultline.node;

import io.faultline.cep.CompiledPattern;
import io.faultline.cep.LivePattern;
import io.faultline.cep.PatternMetrics;
import io.faultline.cep.PatternModel;
import io.faultline.cep.Refusal;
import io.faultline.records.Block;
import io.faultline.records.Edge;
import io.faultline.records.GraphEvent;
import io.faultline.records.NodeFrame;
import io.faultline.records.SeriesKey;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.util.Collector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the fused operator does for one node at a time, with the state of Flink's current key.
 * Blocks wait for the watermark inside the node's one state object; each node has at most one
 * timer. A node that stays silent for {@value #FORGET_AFTER_MS} ms is forgotten.
 */
final class NodeWork {
  static final long FORGET_AFTER_MS = 24 * 3_600_000L;

  /** Timers after which it is looked whether conditions went wrong. */
  private static final int WATCH_EVERY = 256;

  private static final Logger LOG = LoggerFactory.getLogger(NodeWork.class);

  private final NodeProcessor processor;
  private final PatternMetrics patternMetrics;
  private final ValueState<NodeState> states;
  private final Output output;
  private long timersSeen;

  NodeWork(NodeConfig config, RuntimeContext runtime) {
    processor = new NodeProcessor(config);
    MetricGroup metrics = runtime.getMetricGroup();
    output = new Output(new Counts(metrics), new UnmappedNames(metrics));
    states = runtime.getState(new ValueStateDescriptor<>("node", NodeStateSerializer.INSTANCE));
    patternMetrics = new PatternMetrics(metrics);
    patternMetrics.show(processor.patterns());
    for (Refusal refusal : processor.refused()) {
      output.add("patterns_refused");
      refusal.warn(LOG);
    }
  }

  /** Whether patterns of this key run here. */
  static boolean hosts(PatternModel.Key key) {
    return key == PatternModel.Key.SERIES || key == PatternModel.Key.NODE;
  }

  /** Runs these patterns from now on. */
  void use(List<LivePattern> patterns) {
    processor.use(patterns);
    patternMetrics.show(processor.patterns());
  }

  /** A block of the current key. */
  void block(Block block, TimerService timers, Consumer<String> audit, Collector<GraphEvent> out)
      throws IOException {
    output.begin(audit, out);
    if (block.time() <= timers.currentWatermark()) {
      output.late(block);
      return;
    }
    NodeState state = states.value();
    if (state == null) {
      state = new NodeState(block.graph(), block.node());
    }
    processor.buffer(state, block);
    schedule(state, Math.min(state.timer, block.time()), timers);
    states.update(state);
  }

  /** Event time reached a timer of the current key. */
  void timer(long time, TimerService timers, Consumer<String> audit, Collector<GraphEvent> out)
      throws IOException {
    NodeState state = states.value();
    if (state == null || state.timer != time) {
      return;
    }
    output.begin(audit, out);
    state.timer = Long.MAX_VALUE;
    output.node = state;
    processor.advance(state, time, output);
    if (timersSeen++ % WATCH_EVERY == 0) {
      processor.watch(output);
    }
    long next = processor.nextTimer(state);
    if (next == Long.MAX_VALUE && time >= state.time + FORGET_AFTER_MS) {
      output.add("nodes_forgotten");
      states.clear();
      return;
    }
    next = next == Long.MAX_VALUE ? state.time + FORGET_AFTER_MS : next;
    schedule(state, next, timers);
    states.update(state);
  }

  /** Replaces the node's timer. */
  private static void schedule(NodeState state, long time, TimerService timers) {
    if (time == state.timer) {
      return;
    }
    if (state.timer != Long.MAX_VALUE) {
      timers.deleteEventTimeTimer(state.timer);
    }
    timers.registerEventTimeTimer(time);
    state.timer = time;
  }

  /** Emits downstream, to the audit, and into metrics. */
  private static final class Output implements NodeOutput {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final Set<String> BOUNDS = Set.of("series_refused", "series_evicted");

    private final Counts counts;
    private final Told told = new Told();
    private final UnmappedNames unmapped;
    private Consumer<String> audit;
    private Collector<GraphEvent> out;

    /** The node at hand. */
    private NodeState node;

    Output(Counts counts, UnmappedNames unmapped) {
      this.counts = counts;
      this.unmapped = unmapped;
    }

    void begin(Consumer<String> newAudit, Collector<GraphEvent> newOut) {
      audit = newAudit;
      out = newOut;
    }

    @Override
    public void frame(NodeFrame frame) {
      counts.add("frames");
      out.collect(GraphEvent.of(frame));
    }

    @Override
    public void called(Edge edge) {
      counts.add("edges");
      out.collect(GraphEvent.of(edge));
    }

    @Override
    public void match(String graph, long time, byte[] json) {
      out.collect(GraphEvent.ofMatch(graph, time, json));
    }

    @Override
    public void add(String reason) {
      counts.add(reason);
      long count = BOUNDS.contains(reason) ? told.count(node.graph(), reason) : 0;
      if (count > 0) {
        ObjectNode json = line("bounded", node.graph(), node.node(), node.time);
        audit.accept(json.put("reason", reason).put("count", count).toString());
      }
    }

    @Override
    public void adopted(NodeState state, SeriesKey series, long time) {
      counts.add("baseline_adopted");
      audit.accept(line("baseline_adopted", state, series, time).toString());
    }

    @Override
    public void noted(NodeState state, SeriesKey series, long time, String reason) {
      audit.accept(line(reason, state, series, time).toString());
    }

    @Override
    public void contained(CompiledPattern pattern, String reason, long count) {
      ObjectNode json = line("pattern_contained", node.graph(), node.node(), node.time);
      json.put("pattern", pattern.model().id()).put("version", pattern.model().version());
      audit.accept(json.put("reason", reason).put("count", count).toString());
    }

    /** Told once per name: a user needs to see what to map, not how often it comes. */
    @Override
    public void unmapped(SeriesKey series) {
      counts.add("series_without_rule");
      if (unmapped.count(series.metric())) {
        ObjectNode json = line("unmapped", node.graph(), node.node(), node.time);
        json.put("metric", series.metric());
        json.set("labels", JSON.valueToTree(series.labelMap()));
        audit.accept(json.toString());
      }
    }

    void late(Block block) {
      counts.add("late_blocks");
      counts.add("late_samples", block.size());
      ObjectNode json = line("late", block.graph(), block.node(), block.time());
      audit.accept(json.put("samples", block.size()).toString());
    }

    private static ObjectNode line(String type, NodeState state, SeriesKey series, long time) {
      ObjectNode json = line(type, state.graph(), state.node(), time);
      json.put("metric", series.metric()).put("peer", series.peer());
      json.set("labels", JSON.valueToTree(series.labelMap()));
      return json;
    }

    private static ObjectNode line(String type, String graph, String node, long time) {
      ObjectNode json = JSON.createObjectNode();
      return json.put("type", type).put("graph", graph).put("node", node).put("time", time);
    }
  }
}
