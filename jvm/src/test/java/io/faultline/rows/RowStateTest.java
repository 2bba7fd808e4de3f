package io.faultline.rows;

import static io.faultline.rows.Rows.TYPE;
import static io.faultline.rows.Rows.pattern;
import static io.faultline.rows.Rows.step;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.Backend;
import io.faultline.cep.CepEngine;
import io.faultline.cep.CepSettings;
import io.faultline.cep.CompiledPattern;
import io.faultline.cep.Event;
import io.faultline.cep.KeyRuns;
import io.faultline.cep.MatchOutput;
import io.faultline.cep.RowEvent;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.util.OperatorSnapshotUtil;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * State of {@code CEP.pattern}: as this release writes it, on both backends. Golden files are
 * written anew with -Dfaultline.golden.write=true.
 */
// The harness may be interrupted while it closes: that fails the test, as it should.
@SuppressWarnings("try")
class RowStateTest {
  private static final String OPERATOR = "golden/row_operator_v1.bin";
  private static final String RUNS = "golden/row_runs_v1.bin";
  private static final String LOOP =
      pattern(
          "'within_ms':100", step("a"), step("b", "'one_or_more':true,'greedy':true"), step("c"));
  private static final List<String> NAMES = List.of(TYPE.getFieldNames());

  /** One key is inside its loop, one has rows that wait, one runs out of time. */
  private static Rows half(Backend backend) throws Exception {
    Rows rows = Rows.on(backend.make(), LOOP, null);
    rows.row("in", 10, "a1").row("in", 20, "b1", 2.5).row("in", 30, "b2").row("silent", 40, "a2");
    return rows.watermark(50).row("waits", 60, "a3").row("waits", 61, "b3").row("in", 70, "b4");
  }

  private static List<String> finish(Rows rows) throws Exception {
    rows.row("in", 45, "c0").row("in", 80, "c1").row("waits", 90, "c2").end();
    List<String> out = new ArrayList<>(rows.matches());
    out.addAll(rows.timeouts());
    rows.late().forEach(name -> out.add("late " + name));
    assertEquals(0, rows.harness.numEventTimeTimers());
    rows.close();
    return out.stream().sorted().toList();
  }

  private static final List<String> FINISHED =
      List.of(
          "a=[a1] b=[b1, b2, b4] @110",
          "a=[a1] b=[b1, b2, b4] c=[c1] @80",
          "a=[a2] @140",
          "a=[a3] b=[b3] @160",
          "a=[a3] b=[b3] c=[c2] @90",
          "late c0");

  private static Path file(String golden) {
    return Path.of("src/test/resources", golden);
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void theOperatorsStateOfReleaseOneGoesOn(Backend backend) throws Exception {
    if (Boolean.getBoolean("faultline.golden.write")) {
      try (Rows rows = half(Backend.HEAP)) {
        OperatorSnapshotUtil.writeStateHandle(
            Backend.savepoint(rows.harness), file(OPERATOR).toString());
      }
    }
    URL golden = getClass().getClassLoader().getResource(OPERATOR);
    OperatorSubtaskState state =
        OperatorSnapshotUtil.readStateHandle(Path.of(golden.toURI()).toString());
    assertEquals(FINISHED, finish(Rows.on(backend.make(), LOOP, state)));
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void aSavepointGoesOnInBothBackends(Backend before) throws Exception {
    assertEquals(FINISHED, finish(half(before)));
    for (Backend after : Backend.values()) {
      try (Rows rows = half(before)) {
        OperatorSubtaskState state = Backend.savepoint(rows.harness);
        assertEquals(FINISHED, finish(Rows.on(after.make(), LOOP, state)));
      }
    }
  }

  /** Rows of three kinds on five keys; each backend with its own checkpoints. */
  @ParameterizedTest
  @ValueSource(ints = {1, 7, 150})
  void rocksDbGivesWhatTheHeapGives(int checkpointEach) throws Exception {
    List<String> heap = play(Backend.HEAP, 1_000);
    assertTrue(heap.size() > 30, heap.size() + " are found");
    assertEquals(heap, play(Backend.ROCKSDB, checkpointEach));
  }

  private static List<String> play(Backend backend, int checkpointEach) throws Exception {
    List<String> out = new ArrayList<>();
    Rows rows = Rows.on(backend.make(), LOOP, null);
    for (int n = 0; n < 300; n++) {
      if (n > 0 && n % checkpointEach == 0 && n / checkpointEach <= 20) {
        OperatorSubtaskState state = rows.harness.snapshot(n, n);
        out.addAll(rows.matches());
        out.addAll(rows.timeouts());
        rows.close();
        rows = Rows.on(backend.make(), LOOP, state);
      }
      int kind = (n * n + n / 3) % 4;
      rows.row("k" + n % 5, n * 5L, "abcb".substring(kind, kind + 1) + n);
      rows.watermark(n * 5L - 12);
    }
    out.addAll(rows.end().matches());
    out.addAll(rows.timeouts());
    rows.close();
    return out.stream().sorted().toList();
  }

  @Test
  void theFormOfRunsIsThatOfReleaseOne() throws Exception {
    RowRunsSerializer serializer =
        new RowRunsSerializer(
            TYPE.createSerializer(new ExecutionConfig().getSerializerConfig()), NAMES);
    CepEngine engine =
        new CepEngine(List.of(Rows.spec(LOOP, 1000, false).model()), CepSettings.DEFAULT);
    DataOutputSerializer bytes = new DataOutputSerializer(64);
    serializer.serialize(inLoop(engine, new KeyRuns()), bytes);
    if (Boolean.getBoolean("faultline.golden.write")) {
      Files.write(file(RUNS), bytes.getCopyOfBuffer());
    }
    byte[] golden;
    try (InputStream in = getClass().getClassLoader().getResourceAsStream(RUNS)) {
      golden = in.readAllBytes();
    }
    assertArrayEquals(golden, bytes.getCopyOfBuffer(), "the form has changed: raise the version");
    KeyRuns read = serializer.deserialize(new DataInputDeserializer(golden));
    List<Map<String, List<Event>>> found = new ArrayList<>();
    engine.event(read, row("c1", 40), collecting(found));
    assertEquals(List.of("b1", "b2"), names(found.get(0).get("b")));
    assertEquals(1, found.size());
  }

  private static KeyRuns inLoop(CepEngine engine, KeyRuns runs) {
    for (RowEvent each : List.of(row("a1", 10), row("b1", 20), row("b2", 30))) {
      engine.event(runs, each, collecting(new ArrayList<>()));
    }
    return runs;
  }

  private static RowEvent row(String name, long time) {
    return new RowEvent(Row.of(name, name.substring(0, 1), 1.5), time, RowEvent.places(NAMES));
  }

  private static List<String> names(List<Event> rows) {
    return rows.stream().map(each -> (String) RowRun.rowOf(each).getField(0)).toList();
  }

  private static MatchOutput collecting(List<Map<String, List<Event>>> found) {
    return new MatchOutput() {
      @Override
      public void match(CompiledPattern pattern, Map<String, List<Event>> rows, long readyAt) {
        found.add(rows);
      }

      @Override
      public void timeout(CompiledPattern pattern, Map<String, List<Event>> rows, long readyAt) {
        throw new AssertionError("nothing runs out of time here");
      }
    };
  }
}
