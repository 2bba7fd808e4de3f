package io.faultline.node;

import static io.faultline.node.Given.T0;
import static io.faultline.node.Given.TICK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.config.LimitsConfig;
import io.faultline.control.PatternControl;
import io.faultline.control.Records;
import io.faultline.records.Block;
import io.faultline.records.GraphEvent;
import io.faultline.records.GraphEventSerializer;
import io.faultline.records.Signal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The node operator on the control topic: what it runs, answers, keeps and frees. */
// The harness may be interrupted while it closes: that fails the test, as it should.
@SuppressWarnings("try")
class LiveNodeOperatorTest {
  /** Of a version, any sample above a limit. */
  private static final String ONE =
      """
      {"id":"p","version":%d,"key":"node","severity":"critical","within_ms":60000,"steps":[
       {"name":"s","where":{"op":">","left":{"field":"value"},"right":{"const":%d}}}]}\
      """;

  private static final class Harness
      extends KeyedBroadcastOperatorTestHarness<String, Block, Row, GraphEvent> {
    private int scrapes;

    Harness(NodeConfig config) throws Exception {
      this(config, LimitsConfig.DEFAULT);
    }

    Harness(NodeConfig config, LimitsConfig limits) throws Exception {
      super(
          new CoBroadcastWithKeyedOperator<>(
              new LiveNodeOperator(config, limits), List.of(PatternControl.STATE)),
          Block::key,
          Types.STRING,
          128,
          1,
          0);
      setup(GraphEventSerializer.INSTANCE);
    }

    Harness begin() throws Exception {
      open();
      processBroadcastWatermark(Long.MAX_VALUE);
      return this;
    }

    /** A record of the control topic; the last line of the audit. */
    JsonNode control(String record) throws Exception {
      byte[] value = record == null ? null : record.getBytes(StandardCharsets.UTF_8);
      processBroadcastElement(Row.of("p", value), 0);
      List<JsonNode> told = audit();
      return told.get(told.size() - 1);
    }

    /** A scrape of one node for each value, ten seconds apart, each complete when it is told. */
    Harness scrape(double... values) throws Exception {
      for (double value : values) {
        long time = T0 + scrapes++ * 1_000L;
        processElement(Given.block(time, Given.gauge("m", Signal.CPU, "%"), value), time);
        processWatermark(time);
      }
      return this;
    }

    /** Restored at this scrape. */
    Harness at(Harness before) {
      scrapes = before.scrapes;
      return this;
    }

    List<JsonNode> audit() {
      List<JsonNode> told = new ArrayList<>();
      var side = getSideOutput(NodeOperator.AUDIT);
      if (side != null) {
        side.forEach(record -> told.add(Records.json(record.getValue())));
      }
      return told;
    }

    /** Pattern, version and start of each match so far, in scrapes. */
    List<String> matches() {
      return LiveNodeOperatorTest.matches(this);
    }
  }

  private static List<String> matches(AbstractStreamOperatorTestHarness<GraphEvent> harness) {
    List<String> found = new ArrayList<>();
    for (Object record : harness.getOutput()) {
      if (record instanceof StreamRecord<?> r && ((GraphEvent) r.getValue()).match() != null) {
        byte[] match = ((GraphEvent) r.getValue()).match();
        JsonNode json = Records.json(new String(match, StandardCharsets.UTF_8));
        String mark = json.path("dry_run").asBoolean() ? " tried" : "";
        long at = (json.path("start").asLong() - T0) / 1_000;
        found.add(json.path("pattern").asText() + "@" + json.path("version") + " " + at + mark);
      }
    }
    return found;
  }

  private static NodeConfig config(String... patterns) {
    return Given.config(patterns);
  }

  @Test
  void publishedReplacedRetired() throws Exception {
    try (Harness harness = new Harness(config()).begin()) {
      harness.scrape(9, 1);
      JsonNode answer = harness.control(Records.publish(1, 5));
      assertEquals("live", answer.path("state").asText());
      assertEquals("r1", answer.path("request").asText());
      assertEquals("1 of 1", answer.path("subtask").asInt() + 1 + " of " + answer.path("subtasks"));
      harness.scrape(9, 1, 9);
      harness.control(Records.publish(2, 7));
      harness.scrape(6, 1, 8, 1);
      assertEquals("retired", harness.control(Records.retire(2)).path("state").asText());
      harness.scrape(9, 1);
      assertEquals(List.of("p@1 2", "p@1 4", "p@2 7"), harness.matches());
    }
  }

  @Test
  void withDropPartialMatchesGo() throws Exception {
    try (Harness harness = new Harness(config(Records.pattern(1, 5))).begin()) {
      harness.scrape(9);
      harness.control(Records.publish(2, 7).replace("\"drain\"", "\"drop\""));
      harness.scrape(1, 9, 1);
      assertEquals(List.of("p@2 2"), harness.matches());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"drain", "drop"})
  void aHundredUpdatesLoseNoSampleAndMatchNoneTwice(String inFlight) throws Exception {
    try (Harness harness = new Harness(config(ONE.formatted(1, 5))).begin()) {
      List<String> expected = new ArrayList<>();
      for (int version = 1; version <= 100; version++) {
        harness.control(Records.publish(ONE.formatted(version, 5)).replace("drain", inFlight));
        harness.scrape(9, 1, 9);
        expected.add("p@" + version + " " + 3 * (version - 1));
        expected.add("p@" + version + " " + (3 * version - 1));
      }
      assertEquals(expected, harness.matches());
    }
  }

