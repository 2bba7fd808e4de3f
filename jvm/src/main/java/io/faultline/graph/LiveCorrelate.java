package io.faultline.graph;

import io.faultline.cep.CompiledPattern;
import io.faultline.cep.LivePattern;
import io.faultline.config.LimitsConfig;
import io.faultline.control.LiveFunction;
import io.faultline.control.PatternControl;
import io.faultline.records.GraphEvent;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;

/**
 * {@link Correlate} with patterns that change. Keyed state is the same in both, so a job may be
 * restored as the other.
 */
public final class LiveCorrelate extends LiveFunction<GraphEvent, Row> {
  private static final long serialVersionUID = 1L;

  private final GraphConfig config;
  private final LimitsConfig limits;
  private transient GraphWork work;

  /**
   * @param limits the share of a subtask's time that one pattern may take
   */
  public LiveCorrelate(GraphConfig config, LimitsConfig limits) {
    super(Correlate.AUDIT);
    this.config = config;
    this.limits = limits;
  }

  @Override
  protected PatternControl begin(BroadcastState<String, String> patterns) throws Exception {
    work = new GraphWork(config, getRuntimeContext());
    return new PatternControl(
        patterns,
        config.patterns(),
        getRuntimeContext(),
        "correlate",
        GraphWork::hosts,
        false,
        limits);
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
      GraphEvent event, TimerService timers, Consumer<String> told, Collector<Row> out)
      throws Exception {
    work.event(event, timers, told, out);
  }

  @Override
  protected void timer(long time, TimerService timers, Consumer<String> told, Collector<Row> out)
      throws Exception {
    work.timer(time, timers, told, out);
  }
}
