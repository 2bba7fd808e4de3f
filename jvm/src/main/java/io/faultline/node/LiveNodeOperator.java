package io.faultline.node;

import io.faultline.cep.LivePattern;
import io.faultline.config.Json;
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
  private transient NodeWork work;

  public LiveNodeOperator(NodeConfig config) {
    super(NodeOperator.AUDIT);
    this.config = config;
  }

  @Override
  protected PatternControl begin(BroadcastState<String, String> patterns) throws Exception {
    work = new NodeWork(config, getRuntimeContext());
    Iterable<JsonNode> configured =
        config.patterns().stream()
            .map(text -> Json.read(text, JsonNode.class, "patterns"))
            .toList();
    return new PatternControl(
        patterns, configured, getRuntimeContext(), "node", NodeWork::hosts, true);
  }

  @Override
  protected void use(List<LivePattern> patterns) {
    work.use(patterns);
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