  @Test
  void twoHundredPatternsAreLiveAtOnce() throws Exception {
    try (Harness harness = new Harness(config()).begin()) {
      for (int i = 0; i < 200; i++) {
        String id = "p" + i;
        String record = Records.publish(1, i).replace("\"id\":\"p\"", "\"id\":\"" + id + "\"");
        harness.processBroadcastElement(Row.of(id, record.getBytes(StandardCharsets.UTF_8)), 0);
      }
      assertEquals(201, harness.audit().size());
      harness.scrape(149.5, -1);
      assertEquals(150, harness.matches().size());
      try (Harness restored = new Harness(config()).at(harness)) {
        restored.initializeState(harness.snapshot(1, 1));
        restored.begin().scrape(99.5, -1);
        assertEquals(100, restored.matches().size());
      }
    }
  }

  @Test
  void aDryRunIsMarked() throws Exception {
    try (Harness harness = new Harness(config()).begin()) {
      String tried = Records.publish(1, 5).replace("\"dry_run\":false", "\"dry_run\":true");
      assertTrue(harness.control(tried).path("dry_run").asBoolean());
      assertEquals(List.of("p@1 0 tried"), harness.scrape(9, 1).matches());
    }
  }

  @Test
  void badRecordsAreAnsweredAndStopNothing() throws Exception {
    try (Harness harness = new Harness(config(Records.pattern(1, 5))).begin()) {
      for (String bad : List.of("", "\u0000", "[1]", "{\"v\":1}", Records.publish(1, 6))) {
        JsonNode answer = harness.control(bad);
        assertEquals("refused", answer.path("state").asText());
        assertTrue(answer.path("reason").asText().length() > 5, answer.toString());
      }
      assertEquals(List.of("p@1 0"), harness.scrape(9, 1).matches());
    }
  }

  @Test
  void recordsOfModelsArePassedOver() throws Exception {
    try (Harness harness = new Harness(config(Records.pattern(1, 5))).begin()) {
      byte[] record = "{\"kind\":\"model\"}".getBytes(StandardCharsets.UTF_8);
      harness.processBroadcastElement(Row.of("model/bundles", record), 0);
      harness.processBroadcastElement(Row.of("model/bundles", null), 0);
      assertEquals(List.of("p@1 0"), harness.scrape(9, 1).matches());
      assertEquals(1, harness.audit().size());
      assertEquals("patterns_live", harness.audit().get(0).path("type").asText());
    }
  }

  @Test
  void whatIsLiveIsToldOnceAfterAStart() throws Exception {
    try (Harness harness = new Harness(config(Records.pattern(1, 5))).begin()) {
      harness.scrape(1, 1, 1);
      assertEquals(1, harness.audit().size());
      JsonNode told = harness.audit().get(0);
      assertEquals("patterns_live", told.path("type").asText());
      assertEquals("configuration", told.path("patterns").path(0).path("from").asText());
    }
  }

  @Test
  void aRestartKeepsWhatIsLiveAndWhatDrains() throws Exception {
    OperatorSubtaskState snapshot;
    try (Harness harness = new Harness(config(Records.pattern(1, 5))).begin()) {
      harness.scrape(9);
      harness.control(Records.publish(2, 7));
      harness.scrape(8);
      snapshot = harness.snapshot(1, 1);
      for (NodeConfig changed : List.of(config(Records.pattern(1, 5)), config())) {
        try (Harness restored = new Harness(changed).at(harness)) {
          restored.initializeState(snapshot);
          restored.begin().scrape(1, 6, 1, 8, 1);
          assertEquals(List.of("p@2 1", "p@1 0", "p@2 5"), restored.matches());
        }
      }
      try (Harness restored = new Harness(config(Records.pattern(3, 5))).at(harness)) {
        restored.initializeState(snapshot);
        restored.begin().scrape(1, 6, 1);
        assertEquals(List.of("p@1 0", "p@3 3"), restored.matches());
      }
    }
  }

