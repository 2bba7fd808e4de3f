package io.faultline.graph;

import io.faultline.cep.PatternMetrics;
import io.faultline.cep.Refusal;
import io.faultline.node.Counts;
import io.faultline.records.GraphEvent;
import java.io.IOException;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keyed by graph: a row per tick with the frames of all nodes, and the graph's matches, in order of
 * event time. Each graph has at most one timer. A graph that was silent for {@value
 * GraphAssembler#FORGET_AFTER_MS} ms after its last edge ended is forgotten.
 */
public final class Correlate extends KeyedProcessFunction<String, GraphEvent, Row> {
  /** JSON objects: what came too late. */
  public static final OutputTag<String> AUDIT = new OutputTag<>("graph-audit", Types.STRING);

  /** graph, kind ("frame" or "match"), time in ms UTC, payload. */
  public static final TypeInformation<Row> ROW =
      Types.ROW_NAMED(
          new String[] {"graph", "kind", "time", "payload"},
          Types.STRING,
          Types.STRING,
          Types.LONG,
          PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

  private static final Logger LOG = LoggerFactory.getLogger(Correlate.class);
  private static final long serialVersionUID = 1L;

  private final GraphConfig config;
  private transient GraphAssembler assembler;
  private transient ValueState<GraphState> states;
  private transient Output output;

  public Correlate(GraphConfig config) {
    this.config = config;
  }

  @Override
  public void open(OpenContext context) {
    assembler = new GraphAssembler(config);
    output = new Output(new Counts(getRuntimeContext().getMetricGroup()));
    states =
        getRuntimeContext()
            .getState(new ValueStateDescriptor<>("graph", GraphStateSerializer.INSTANCE));
    GraphPatterns patterns = assembler.patterns();
    PatternMetrics.register(getRuntimeContext().getMetricGroup(), patterns.patterns());
    for (Refusal refusal : patterns.refused()) {
      output.add("patterns_refused");
      LOG.warn(
          "event=pattern_refused pattern={} version={} reason=\"{}\"",
          refusal.pattern(),
          refusal.version(),
          refusal.reason());
    }
  }

  @Override
  public void processElement(GraphEvent event, Context context, Collector<Row> out)
      throws Exception {
    output.begin(event.graph(), context, out);
    GraphState state = states.value();
    if (state == null) {
      state = new GraphState(event.graph());
    }
    TimerService timers = context.timerService();
    assembler.add(state, event, timers.currentWatermark(), output);
    keep(state, timers, false);
  }

  @Override
  public void onTimer(long time, OnTimerContext context, Collector<Row> out) throws Exception {
    GraphState state = states.value();
    if (state == null || state.timer != time) {
      return;
    }
    output.begin(state.graph, context, out);
    TimerService timers = context.timerService();
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

    private final Counts counts;
    private String graph;
    private Context context;
    private Collector<Row> out;

    Output(Counts counts) {
      this.counts = counts;
    }

    void begin(String newGraph, Context newContext, Collector<Row> newOut) {
      graph = newGraph;
      context = newContext;
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
    }

    @Override
    public void late(String node, long time) {
      counts.add("late_frames");
      String audit =
          JSON.createObjectNode()
              .put("type", "late_frame")
              .put("graph", graph)
              .put("node", node)
              .put("time", time)
              .toString();
      context.output(AUDIT, audit);
    }
  }
}
