package io.faultline.graph;

import io.faultline.cep.LivePattern;
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
  private transient GraphWork work;

  public LiveCorrelate(GraphConfig config) {
    super(Correlate.AUDIT);
    this.config = config;
  }

  @Override
  protected PatternControl begin(BroadcastState<String, String> patterns) throws Exception {
    work = new GraphWork(config, getRuntimeContext());
    return new PatternControl(
        patterns, config.patterns(), getRuntimeContext(), "correlate", GraphWork::hosts, false);
  }

  @Override
  protected void use(List<LivePattern> patterns) {
    work.use(patterns);
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