  @Test
  void stateGoesFromAJobWithoutControlToOneWithAndBack() throws Exception {
    NodeConfig config = config(Records.pattern(1, 5));
    OperatorSubtaskState snapshot;
    try (var plain =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(new NodeOperator(config)),
            Block::key,
            Types.STRING,
            128,
            1,
            0)) {
      plain.setup(GraphEventSerializer.INSTANCE);
      plain.open();
      plain.processElement(Given.block(T0, Given.gauge("m", Signal.CPU, "%"), 9), T0);
      plain.processWatermark(T0);
      snapshot = plain.snapshot(1, 1);
    }
    try (Harness live = new Harness(config)) {
      live.initializeState(snapshot);
      live.scrapes = 1;
      live.begin().scrape(9);
      snapshot = live.snapshot(2, 2);
    }
    try (var plain =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(new NodeOperator(config)),
            Block::key,
            Types.STRING,
            128,
            1,
            0)) {
      plain.setup(GraphEventSerializer.INSTANCE);
      plain.initializeState(snapshot);
      plain.open();
      plain.processElement(Given.block(T0 + 2_000, Given.gauge("m", Signal.CPU, "%"), 1), T0);
      plain.processWatermark(T0 + 2_000);
      assertEquals(List.of("p@1 0", "p@1 1"), matches(plain));
    }
  }

  @Test
  void whatGoesWrongIsContainedCountedAndNamed() throws Exception {
    String zero =
        """
        {"id":"p","version":1,"key":"node","severity":"critical","within_ms":60000,"steps":[
         {"name":"s","where":{"op":">","left":{"op":"/","args":[{"const":1},{"field":"value"}]},
          "right":{"const":-1}}}]}\
        """;
    String loop =
        """
        {"id":"p","version":2,"key":"node","severity":"critical","within_ms":864000000,"steps":[
         {"name":"a","one_or_more":true,"combinations":true,
          "where":{"op":">","left":{"field":"value"},"right":{"const":-1}}},
         {"name":"b","where":{"op":"<","left":{"field":"value"},"right":{"const":-5}}}]}\
        """;
    NodeConfig config =
        new NodeConfig(
            TICK,
            java.util.Map.of(),
            10,
            List.of(),
            List.of(),
            false,
            new NodeConfig.Limits(50, 2_000));
    try (Harness harness = new Harness(config).begin()) {
      assertEquals("live", harness.control(Records.publish(zero)).path("state").asText());
      harness.scrape(new double[300]);
      assertEquals(List.of(), harness.matches());
      assertEquals("live", harness.control(Records.publish(loop)).path("state").asText());
      harness.scrape(new double[300]);
      List<String> named = new ArrayList<>();
      for (JsonNode told : harness.audit()) {
        if (told.path("type").asText().equals("pattern_contained")) {
          assertTrue(told.path("count").asLong() > 0);
          named.add(told.path("version") + " " + told.path("reason").asText());
        }
      }
      assertTrue(named.contains("1 condition_errors"), named.toString());
      assertTrue(named.contains("2 partials_evicted"), named.toString());
      assertTrue(named.size() < 20, "told at the first, the tenth, the hundredth, found " + named);
      harness.control(Records.publish(3, 5).replace("\"drain\"", "\"drop\""));
      assertEquals(List.of("p@3 600"), harness.scrape(9, 1).matches());
    }
  }

  private static final LimitsConfig NO_TIME = new LimitsConfig(null, null, null, null, 1e-9, 1L);

  private static List<JsonNode> suspensions(Harness harness) {
    return harness.audit().stream()
        .filter(told -> told.path("type").asText().equals("pattern_suspended"))
        .toList();
  }

  /** Scrapes until so many patterns were suspended: time must pass, and an automaton take some. */
  private static JsonNode suspension(Harness harness, int count) throws Exception {
    for (int i = 0; i < 100_000 && suspensions(harness).size() < count; i++) {
      harness.scrape(9, 1);
    }
    List<JsonNode> found = suspensions(harness);
    assertEquals(count, found.size());
    return found.get(count - 1);
  }

  @Test
  void aPatternThatTakesTooMuchTimeIsSuspendedAndNamed() throws Exception {
    String idle = Records.pattern(1, 1e9).replace("\"id\":\"p\"", "\"id\":\"idle\"");
    try (Harness harness = new Harness(config(idle), NO_TIME).begin()) {
      harness.control(Records.publish(ONE.formatted(1, 5)));
      JsonNode told = suspension(harness, 1);
      assertEquals("p", told.path("pattern").asText());
      assertEquals(1, told.path("version").asInt());
      assertEquals("r1", told.path("request").asText());
      assertEquals(1e-9, told.path("allowed").asDouble());
      assertTrue(told.path("window_ms").asLong() >= 1);
      int found = harness.matches().size();
      harness.scrape(9, 1, 9, 1);
      assertEquals(found, harness.matches().size(), "it runs no more");
      harness.control(Records.publish(ONE.formatted(1, 5)));
      harness.scrape(9, 1);
      assertEquals(found + 1, harness.matches().size(), "it runs once it is published again");
      suspension(harness, 2);
      harness.control(Records.publish(ONE.formatted(2, 5)));
      assertEquals(2, suspension(harness, 3).path("version").asInt());
    }
  }

  @Test
  void aSuspensionEndsWithTheTask() throws Exception {
    try (Harness harness = new Harness(config(Records.pattern(1, 5)), NO_TIME).begin()) {
      assertTrue(suspension(harness, 1).path("request").isNull());
      harness.scrape(9);
      try (Harness restored = new Harness(config(Records.pattern(1, 5))).at(harness)) {
        restored.initializeState(harness.snapshot(1, 1));
        restored.begin().scrape(1, 9, 1);
        assertEquals(1, restored.matches().size(), "what it held is gone, and it begins anew");
        assertEquals(List.of(), suspensions(restored));
      }
    }
  }
}
