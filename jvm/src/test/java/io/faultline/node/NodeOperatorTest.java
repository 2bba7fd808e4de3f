package io.faultline.node;

import static io.faultline.node.Given.T0;
import static io.faultline.node.Given.TICK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.records.Block;
import io.faultline.records.GraphEvent;
import io.faultline.records.GraphEventSerializer;
import io.faultline.records.Kind;
import io.faultline.records.Layout;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// The harness may be interrupted while it closes: that fails the test, as it should.
@SuppressWarnings("try")
class NodeOperatorTest {
  static final String SPIKES =
      """
      {"id": "two-spikes", "version": 1, "key": "series", "maturity": "experimental",
       "severity": "critical", "runbook": null, "within_ms": 60000,
       "after_match": {"kind": "skip_past_last", "step": null},
       "steps": [
         {"name": "one", "contiguity": "followed_by", "times": null, "one_or_more": false,
          "optional": false, "greedy": false, "consecutive": false, "combinations": false,
          "until": null,
          "where": {"op": ">", "left": {"field": "z"}, "right": {"const": 8}}},
         {"name": "two", "contiguity": "next", "times": null, "one_or_more": false,
          "optional": false, "greedy": false, "consecutive": false, "combinations": false,
          "until": null,
          "where": {"op": ">", "left": {"field": "z"}, "right": {"const": 8}}}],
       "select": {"signals": null, "metrics": null}}\
      """;

  private static final Layout LAYOUT =
      Layout.of(
          Given.gauge("cpu", Signal.CPU, "%"),
          Given.gauge("latency", Signal.LATENCY, "ms"),
          Given.counter("requests"));

  private static KeyedOneInputStreamOperatorTestHarness<String, Block, GraphEvent> harness()
      throws Exception {
    return harness(1, 0);
  }

