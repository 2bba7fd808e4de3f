package io.faultline.node;

import io.faultline.records.Block;
import io.faultline.records.GraphEvent;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * The fused operator: normalise, detect, frame. Keyed by {@link Block#key()}. Its patterns are
 * those of the configuration.
 *
 * @see LiveNodeOperator
 */
public final class NodeOperator extends KeyedProcessFunction<String, Block, GraphEvent> {
  /** JSON objects: what was late, what changed its level, which patterns are live. */
  public static final OutputTag<String> AUDIT = new OutputTag<>("node-audit", Types.STRING);

  static final long FORGET_AFTER_MS = NodeWork.FORGET_AFTER_MS;
  private static final long serialVersionUID = 1L;

  private final NodeConfig config;
  private transient NodeWork work;

  public NodeOperator(NodeConfig config) {
    this.config = config;
  }

  @Override
  public void open(OpenContext context) {
    work = new NodeWork(config, getRuntimeContext());
  }

  @Override
  public void processElement(Block block, Context context, Collector<GraphEvent> out)
      throws Exception {
    work.block(block, context.timerService(), json -> context.output(AUDIT, json), out);
  }

  @Override
  public void onTimer(long time, OnTimerContext context, Collector<GraphEvent> out)
      throws Exception {
    work.timer(time, context.timerService(), json -> context.output(AUDIT, json), out);
  }
}
