package io.faultline.rows;

import io.faultline.cep.CepEngine;
import io.faultline.cep.KeyRuns;
import io.faultline.cep.PatternMetrics;
import io.faultline.cep.PatternStats;
import io.faultline.cep.RowEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.types.Row;
import org.apache.flink.util.OutputTag;

/**
 * One pattern over the rows of each key. Takes PyFlink's keyed rows, (key, row). In event time a
 * row waits until the watermark passes it, and one that comes behind it is late; in processing time
 * a row happens when it comes. A key has one timer while something waits or a partial match can run
 * out of time, and no state once nothing does.
 */
final class RowOperator extends AbstractStreamOperator<Row>
    implements OneInputStreamOperator<Row, Row>, Triggerable<Row, VoidNamespace> {
  private static final long serialVersionUID = 1L;
  private static final long NEVER = Long.MAX_VALUE;

  private final RowSpec spec;
  private final RowTypeInfo type;
  private final TypeSerializer<Row> rows;
  @Nullable private String timeoutColumns;
  @Nullable private OutputTag<Row> timeouts;
  @Nullable private OutputTag<Row> late;

  private transient Map<String, Integer> places;
  private transient CepEngine engine;
  private transient RowOutput matches;
  private transient InternalTimerService<VoidNamespace> timers;
  private transient ValueState<KeyRuns> runs;
  private transient MapState<Long, List<Row>> waiting;
  private transient ValueState<Long> timer;
  private transient ListState<Long> passed;
  private transient Counter lateRows;

  /** Event time that had passed when the state was written, and the latest processing time. */
  private transient long restoredAt;

  private transient long clock;

  /**
   * @param type of the rows, without their key
   */
  RowOperator(RowSpec spec, RowTypeInfo type, TypeSerializer<Row> rows) {
    this.spec = spec;
    this.type = type;
    this.rows = rows;
  }

  /** Tells partial matches that run out of time, in this shape; before the job begins. */
  void tellTimeouts(OutputTag<Row> tag, @Nullable String columns) {
    timeouts = tag;
    timeoutColumns = columns;
  }

  /** Tells late rows; before the job begins. */
  void tellLate(OutputTag<Row> tag) {
    late = tag;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    passed =
        context
            .getOperatorStateStore()
            .getUnionListState(new ListStateDescriptor<>("watermark", LongSerializer.INSTANCE));
    restoredAt = Long.MIN_VALUE;
    boolean first = true;
    for (Long watermark : passed.get()) {
      restoredAt = first ? watermark : Math.min(restoredAt, watermark);
      first = false;
    }
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    passed.update(List.of(now()));
  }

  @Override
  public void open() throws Exception {
    super.open();
    clock = Long.MIN_VALUE;
    engine = new CepEngine(List.of(spec.model()), spec.settings(timeouts != null));
    PatternMetrics.register(getMetricGroup(), engine.patterns());
    lateRows = getMetricGroup().counter("late_rows");
    matches =
        new RowOutput(
            output,
            MatchShape.of(spec.model(), type, spec.columns()),
            timeouts,
            MatchShape.of(spec.model(), type, timeoutColumns),
            getMetricGroup());
    timers = getInternalTimerService("rows", VoidNamespaceSerializer.INSTANCE, this);
    List<String> names = List.of(type.getFieldNames());
    places = RowEvent.places(names);
    runs =
        getRuntimeContext()
            .getState(new ValueStateDescriptor<>("runs", new RowRunsSerializer(rows, names)));
    waiting =
        getRuntimeContext()
            .getMapState(
                new MapStateDescriptor<>(
                    "waiting", LongSerializer.INSTANCE, new ListSerializer<>(rows)));
    timer =
        getRuntimeContext().getState(new ValueStateDescriptor<>("timer", LongSerializer.INSTANCE));
  }

  /** For tests: what the pattern counted. */
  PatternStats stats() {
    return engine.patterns().get(0).stats();
  }

  /** How far event time has passed. */
  private long now() {
    return Math.max(timers.currentWatermark(), restoredAt);
  }

  @Override
  public void processElement(StreamRecord<Row> record) throws Exception {
    Row row = (Row) record.getValue().getField(1);
    if (spec.processingTime()) {
      arrive(row);
      return;
    }
    if (!record.hasTimestamp() || record.getTimestamp() == Long.MIN_VALUE) {
      throw new IllegalStateException(
          "rows have no event time: call assign_timestamps_and_watermarks before key_by, or"
              + " in_processing_time() on the pattern's stream");
    }
    long time = record.getTimestamp();
    if (time <= now()) {
      lateRows.inc();
      if (late != null) {
        output.collect(late, new StreamRecord<>(row, time));
      }
      return;
    }
    List<Row> same = waiting.get(time);
    if (same == null) {
      same = new ArrayList<>(1);
    }
    same.add(row);
    waiting.put(time, same);
    Long at = timer.value();
    if (at == null || time < at) {
      schedule(at, time);
    }
  }

  /** A row that happens now; time does not go back with the machine's clock. */
  private void arrive(Row row) throws Exception {
    clock = Math.max(clock, timers.currentProcessingTime());
    KeyRuns state = state();
    engine.event(state, new RowEvent(row, clock, places), matches);
    keep(state, NEVER);
  }

  @Override
  public void onEventTime(InternalTimer<Row, VoidNamespace> fired) throws Exception {
    // 1) rows up to the watermark, in order of time, equal times in order of arrival,
    // 2) partial matches that no row can complete any more,
    // 3) the timer for what waits on
    long now = timers.currentWatermark();
    KeyRuns state = state();
    List<Long> due = new ArrayList<>();
    long next = NEVER;
    for (Long time : waiting.keys()) {
      if (time <= now) {
        due.add(time);
      } else {
        next = Math.min(next, time);
      }
    }
    due.sort(null);
    for (Long time : due) {
      for (Row row : waiting.get(time)) {
        engine.event(state, new RowEvent(row, time, places), matches);
        matches.send();
      }
      waiting.remove(time);
    }
    engine.advance(state, now, matches);
    keep(state, next);
  }

  @Override
  public void onProcessingTime(InternalTimer<Row, VoidNamespace> fired) throws Exception {
    clock = Math.max(clock, fired.getTimestamp());
    KeyRuns state = state();
    engine.advance(state, clock, matches);
    keep(state, NEVER);
  }

  private KeyRuns state() throws Exception {
    KeyRuns state = runs.value();
    return state == null ? new KeyRuns() : state;
  }

  private void keep(KeyRuns state, long next) throws Exception {
    matches.send();
    long due = state.isEmpty() ? next : Math.min(next, engine.nextTimer(state));
    if (state.isEmpty()) {
      runs.clear();
    } else {
      runs.update(state);
    }
    Long at = timer.value();
    if (at == null ? due != NEVER : at != due) {
      schedule(at, due);
    }
  }

  private void schedule(@Nullable Long before, long next) throws Exception {
    if (before != null) {
      move(before, false);
    }
    if (next == NEVER) {
      timer.clear();
    } else {
      move(next, true);
      timer.update(next);
    }
  }

  private void move(long time, boolean register) {
    VoidNamespace all = VoidNamespace.INSTANCE;
    if (spec.processingTime()) {
      if (register) {
        timers.registerProcessingTimeTimer(all, time);
      } else {
        timers.deleteProcessingTimeTimer(all, time);
      }
    } else if (register) {
      timers.registerEventTimeTimer(all, time);
    } else {
      timers.deleteEventTimeTimer(all, time);
    }
  }
}
