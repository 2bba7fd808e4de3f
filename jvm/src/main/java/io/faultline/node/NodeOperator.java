package io.faultline.node;

import io.faultline.cep.PatternMetrics;
import io.faultline.cep.Refusal;
import io.faultline.records.Block;
import io.faultline.records.Edge;
import io.faultline.records.GraphEvent;
import io.faultline.records.NodeFrame;
import io.faultline.records.SeriesKey;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fused operator: normalise, detect, frame. Keyed by {@link Block#key()}. Blocks wait for the
 * watermark inside the node's one state object; each node has at most one timer. A node that stays
 * silent for {@value #FORGET_AFTER_MS} ms is forgotten.
 */
public final class NodeOperator extends KeyedProcessFunction<String, Block, GraphEvent> {
  /** JSON objects: what was late, what changed its level. */
  public static final OutputTag<String> AUDIT = new OutputTag<>("node-audit", Types.STRING);

  static final long FORGET_AFTER_MS = 24 * 3_600_000L;
  private static final Logger LOG = LoggerFactory.getLogger(NodeOperator.class);
  private static final long serialVersionUID = 1L;

  private final NodeConfig config;
  private transient NodeProcessor processor;
  private transient ValueState<NodeState> states;
  private transient Output output;

  public NodeOperator(NodeConfig config) {
    this.config = config;
  }

  @Override
  public void open(OpenContext context) {
    processor = new NodeProcessor(config);
    MetricGroup metrics = getRuntimeContext().getMetricGroup();
    output = new Output(new Counts(metrics), new UnmappedNames(metrics));
    states =
        getRuntimeContext()
            .getState(new ValueStateDescriptor<>("node", NodeStateSerializer.INSTANCE));
    PatternMetrics.register(getRuntimeContext().getMetricGroup(), processor.patterns());
    for (Refusal refusal : processor.refused()) {
      output.add("patterns_refused");
      refusal.warn(LOG);
    }
  }

  @Override
  public void processElement(Block block, Context context, Collector<GraphEvent> out)
      throws Exception {
    output.begin(context, out);
    if (block.time() <= context.timerService().currentWatermark()) {
      output.late(block);
      return;
    }
    NodeState state = states.value();
    if (state == null) {
      state = new NodeState(block.graph(), block.node());
    }
    processor.buffer(state, block);
    schedule(state, Math.min(state.timer, block.time()), context.timerService());
    states.update(state);
  }

  @Override
  public void onTimer(long time, OnTimerContext context, Collector<GraphEvent> out)
      throws Exception {
    NodeState state = states.value();
    if (state == null || state.timer != time) {
      return;
    }
    output.begin(context, out);
    state.timer = Long.MAX_VALUE;
    output.node = state;
    processor.advance(state, time, output);
    long next = processor.nextTimer(state);
    if (next == Long.MAX_VALUE && time >= state.time + FORGET_AFTER_MS) {
      output.add("nodes_forgotten");
      states.clear();
      return;
    }
    next = next == Long.MAX_VALUE ? state.time + FORGET_AFTER_MS : next;
    schedule(state, next, context.timerService());
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

    private final Counts counts;
    private final UnmappedNames unmapped;
    private Context context;
    private Collector<GraphEvent> out;

    /** The node at hand. */
    private NodeState node;

    Output(Counts counts, UnmappedNames unmapped) {
      this.counts = counts;
      this.unmapped = unmapped;
    }

    void begin(Context newContext, Collector<GraphEvent> newOut) {
      context = newContext;
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
    }

    @Override
    public void adopted(NodeState state, SeriesKey series, long time) {
      counts.add("baseline_adopted");
      context.output(AUDIT, audit("baseline_adopted", state, series, time).toString());
    }

    @Override
    public void noted(NodeState state, SeriesKey series, long time, String reason) {
      context.output(AUDIT, audit(reason, state, series, time).toString());
    }

    /** Told once per name: a user needs to see what to map, not how often it comes. */
    @Override
    public void unmapped(SeriesKey series) {
      counts.add("series_without_rule");
      if (unmapped.count(series.metric())) {
        ObjectNode json = audit("unmapped", node.graph(), node.node(), node.time);
        json.put("metric", series.metric());
        json.set("labels", JSON.valueToTree(series.labelMap()));
        context.output(AUDIT, json.toString());
      }
    }

    void late(Block block) {
      counts.add("late_blocks");
      counts.add("late_samples", block.size());
      ObjectNode json = audit("late", block.graph(), block.node(), block.time());
      context.output(AUDIT, json.put("samples", block.size()).toString());
    }

    private static ObjectNode audit(String type, NodeState state, SeriesKey series, long time) {
      ObjectNode json = audit(type, state.graph(), state.node(), time);
      json.put("metric", series.metric()).put("peer", series.peer());
      json.set("labels", JSON.valueToTree(series.labelMap()));
      return json;
    }

    private static ObjectNode audit(String type, String graph, String node, long time) {
      ObjectNode json = JSON.createObjectNode();
      return json.put("type", type).put("graph", graph).put("node", node).put("time", time);
    }
  }
}
