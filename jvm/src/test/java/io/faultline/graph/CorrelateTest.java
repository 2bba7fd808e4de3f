package io.faultline.graph;

import static io.faultline.graph.Events.T0;
import static io.faultline.graph.Events.TICK;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.faultline.records.GraphEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// The harness may be interrupted while it closes: that fails the test, as it should.
@SuppressWarnings("try")
class CorrelateTest {
  private static KeyedOneInputStreamOperatorTestHarness<String, GraphEvent, Row> harness()
      throws Exception {
    var harness =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(new Correlate(Events.CONFIG)),
            GraphEvent::graph,
            Types.STRING);
    harness.setup(Correlate.ROW.createSerializer(new ExecutionConfig().getSerializerConfig()));
    return harness;
  }

  private static List<GraphEvent> events() {
    List<GraphEvent> events = new ArrayList<>();
    for (int tick = 1; tick <= 20; tick++) {
      events.add(Events.framed("web", tick));
      if (tick < 12) {
        events.add(Events.framed("cart", tick));
      }
      events.add(Events.edge("web", "cart", (tick - 1) * TICK + 5, tick < 5 ? 20_000 : -1));
      if (tick % 4 == 0) {
        events.add(Events.match((tick - 1) * TICK + 7, "match " + tick));
      }
    }
    events.sort(Comparator.comparingLong(GraphEvent::time));
    return events;
  }

  private static List<String> drain(
      KeyedOneInputStreamOperatorTestHarness<String, GraphEvent, Row> harness) {
    List<String> out = new ArrayList<>();
    for (Row row : harness.extractOutputValues()) {
      byte[] payload = (byte[]) row.getField(3);
      out.add(row.getField(1) + " " + row.getField(2) + " " + Arrays.hashCode(payload));
    }
    harness.getOutput().clear();
    return out;
  }

  private static List<String> expected() throws Exception {
    try (var harness = harness()) {
      harness.open();
      for (GraphEvent event : events()) {
        harness.processElement(event, event.time());
      }
      harness.processWatermark(Long.MAX_VALUE);
      return drain(harness);
    }
  }

  @Test
  void rowsAndMatchesComeInOrderOfTimeWithoutATail() throws Exception {
    List<String> out = expected();
    assertEquals(25, out.size());
    List<Long> times = out.stream().map(s -> Long.parseLong(s.split(" ")[1])).toList();
    assertEquals(times.stream().sorted().toList(), times);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void orderWithinTheWatermarkDoesNotMatter(int seed) throws Exception {
    List<GraphEvent> events = events();
    Random random = new Random(seed);
    try (var harness = harness()) {
      harness.open();
      for (int from = 0; from < events.size(); ) {
        int to = Math.min(events.size(), from + 1 + random.nextInt(8));
        List<GraphEvent> part = new ArrayList<>(events.subList(from, to));
        Collections.shuffle(part, random);
        for (GraphEvent event : part) {
          harness.processElement(event, event.time());
        }
        if (to < events.size()) {
          harness.processWatermark(events.get(to).time() - TICK);
        }
        from = to;
      }
      harness.processWatermark(Long.MAX_VALUE);
      assertEquals(expected(), drain(harness));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 10, 23, 40, 55})
  void itSurvivesARestoreAnywhere(int at) throws Exception {
    List<GraphEvent> events = events();
    List<String> out = new ArrayList<>();
    OperatorSubtaskState snapshot;
    try (var harness = harness()) {
      harness.open();
      feed(harness, events.subList(0, at));
      snapshot = harness.snapshot(1, 1);
      out.addAll(drain(harness));
    }
    try (var harness = harness()) {
      harness.initializeState(snapshot);
      harness.open();
      feed(harness, events.subList(at, events.size()));
      harness.processWatermark(Long.MAX_VALUE);
      out.addAll(drain(harness));
    }
    assertEquals(expected(), out);
  }

  private static void feed(
      KeyedOneInputStreamOperatorTestHarness<String, GraphEvent, Row> harness,
      List<GraphEvent> events)
      throws Exception {
    for (GraphEvent event : events) {
      harness.processElement(event, event.time());
      harness.processWatermark(event.time() - TICK);
    }
  }

  @Test
  void aSilentGraphGetsAWindowOfEmptyRowsAndThenNone() throws Exception {
    try (var harness = harness()) {
      harness.open();
      harness.processElement(Events.framed("cart", 1), 0);
      harness.processWatermark(T0 + 3 * TICK);
      assertEquals(3, drain(harness).size());
      assertEquals(1, harness.numEventTimeTimers());
      harness.processWatermark(T0 + 365L * 24 * 3_600_000);
      assertEquals(8, drain(harness).size());
      assertEquals(0, harness.numEventTimeTimers());
    }
  }

  @Test
  void aGraphThatStaysSilentIsForgotten() throws Exception {
    long day = GraphAssembler.FORGET_AFTER_MS;
    try (var harness = harness()) {
      harness.open();
      harness.processElement(Events.framed("cart", 1), 0);
      harness.processElement(Events.edge("web", "cart", 5, 2 * day), 0);
      long lastRow = T0 + 11 * TICK;
      harness.processWatermark(lastRow + day);
      assertEquals(11, drain(harness).size());
      assertEquals(1, harness.numKeyedStateEntries(), "its edge lives for longer");
      assertEquals(1, harness.numEventTimeTimers());
      harness.processWatermark(T0 + 5 + 3 * day - 1);
      assertEquals(1, harness.numKeyedStateEntries());
      harness.processWatermark(T0 + 5 + 3 * day);
      assertEquals(0, harness.numKeyedStateEntries());
      assertEquals(0, harness.numEventTimeTimers());
      assertEquals(List.of(), drain(harness));
    }
  }

  @Test
  void aGraphOfEdgesAloneIsForgottenAndOneThatGoesOnIsNot() throws Exception {
    long day = GraphAssembler.FORGET_AFTER_MS;
    try (var harness = harness()) {
      harness.open();
      for (int hour = 0; hour < 48; hour++) {
        harness.processElement(Events.edge("web", "cart", hour * 3_600_000L, -1), 0);
        harness.processWatermark(T0 + hour * 3_600_000L);
        assertEquals(1, harness.numKeyedStateEntries());
        assertEquals(1, harness.numEventTimeTimers());
      }
      harness.processWatermark(T0 + 48 * 3_600_000L + day - 1);
      assertEquals(1, harness.numKeyedStateEntries());
      harness.processWatermark(T0 + 48 * 3_600_000L + day);
      assertEquals(0, harness.numKeyedStateEntries());
    }
  }

  @Test
  void aMatchAloneLeavesNothingBehind() throws Exception {
    try (var harness = harness()) {
      harness.open();
      harness.processElement(Events.match(7, "alone"), 0);
      harness.processWatermark(T0 + 7);
      assertEquals(1, drain(harness).size());
      assertEquals(0, harness.numKeyedStateEntries());
    }
  }

  @Test
  void aGraphThatComesBackBeginsAnew() throws Exception {
    long day = GraphAssembler.FORGET_AFTER_MS;
    int later = (int) (3 * day / TICK);
    try (var harness = harness()) {
      harness.open();
      harness.processElement(Events.framed("old", 1), 0);
      harness.processWatermark(T0 + 2 * day);
      harness.processElement(Events.framed("new", later), 0);
      drain(harness);
      harness.processWatermark(T0 + later * TICK - 1);
      FrameRow row = FrameRow.decode((byte[]) harness.extractOutputValues().get(0).getField(3));
      assertEquals(List.of("new"), List.of(row.nodes()));
      assertEquals(1, harness.extractOutputValues().size());
    }
  }

  @Test
  void aLateFrameIsTold() throws Exception {
    try (var harness = harness()) {
      harness.open();
      harness.processElement(Events.framed("cart", 2), 0);
      harness.processWatermark(T0 + 2 * TICK);
      harness.processElement(Events.framed("web", 2), 0);
      assertEquals(
          List.of(
              "{\"type\":\"late_frame\",\"graph\":\"shop\",\"node\":\"web\",\"time\":"
                  + (T0 + 2 * TICK)
                  + "}"),
          harness.getSideOutput(Correlate.AUDIT).stream().map(r -> r.getValue()).toList());
    }
  }
}
