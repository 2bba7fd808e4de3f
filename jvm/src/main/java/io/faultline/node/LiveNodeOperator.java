package io.faultline.node;

import io.faultline.config.Json;
import io.faultline.control.PatternControl;
import io.faultline.records.Block;
import io.faultline.records.GraphEvent;
import java.util.function.Consumer;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;

/**
 * {@link NodeOperator} with patterns that change: those of the configuration at first, then what
 * the control topic says. Keyed state is the same in both, so a job may be restored as the other.
 */
public final class LiveNodeOperator
    extends KeyedBroadcastProcessFunction<String, Block, Row, GraphEvent>
    implements CheckpointedFunction {
  private static final long serialVersionUID = 1L;

  private final NodeConfig config;
  private transient BroadcastState<String, String> state;
  private transient NodeWork work;
  private transient PatternControl control;
  private transient Object latest;
  private transient Consumer<String> audit;

  public LiveNodeOperator(NodeConfig config) {
    this.config = config;
  }

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    state = context.getOperatorStateStore().getBroadcastState(PatternControl.STATE);
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) {
    // Broadcast state is written as it changes.
  }

  @Override
  public void open(OpenContext context) throws Exception {
    work = new NodeWork(config, getRuntimeContext());
    Iterable<JsonNode> configured =
        config.patterns().stream()
            .map(text -> Json.read(text, JsonNode.class, "patterns"))
            .toList();
    control =
        new PatternControl(state, configured, getRuntimeContext(), "node", NodeWork::hosts, true);
    work.use(control.hosted());
  }

  @Override
  public void processElement(Block block, ReadOnlyContext context, Collector<GraphEvent> out)
      throws Exception {
    control.announce(audit(context));
    work.block(block, context.timerService(), audit, out);
  }

  @Override
  public void processBroadcastElement(Row record, Context context, Collector<GraphEvent> out)
      throws Exception {
    Consumer<String> answers = json -> context.output(NodeOperator.AUDIT, json);
    if (control.apply(record, context.currentWatermark(), answers)) {
      work.use(control.hosted());
    }
  }

  @Override
  public void onTimer(long time, OnTimerContext context, Collector<GraphEvent> out)
      throws Exception {
    if (control.expire(context.currentWatermark())) {
      work.use(control.hosted());
    }
    work.timer(time, context.timerService(), audit(context), out);
  }

  private Consumer<String> audit(ReadOnlyContext context) {
    if (context != latest) {
      latest = context;
      audit = json -> context.output(NodeOperator.AUDIT, json);
    }
    return audit;
  }
}
