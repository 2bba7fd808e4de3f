package io.faultline.control;

import io.faultline.cep.CompiledPattern;
import io.faultline.cep.LivePattern;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * A keyed operator whose patterns change: those of the configuration at first, then what the
 * control topic says.
 *
 * @param <I> its elements
 * @param <O> what it emits
 */
public abstract class LiveFunction<I, O> extends KeyedBroadcastProcessFunction<String, I, Row, O>
    implements CheckpointedFunction {
  private static final long serialVersionUID = 1L;

  private final OutputTag<String> audit;
  private transient BroadcastState<String, String> state;
  private transient PatternControl control;
  private transient TimeBudget budget;

  /**
   * @param audit where answers go, and what the work itself tells the audit
   */
  protected LiveFunction(OutputTag<String> audit) {
    this.audit = audit;
  }

  /** Makes the work, and says who controls its patterns. */
  protected abstract PatternControl begin(BroadcastState<String, String> patterns) throws Exception;

  /** From now on these patterns run. */
  protected abstract void use(List<LivePattern> patterns);

  /** The patterns that run, with what they have taken so far. */
  protected abstract List<CompiledPattern> running();

  protected abstract void element(
      I element, TimerService timers, Consumer<String> told, Collector<O> out) throws Exception;

  protected abstract void timer(
      long time, TimerService timers, Consumer<String> told, Collector<O> out) throws Exception;

  @Override
  public final void initializeState(FunctionInitializationContext context) throws Exception {
    state = context.getOperatorStateStore().getBroadcastState(PatternControl.STATE);
  }

  @Override
  public final void snapshotState(FunctionSnapshotContext context) {
    // Broadcast state is written as it changes.
  }

  @Override
  public final void open(OpenContext context) throws Exception {
    control = begin(state);
    use(control.hosted());
    budget = control.budget();
  }

  @Override
  public final void processElement(I element, ReadOnlyContext context, Collector<O> out)
      throws Exception {
    Consumer<String> told = json -> context.output(audit, json);
    control.announce(told);
    element(element, context.timerService(), told, out);
    holdToBudget(told);
  }

  @Override
  public final void processBroadcastElement(Row record, Context context, Collector<O> out)
      throws Exception {
    if (control.apply(record, context.currentWatermark(), json -> context.output(audit, json))) {
      use(control.hosted());
    }
  }

  @Override
  public final void onTimer(long time, OnTimerContext context, Collector<O> out) throws Exception {
    if (control.expire(context.currentWatermark())) {
      use(control.hosted());
    }
    Consumer<String> told = json -> context.output(audit, json);
    timer(time, context.timerService(), told, out);
    holdToBudget(told);
  }

  /** Suspends patterns that take too much time. Costs a look at the clock per call. */
  private void holdToBudget(Consumer<String> told) {
    long now = System.nanoTime();
    if (!budget.isOver(now)) {
      return;
    }
    List<TimeBudget.Overrun> over = budget.end(running(), now);
    if (!over.isEmpty()) {
      control.suspend(over, told);
      use(control.hosted());
    }
  }
}
