package io.faultline.graph;

import io.faultline.cep.CompiledPattern;
import io.faultline.cep.LivePattern;
import io.faultline.cep.PatternMetrics;
import io.faultline.cep.PatternModel;
import io.faultline.cep.Refusal;
import io.faultline.node.Counts;
import io.faultline.node.Told;
import io.faultline.records.GraphEvent;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@code correlate} does for one graph at a time, with the state of Flink's current key. Each
 * graph has at most one timer. A graph that was silent for {@value GraphAssembler#FORGET_AFTER_MS}
 * ms after its last edge ended is forgotten.
 */
final class GraphWork {
  private static final Logger LOG = LoggerFactory.getLogger(GraphWork.class);

  private final GraphAssembler assembler;
  private final PatternMetrics patternMetrics;
  private final ValueState<GraphState> states;
  private final Output output;

  GraphWork(GraphConfig config, RuntimeContext runtime) {
    assembler = new GraphAssembler(config);
    output = new Output(new Counts(runtime.getMetricGroup()));
    states = runtime.getState(new ValueStateDescriptor<>("graph", GraphStateSerializer.INSTANCE));
    patternMetrics = new PatternMetrics(runtime.getMetricGroup());
    GraphPatterns patterns = assembler.patterns();
    patternMetrics.show(patterns.patterns());
    for (Refusal refusal : patterns.refused()) {
      output.add("patterns_refused");
      refusal.warn(LOG);
    }
  }

  /** Whether patterns of this key run here. */
  static boolean hosts(PatternModel.Key key) {
    return key == PatternModel.Key.GRAPH;
  }

  /** Runs these patterns from now on. */
  void use(List<LivePattern> patterns) {
    assembler.patterns().use(patterns);
    patternMetrics.show(assembler.patterns().patterns());
  }

  /** An event of the current key. */
  void event(GraphEvent event, TimerService timers, Consumer<String> audit, Collector<Row> out)
      throws IOException {
    output.begin(event.graph(), audit, out);
    GraphState state = states.value();
    if (state == null) {
      state = new GraphState(event.graph());
    }
    assembler.add(state, event, timers.currentWatermark(), output);
    keep(state, timers, false);
  }

  /** Event time reached a timer of the current key. */
  void timer(long time, TimerService timers, Consumer<String> audit, Collector<Row> out)
      throws IOException {
    GraphState state = states.value();
    if (state == null || state.timer != time) {
      return;
    }
    output.begin(state.graph, audit, out);
    state.timer = Long.MAX_VALUE;
    assembler.advance(state, time, ended(timers), output);
    keep(state, timers, true);
  }

  /** Keeps the state and its timer, or forgets it where nothing has come for long. */
  private void keep(GraphState state, TimerService timers, boolean mayForget) throws IOException {
    long next = assembler.nextTimer(state, ended(timers));
    boolean asleep = next == Long.MAX_VALUE && !ended(timers);
    if (asleep && (mayForget || state.timer == Long.MAX_VALUE)) {
      next = assembler.forgetAt(state);
      if (next <= timers.currentWatermark()) {
        forget(state, timers);
        return;
      }
    }
    if (!asleep || state.timer == Long.MAX_VALUE) {
      schedule(state, next, timers);
    }
    states.update(state);
  }

  private void forget(GraphState state, TimerService timers) {
    if (state.timer != Long.MAX_VALUE) {
      timers.deleteEventTimeTimer(state.timer);
    }
    if (state.lastTick != GraphState.NEVER) {
      output.add("graphs_forgotten");
    }
    states.clear();
  }

  private static boolean ended(TimerService timers) {
    return timers.currentWatermark() == Long.MAX_VALUE;
  }

  private static void schedule(GraphState state, long next, TimerService timers) {
    if (next == state.timer) {
      return;
    }
    if (state.timer != Long.MAX_VALUE) {
      timers.deleteEventTimeTimer(state.timer);
    }
    if (next != Long.MAX_VALUE) {
      timers.registerEventTimeTimer(next);
    }
    state.timer = next;
  }

  /** Emits downstream, to the audit, and into metrics. */
  private static final class Output implements GraphOutput {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final Set<String> BOUNDS =
        Set.of("node_refused", "match_refused", "edge_evicted");

    private final Counts counts;
    private final Told told = new Told();
    private String graph;
    private Consumer<String> audit;
    private Collector<Row> out;

    Output(Counts counts) {
      this.counts = counts;
    }

    void begin(String newGraph, Consumer<String> newAudit, Collector<Row> newOut) {
      graph = newGraph;
      audit = newAudit;
      out = newOut;
    }

    @Override
    public void frame(long time, byte[] row) {
      counts.add("frame_rows");
      out.collect(Row.of(graph, "frame", time, row));
    }

    @Override
    public void match(long time, byte[] json) {
      counts.add("matches_passed");
      out.collect(Row.of(graph, "match", time, json));
    }

    @Override
    public void add(String reason) {
      counts.add(reason);
      long count = BOUNDS.contains(reason) ? told.count(graph, reason) : 0;
      if (count > 0) {
        audit.accept(
            JSON.createObjectNode()
                .put("type", "bounded")
                .put("graph", graph)
                .put("reason", reason)
                .put("count", count)
                .toString());
      }
    }

    @Override
    public void contained(CompiledPattern pattern, String reason, long count) {
      audit.accept(
          JSON.createObjectNode()
              .put("type", "pattern_contained")
              .put("graph", graph)
              .put("pattern", pattern.model().id())
              .put("version", pattern.model().version())
              .put("reason", reason)
              .put("count", count)
              .toString());
    }

    @Override
    public void late(String node, long time) {
      counts.add("late_frames");
      audit.accept(
          JSON.createObjectNode()
              .put("type", "late_frame")
              .put("graph", graph)
              .put("node", node)
              .put("time", time)
              .toString());
    }
  }
}
