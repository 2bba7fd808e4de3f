package io.faultline.node;

import io.faultline.cep.CompiledPattern;
import io.faultline.cep.LivePattern;
import io.faultline.config.Json;
import io.faultline.config.LimitsConfig;
import io.faultline.control.LiveFunction;
import io.faultline.control.PatternControl;
import io.faultline.records.Block;
import io.faultline.records.GraphEvent;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.util.Collector;

/**
 * {@link NodeOperator} with patterns that change. Keyed state is the same in both, so a job may be
 * restored as the other.
 */
public final class LiveNodeOperator extends LiveFunction<Block, GraphEvent> {
  private static final long serialVersionUID = 1L;

  private final NodeConfig config;
  private final LimitsConfig limits;
  private transient NodeWork work;

  /**
   * @param limits the share of a subtask's time that one pattern may take
   */
  public LiveNodeOperator(NodeConfig config, LimitsConfig limits) {
    super(NodeOperator.AUDIT);
    this.config = config;
    this.limits = limits;
  }

  @Override
  protected PatternControl begin(BroadcastState<String, String> patterns) throws Exception {
    work = new NodeWork(config, getRuntimeContext());
    Iterable<JsonNode> configured =
        config.patterns().stream()
            .map(text -> Json.read(text, JsonNode.class, "patterns"))
            .toList();
    return new PatternControl(
        patterns, configured, getRuntimeContext(), "node", NodeWork::hosts, true, limits);
  }

  @Override
  protected void use(List<LivePattern> patterns) {
    work.use(patterns);
  }

  @Override
  protected List<CompiledPattern> running() {
    return work.running();
  }

  @Override
  protected void element(
      Block block, TimerService timers, Consumer<String> told, Collector<GraphEvent> out)
      throws Exception {
    work.block(block, timers, told, out);
  }

  @Override
  protected void timer(
      long time, TimerService timers, Consumer<String> told, Collector<GraphEvent> out)
      throws Exception {
    work.timer(time, timers, told, out);
  }
}
