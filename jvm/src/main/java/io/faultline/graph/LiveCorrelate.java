package io.faultline.graph;

import io.faultline.control.PatternControl;
import io.faultline.records.GraphEvent;
import java.util.function.Consumer;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;

/**
 * {@link Correlate} with patterns that change: those of the configuration at first, then what the
 * control topic says. Keyed state is the same in both, so a job may be restored as the other.
 */
public final class LiveCorrelate extends KeyedBroadcastProcessFunction<String, GraphEvent, Row, Row>
    implements CheckpointedFunction {
  private static final long serialVersionUID = 1L;

  private final GraphConfig config;
  private transient BroadcastState<String, String> state;
  private transient GraphWork work;
  private transient PatternControl control;
  private transient Object latest;
  private transient Consumer<String> audit;

  public LiveCorrelate(GraphConfig config) {
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
    work = new GraphWork(config, getRuntimeContext());
    control =
        new PatternControl(
            state, config.patterns(), getRuntimeContext(), "correlate", GraphWork::hosts, false);
    work.use(control.hosted());
  }

  @Override
  public void processElement(GraphEvent event, ReadOnlyContext context, Collector<Row> out)
      throws Exception {
    control.announce(audit(context));
    work.event(event, context.timerService(), audit, out);
  }

  @Override
  public void processBroadcastElement(Row record, Context context, Collector<Row> out)
      throws Exception {
    Consumer<String> answers = json -> context.output(Correlate.AUDIT, json);
    if (control.apply(record, context.currentWatermark(), answers)) {
      work.use(control.hosted());
    }
  }

  @Override
  public void onTimer(long time, OnTimerContext context, Collector<Row> out) throws Exception {
    if (control.expire(context.currentWatermark())) {
      work.use(control.hosted());
    }
    work.timer(time, context.timerService(), audit(context), out);
  }

  private Consumer<String> audit(ReadOnlyContext context) {
    if (context != latest) {
      latest = context;
      audit = json -> context.output(Correlate.AUDIT, json);
    }
    return audit;
  }
}
