package io.faultline.cep;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.faultline.node.NodeConfig;
import io.faultline.node.NodeOperator;
import io.faultline.records.Block;
import io.faultline.records.GraphEvent;
import io.faultline.records.Layout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;

/** Patterns on samples through this project's engine, alone and inside the operator of the job. */
final class HostedCep {
  private static final int NO_LIMIT = 1_000_000;
  private static final ObjectMapper JSON = new ObjectMapper();

  private HostedCep() {}

  /**
   * Through the engine: samples in order of time, watermarks far apart, state written and read back
   * now and then.
   */
  static List<String> engine(List<PatternModel> models, List<SampleEvent> events, Random random) {
    CepEngine engine = new CepEngine(models, new CepSettings(NO_LIMIT, true));
    Map<String, KeyRuns> state = new HashMap<>();
    Lines lines = new Lines();
    SampleEvent flyweight = new SampleEvent();
    Map<String, SeriesRef> series = new HashMap<>();
    for (SampleEvent e : inOrder(events)) {
      KeyRuns runs = state.computeIfAbsent(e.series().node(), n -> new KeyRuns());
      SeriesRef ref =
          series.computeIfAbsent(
              e.series().node() + ' ' + e.series().key().metric(), k -> e.series());
      engine.event(runs, flyweight.set(ref, e.time(), e.value()), lines);
      if (random.nextInt(5) == 0) {
        state.replaceAll((node, r) -> KeyRunsSerializer.INSTANCE.copy(r));
      }
    }
    for (KeyRuns runs : state.values()) {
      engine.advance(runs, Long.MAX_VALUE, lines);
      runs.each(run -> assertEquals(false, run.compiled.isBounded(), "a window ends everything"));
    }
    return lines.lines;
  }

  /**
   * Whether the engine, with the job's bound, must give up partial matches. Where they double with
   * each sample, Flink's own operator, which has no bound, does not come to an end.
   */
  static boolean evicts(PatternModel model, List<SampleEvent> events) {
    CepEngine engine = new CepEngine(List.of(model), CepSettings.DEFAULT);
    Map<String, KeyRuns> state = new HashMap<>();
    for (SampleEvent e : inOrder(events)) {
      engine.event(state.computeIfAbsent(e.series().node(), n -> new KeyRuns()), e, new Lines());
      if (engine.patterns().get(0).stats().evicted() > 0) {
        return true;
      }
    }
    return false;
  }

  private static List<SampleEvent> inOrder(List<SampleEvent> events) {
    List<SampleEvent> out = new ArrayList<>(events);
    out.removeIf(e -> e.series().node().equals(StockCep.CLOCK));
    out.sort(Comparator.comparingLong(SampleEvent::time));
    return out;
  }

  /**
   * Through the operator: samples as they arrive, a watermark now and then, and at one place a
   * snapshot from which another operator goes on.
   */
  static List<String> operator(
      List<String> patterns, List<SampleEvent> events, long lateness, Random random)
      throws Exception {
    List<String> lines = new ArrayList<>();
    int restoreAt = random.nextInt(events.size() + 1);
    var harness = open(patterns, null);
    long latest = Long.MIN_VALUE;
    for (int i = 0; i < events.size(); i++) {
      if (i == restoreAt) {
        OperatorSubtaskState snapshot = harness.snapshot(1, 1);
        drain(harness, lines);
        harness.close();
        harness = open(patterns, snapshot);
      }
      SampleEvent e = events.get(i);
      latest = Math.max(latest, e.time());
      if (!e.series().node().equals(StockCep.CLOCK)) {
        harness.processElement(block(e), e.time());
      }
      if (random.nextInt(7) == 0) {
        harness.processWatermark(latest - lateness - 1);
      }
    }
    harness.processWatermark(Long.MAX_VALUE);
    drain(harness, lines);
    harness.close();
    return lines;
  }

  static Block block(SampleEvent e) {
    Layout layout = Layout.of(e.series().key());
    return new Block("g", e.series().node(), e.time(), layout, new double[] {e.value()}, null);
  }

  private static KeyedOneInputStreamOperatorTestHarness<String, Block, GraphEvent> open(
      List<String> patterns, OperatorSubtaskState snapshot) throws Exception {
    NodeConfig config =
        new NodeConfig(
            60_000,
            Map.of(),
            10,
            List.of(),
            patterns.stream().map(p -> Patterns.json(p).toString()).toList(),
            true,
            new NodeConfig.Limits(NO_LIMIT, 2000));
    var harness =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(new NodeOperator(config)), Block::key, Types.STRING);
    harness.setup();
    if (snapshot != null) {
      harness.initializeState(snapshot);
    }
    harness.open();
    return harness;
  }

  private static void drain(
      KeyedOneInputStreamOperatorTestHarness<String, Block, GraphEvent> harness, List<String> lines)
      throws Exception {
    for (GraphEvent event : harness.extractOutputValues()) {
      if (event.match() != null) {
        lines.add(line(JSON.readTree(event.match())));
      }
    }
  }

  private static String line(JsonNode match) {
    Map<String, List<Integer>> numbers = new TreeMap<>();
    for (JsonNode step : match.get("steps")) {
      List<Integer> taken = new ArrayList<>();
      step.get("samples").forEach(s -> taken.add(StockCep.number(s.get("value").asDouble())));
      numbers.put(step.get("name").asText(), taken);
    }
    return "%s %s %s %d"
        .formatted(
            match.get("pattern").asText(),
            match.get("kind").asText(),
            numbers,
            match.get("time").asLong());
  }

  private static final class Lines implements MatchOutput {
    private final List<String> lines = new ArrayList<>();

    @Override
    public void match(CompiledPattern pattern, Map<String, List<Event>> samples, long readyAt) {
      lines.add(StockCep.line("match", pattern.model().id(), samples, readyAt));
    }

    @Override
    public void timeout(CompiledPattern pattern, Map<String, List<Event>> samples, long readyAt) {
      lines.add(StockCep.line("timeout", pattern.model().id(), samples, readyAt));
    }

    @Override
    public void failed(CompiledPattern pattern, Exception cause) {
      throw new AssertionError(pattern.model().id(), cause);
    }
  }
}
