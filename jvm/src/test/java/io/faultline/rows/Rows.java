package io.faultline.rows;

import io.faultline.cep.PatternStats;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.types.Row;
import org.apache.flink.util.OutputTag;

/**
 * The operator of {@code CEP.pattern} in Flink's harness, over rows (name, kind, value). A row is
 * told by its name, a match by the names that its steps took: {@code a=[a1] b=[b1, b2]}.
 */
// The harness may be interrupted while it closes: that fails the test, as it should.
@SuppressWarnings("try")
final class Rows implements AutoCloseable {
  static final RowTypeInfo TYPE =
      new RowTypeInfo(
          new TypeInformation<?>[] {Types.STRING, Types.STRING, Types.DOUBLE},
          new String[] {"name", "kind", "value"});

  private static final OutputTag<Row> LATE = new OutputTag<>("late", TYPE);

  final KeyedOneInputStreamOperatorTestHarness<Row, Row, Row> harness;
  private final TypeSerializer<Row> rows =
      TYPE.createSerializer(new ExecutionConfig().getSerializerConfig());
  private final List<String> steps = new ArrayList<>();
  private final OutputTag<Row> timeouts;
  private final RowOperator operator;

  private Rows(String pattern, int partialsPerKey, boolean processingTime, boolean tells)
      throws Exception {
    RowSpec spec = spec(pattern, partialsPerKey, processingTime);
    spec.model().steps().forEach(step -> steps.add(step.name()));
    timeouts = new OutputTag<>("timeouts", MatchShape.of(spec.model(), TYPE, null).type());
    operator = new RowOperator(spec, TYPE, rows);
    if (tells) {
      operator.tellTimeouts(timeouts, null);
      operator.tellLate(LATE);
    }
    harness =
        new KeyedOneInputStreamOperatorTestHarness<>(
            operator, row -> Row.of(row.getField(0)), Types.ROW(Types.STRING));
  }

  static RowSpec spec(String pattern, int partialsPerKey, boolean processingTime) {
    return RowSpec.read(
        "{\"pattern\":%s,\"partials_per_key\":%d,\"processing_time\":%b}"
            .formatted(pattern.replace('\'', '"'), partialsPerKey, processingTime));
  }

  static Rows of(String pattern) throws Exception {
    return of(pattern, 1000);
  }

  static Rows of(String pattern, int partialsPerKey) throws Exception {
    return new Rows(pattern, partialsPerKey, false, true).opened();
  }

  static Rows inProcessingTime(String pattern) throws Exception {
    return new Rows(pattern, 1000, true, true).opened();
  }

  static Rows withoutSideOutputs(String pattern) throws Exception {
    return new Rows(pattern, 1000, false, false).opened();
  }

  static Rows restored(String pattern, OperatorSubtaskState state) throws Exception {
    Rows rows = new Rows(pattern, 1000, false, true);
    rows.harness.initializeState(state);
    return rows.opened();
  }

  /**
   * @param state null = from nothing
   */
  static Rows on(StateBackend backend, String pattern, @Nullable OperatorSubtaskState state)
      throws Exception {
    Rows rows = new Rows(pattern, 1000, false, true);
    rows.harness.setStateBackend(backend);
    if (state != null) {
      rows.harness.initializeState(state);
    }
    return rows.opened();
  }

  private Rows opened() throws Exception {
    harness.open();
    return this;
  }

  /** A pattern over these rows, with an end of every step's condition as JSON. */
  static String pattern(String more, String... steps) {
    return ("{'id':'p','version':1,'key':'row',"
            + "'fields':{'name':'text','kind':'text','value':'number'},'steps':[%s]%s}")
        .formatted(String.join(",", steps), more.isEmpty() ? "" : "," + more);
  }

  /** A step that takes rows whose kind is its own name. */
  static String step(String name, String... more) {
    String extra = Arrays.stream(more).map(e -> "," + e).reduce("", String::concat);
    return "{'name':'%s','where':%s%s}".formatted(name, kind(name), extra);
  }

  static String kind(String name) {
    return "{'op':'==','left':{'field':'kind'},'right':{'const':'%s'}}".formatted(name);
  }

  /** A row whose kind is the first letter of its name. */
  Rows row(String key, long time, String name) throws Exception {
    return row(key, time, name, null);
  }

  Rows row(String key, long time, String name, @Nullable Double value) throws Exception {
    Row row = rows.copy(Row.of(name, name.substring(0, 1), value));
    harness.processElement(new StreamRecord<>(Row.of(key, row), time));
    return this;
  }

  Rows untimed(String key, String name) throws Exception {
    Row row = rows.copy(Row.of(name, name.substring(0, 1), null));
    harness.processElement(new StreamRecord<>(Row.of(key, row)));
    return this;
  }

  Rows watermark(long time) throws Exception {
    harness.processWatermark(time);
    return this;
  }

  Rows end() throws Exception {
    return watermark(Long.MAX_VALUE);
  }

  /** Matches so far with the time at which they came, {@code a=[a1] @5}; forgets them. */
  List<String> matches() {
    List<String> out = new ArrayList<>();
    for (Object each : harness.getOutput()) {
      if (each instanceof StreamRecord<?> record) {
        out.add(told((Row) record.getValue()) + " @" + record.getTimestamp());
      }
    }
    harness.getOutput().clear();
    return out;
  }

  /** All timeouts so far, as {@link #matches}. */
  List<String> timeouts() {
    var told = harness.getSideOutput(timeouts);
    return told == null
        ? List.of()
        : told.stream().map(r -> told(r.getValue()) + " @" + r.getTimestamp()).toList();
  }

  /** The names of all late rows so far. */
  List<String> late() {
    var told = harness.getSideOutput(LATE);
    return told == null ? List.of() : told.stream().map(r -> name(r.getValue())).toList();
  }

  PatternStats stats() {
    return operator.stats();
  }

  /** How many bytes a checkpoint takes. */
  long stateSize(long checkpoint) throws Exception {
    return harness.snapshot(checkpoint, checkpoint).getStateSize();
  }

  private String told(Row match) {
    List<String> taken = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      if (match.getField(i) instanceof Row[] rowsOfStep) {
        taken.add(steps.get(i) + "=" + Arrays.stream(rowsOfStep).map(Rows::name).toList());
      }
    }
    return String.join(" ", taken);
  }

  private static String name(Row row) {
    return (String) row.getField(0);
  }

  @Override
  public void close() throws Exception {
    harness.close();
  }
}