  private static KeyedOneInputStreamOperatorTestHarness<String, Block, GraphEvent> harness(
      int parallelism, int subtask) throws Exception {
    var harness =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(new NodeOperator(Given.config(SPIKES))),
            Block::key,
            Types.STRING,
            128,
            parallelism,
            subtask);
    harness.setup(GraphEventSerializer.INSTANCE);
    return harness;
  }

  /** Scrapes of three nodes, in order of time; each has two spikes in a row now and then. */
  static List<Block> scrapes(int ticks) {
    Random random = new Random(5);
    List<Block> blocks = new ArrayList<>();
    for (int t = 0; t < ticks; t++) {
      for (String node : List.of("cart", "web", "db")) {
        boolean spike = t % 25 == 20 || t % 25 == 21;
        double[] values = {
          50 + random.nextGaussian() + (spike ? 100 : 0), 20 + random.nextGaussian(), 30.0 * t
        };
        blocks.add(new Block("shop", node, T0 + t * TICK + node.length(), LAYOUT, values, null));
      }
    }
    blocks.sort(Comparator.comparingLong(Block::time));
    return blocks;
  }

  static List<String> drain(AbstractStreamOperatorTestHarness<GraphEvent> harness)
      throws IOException {
    List<String> out = new ArrayList<>();
    for (Object record : harness.getOutput()) {
      if (record instanceof StreamRecord<?> r) {
        DataOutputSerializer bytes = new DataOutputSerializer(256);
        GraphEventSerializer.INSTANCE.serialize((GraphEvent) r.getValue(), bytes);
        GraphEvent event = (GraphEvent) r.getValue();
        String what = event.frame() != null ? event.frame().node() : kind(event);
        out.add(event.time() + " " + what + " " + Arrays.hashCode(bytes.getCopyOfBuffer()));
      }
    }
    harness.getOutput().clear();
    return out;
  }

  private static String kind(GraphEvent event) {
    return event.edge() != null ? "edge" : "match";
  }

  static List<String> inOrder(List<Block> blocks) throws Exception {
    try (var harness = harness()) {
      harness.open();
      for (Block block : blocks) {
        harness.processElement(block, block.time());
      }
      harness.processWatermark(Long.MAX_VALUE);
      return drain(harness);
    }
  }

  @Test
  void framesAndMatchesComeOut() throws Exception {
    try (var harness = harness()) {
      harness.open();
      for (Block block : scrapes(60)) {
        harness.processElement(block, block.time());
        harness.processWatermark(block.time() - 1);
      }
      harness.processWatermark(Long.MAX_VALUE);
      List<GraphEvent> events = harness.extractOutputValues();
      assertEquals(180, events.stream().filter(e -> e.frame() != null).count());
      List<GraphEvent> matches = events.stream().filter(e -> e.match() != null).toList();
      assertEquals(6, matches.size());
      assertTrue(new String(matches.get(0).match()).contains("\"pattern\":\"two-spikes\""));
    }
  }

  /** However the watermarks are spread, and whatever the order within them: the same output. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void orderWithinTheWatermarkDoesNotMatter(int seed) throws Exception {
    List<Block> blocks = scrapes(60);
    List<String> expected = inOrder(blocks);
    Random random = new Random(seed);
    try (var harness = harness()) {
      harness.open();
      for (int from = 0; from < blocks.size(); ) {
        int to = Math.min(blocks.size(), from + 1 + random.nextInt(30));
        List<Block> part = new ArrayList<>(blocks.subList(from, to));
        Collections.shuffle(part, random);
        for (Block block : part) {
          harness.processElement(block, block.time());
        }
        long next = to < blocks.size() ? blocks.get(to).time() : Long.MAX_VALUE;
        harness.processWatermark(next == Long.MAX_VALUE ? next : next - 1);
        from = to;
      }
      assertEquals(expected.stream().sorted().toList(), drain(harness).stream().sorted().toList());
      assertFalse(expected.isEmpty());
    }
  }

  /** A crash after any number of blocks changes nothing. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 61, 64, 100, 151, 179})
  void itSurvivesARestoreAnywhere(int at) throws Exception {
    List<Block> blocks = scrapes(60);
    List<String> out = new ArrayList<>();
    OperatorSubtaskState snapshot;
    try (var harness = harness()) {
      harness.open();
      for (Block block : blocks.subList(0, at)) {
        harness.processElement(block, block.time());
        harness.processWatermark(block.time() - TICK);
      }
      snapshot = harness.snapshot(1, 1);
      out.addAll(drain(harness));
    }
    try (var harness = harness()) {
      harness.initializeState(snapshot);
      harness.open();
      for (Block block : blocks.subList(at, blocks.size())) {
        harness.processElement(block, block.time());
        harness.processWatermark(block.time() - TICK);
      }
      harness.processWatermark(Long.MAX_VALUE);
      out.addAll(drain(harness));
    }
    assertEquals(inOrder(blocks).stream().sorted().toList(), out.stream().sorted().toList());
  }

  @Test
  void rescalingKeepsEveryNode() throws Exception {
    List<Block> blocks = scrapes(40);
    OperatorSubtaskState snapshot;
    List<String> out = new ArrayList<>();
    try (var harness = harness()) {
      harness.open();
      for (Block block : blocks.subList(0, 90)) {
        harness.processElement(block, block.time());
      }
      snapshot = harness.snapshot(1, 1);
      out.addAll(drain(harness));
    }
    for (int subtask = 0; subtask < 2; subtask++) {
      OperatorSubtaskState part =
          AbstractStreamOperatorTestHarness.repartitionOperatorState(snapshot, 128, 1, 2, subtask);
      try (var harness = harness(2, subtask)) {
        harness.initializeState(part);
        harness.open();
        for (Block block : blocks.subList(90, blocks.size())) {
          int group = KeyGroupRangeAssignment.assignKeyToParallelOperator(block.key(), 128, 2);
          if (group == subtask) {
            harness.processElement(block, block.time());
          }
        }
        harness.processWatermark(Long.MAX_VALUE);
        out.addAll(drain(harness));
      }
    }
    assertEquals(inOrder(blocks).stream().sorted().toList(), out.stream().sorted().toList());
  }

  @Test
  void aLateBlockIsToldAndLeftOut() throws Exception {
    try (var harness = harness()) {
      harness.open();
      harness.processWatermark(T0 + 5);
      harness.processElement(Given.block(T0 + 5, LAYOUT, 1, 2, 3), T0 + 5);
      harness.processWatermark(Long.MAX_VALUE);
      assertEquals(List.of(), harness.extractOutputValues());
      assertEquals(
          List.of(
              "{\"type\":\"late\",\"graph\":\"shop\",\"node\":\"cart\",\"time\":"
                  + (T0 + 5)
                  + ",\"samples\":3}"),
          harness.getSideOutput(NodeOperator.AUDIT).stream().map(r -> r.getValue()).toList());
      assertEquals(0, harness.numKeyedStateEntries());
    }
  }

  /** A name is told once, whatever many series and nodes have it. */
  @Test
  void namesThatNoRuleKnowsAreTold() throws Exception {
    try (var harness = harness()) {
      harness.open();
      SeriesKey known = Given.gauge("cpu", Signal.CPU, "%");
      SeriesKey here = labelled("a");
      SeriesKey there = labelled("b");
      harness.processElement(Given.block(T0, Layout.of(known, here, there), 1, 2, 3), 0);
      harness.processElement(Given.block(T0 + TICK, Layout.of(here), 1), 0);
      harness.processWatermark(T0 + 2 * TICK);
      assertEquals(
          List.of(
              "{\"type\":\"unmapped\",\"graph\":\"shop\",\"node\":\"cart\",\"time\":"
                  + T0
                  + ",\"metric\":\"cart_items\",\"labels\":{\"shelf\":\"a\"}}"),
          harness.getSideOutput(NodeOperator.AUDIT).stream().map(r -> r.getValue()).toList());
    }
  }

  private static SeriesKey labelled(String shelf) {
    String labels = SeriesKey.canonical(Map.of("shelf", shelf));
    return new SeriesKey("cart_items", labels, null, Side.UNSAID, Kind.UNSAID, null, null);
  }

  @Test
  void aNodeHasOneTimerAndIsForgottenAfterADay() throws Exception {
    try (var harness = harness()) {
      harness.open();
      for (int t = 0; t < 100; t++) {
        harness.processElement(Given.block(T0 + t * TICK, LAYOUT, 1, 2, 3), 0);
        harness.processWatermark(T0 + t * TICK);
        assertEquals(1, harness.numEventTimeTimers());
      }
      harness.processWatermark(T0 + 99 * TICK + NodeOperator.FORGET_AFTER_MS - 1);
      assertEquals(100, harness.extractOutputValues().size());
      assertEquals(1, harness.numKeyedStateEntries());
      harness.processWatermark(T0 + 99 * TICK + NodeOperator.FORGET_AFTER_MS);
      assertEquals(0, harness.numKeyedStateEntries());
      assertEquals(0, harness.numEventTimeTimers());
    }
  }

  @Test
  void theEndOfAllInputLeavesNothing() throws Exception {
    try (var harness = harness()) {
      harness.open();
      harness.processElement(Given.block(T0, LAYOUT, 1, 2, 3), T0);
      harness.processWatermark(Long.MAX_VALUE);
      assertEquals(1, harness.extractOutputValues().size());
      assertEquals(0, harness.numEventTimeTimers());
      assertEquals(0, harness.numKeyedStateEntries());
    }
  }

  /** As case pattern-silent-key-timeout: a silent node's partial match ends by the clock. */
  @Test
  void aSilentNodesPartialMatchEndsByTheClock() throws Exception {
    String single =
        SPIKES.replace("two-spikes", "spike-then-calm").replace("\"next\"", "\"followed_by\"");
    NodeConfig base = Given.config(single);
    NodeConfig config =
        new NodeConfig(
            base.tickMs(),
            base.graphTicks(),
            base.windowTicks(),
            base.rules(),
            base.patterns(),
            true,
            base.limits());
    try (var harness =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(new NodeOperator(config)), Block::key, Types.STRING)) {
      harness.setup(GraphEventSerializer.INSTANCE);
      harness.open();
      for (int t = 0; t <= 30; t++) {
        SeriesKey cpu = Given.gauge("cpu", Signal.CPU, "%");
        harness.processElement(Given.block(T0 + t * TICK, cpu, t == 30 ? 500 : 50), 0);
      }
      long spike = T0 + 30 * TICK;
      harness.processWatermark(spike + 59_999);
      assertEquals(0, matches(harness.extractOutputValues()).count());
      harness.processWatermark(spike + 60_000);
      GraphEvent timeout = matches(harness.extractOutputValues()).findFirst().orElseThrow();
      assertEquals(spike + 60_000, timeout.time());
      assertTrue(new String(timeout.match()).contains("\"kind\":\"timeout\""));
    }
  }

  private static final String SILENT =
      """
      {"id": "silent", "version": 1, "key": "node", "severity": "critical", "within_ms": 60000,
       "steps": [
         {"name": "alive", "where": {"op": ">", "left": {"field": "value"},
          "right": {"const": 0}}},
         {"name": "again", "contiguity": "not_followed_by", "where": {"op": ">",
          "left": {"field": "value"}, "right": {"const": 0}}}]}\
      """;

  /** One sample of cart, then web alone for five minutes; the nodes that are found silent. */
  private static List<String> silent(Map<String, Long> graphEnds) throws Exception {
    NodeConfig base = Given.config(SILENT);
    NodeConfig config =
        new NodeConfig(
            base.tickMs(),
            base.graphTicks(),
            base.windowTicks(),
            base.rules(),
            base.patterns(),
            false,
            base.limits(),
            base.edges(),
            false,
            graphEnds);
    try (var harness =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(new NodeOperator(config)), Block::key, Types.STRING)) {
      harness.setup(GraphEventSerializer.INSTANCE);
      harness.open();
      Layout cpu = Layout.of(Given.gauge("cpu", Signal.CPU, "%"));
      harness.processElement(Given.block(T0, cpu, 50), T0);
      for (long time = T0; time <= T0 + 300_000; time += TICK) {
        Block block = new Block("shop", "web", time, cpu, new double[] {50}, null);
        harness.processElement(block, time);
        harness.processWatermark(time - 1);
      }
      harness.processWatermark(Long.MAX_VALUE);
      assertEquals(0, harness.numEventTimeTimers());
      return matches(harness.extractOutputValues())
          .map(event -> new String(event.match()).replaceAll(".*\"node\":\"(\\w+)\".*", "$1"))
          .toList();
    }
  }

  /** A recording that ends is no silent node. */
  @Test
  void theEndOfTheInputIsNoSilence() throws Exception {
    assertEquals(List.of("cart"), silent(Map.of()));
    assertEquals(List.of("cart"), silent(Map.of("shop", T0 + 60_000, "other", T0)));
    assertEquals(List.of(), silent(Map.of("shop", T0 + 59_999)));
  }

  private static Stream<GraphEvent> matches(List<GraphEvent> events) {
    return events.stream().filter(e -> e.match() != null);
  }
}
