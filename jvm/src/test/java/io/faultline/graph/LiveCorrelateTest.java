package io.faultline.graph;

import static io.faultline.graph.Events.T0;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.faultline.config.LimitsConfig;
import io.faultline.control.PatternControl;
import io.faultline.control.Records;
import io.faultline.records.GraphEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;

/** Patterns keyed by graph that come and go. */
// The harness may be interrupted while it closes: that fails the test, as it should.
@SuppressWarnings("try")
class LiveCorrelateTest {
  private static final String BOTH =
      """
      {"id":"both","version":1,"key":"graph","severity":"critical","within_ms":60000,"steps":[
       {"name":"a","where":{"op":"==","left":{"field":"node"},"right":{"const":"cart"}}},
       {"name":"b","where":{"op":"==","left":{"field":"node"},"right":{"const":"web"}}}]}\
      """;

  private static KeyedBroadcastOperatorTestHarness<String, GraphEvent, Row, Row> harness()
      throws Exception {
    var harness =
        new KeyedBroadcastOperatorTestHarness<>(
            new CoBroadcastWithKeyedOperator<>(
                new LiveCorrelate(Events.CONFIG, LimitsConfig.DEFAULT),
                List.of(PatternControl.STATE)),
            GraphEvent::graph,
            Types.STRING,
            128,
            1,
            0);
    harness.setup(Correlate.ROW.createSerializer(new ExecutionConfig().getSerializerConfig()));
    return harness;
  }

  private static void begin(KeyedBroadcastOperatorTestHarness<String, GraphEvent, Row, Row> harness)
      throws Exception {
    harness.open();
    harness.processBroadcastWatermark(Long.MAX_VALUE);
  }

  private static void see(
      KeyedBroadcastOperatorTestHarness<String, GraphEvent, Row, Row> harness,
      String node,
      long after,
      String more)
      throws Exception {
    String json =
        """
        {"graph":"shop","node":"%s","pattern":"slow","version":1,"severity":"critical",\
        "kind":"match","time":1,"start":1,"end":1,"steps":[]%s}\
        """
            .formatted(node, more);
    harness.processElement(Events.match(after, json), T0 + after);
    harness.processWatermark(T0 + after);
  }

  private static void control(
      KeyedBroadcastOperatorTestHarness<String, GraphEvent, Row, Row> harness,
      String key,
      String record)
      throws Exception {
    harness.processBroadcastElement(Row.of(key, record.getBytes(StandardCharsets.UTF_8)), 0);
  }

  /** Matches of patterns keyed by graph. */
  private static List<String> found(
      KeyedBroadcastOperatorTestHarness<String, GraphEvent, Row, Row> harness) {
    List<String> found = new ArrayList<>();
    for (Row row : harness.extractOutputValues()) {
      if ("match".equals(row.getField(1))) {
        String json = new String((byte[]) row.getField(3), StandardCharsets.UTF_8);
        JsonNode match = Records.json(json);
        if (match.path("key").asText().equals("graph")) {
          found.add(match.path("pattern").asText() + "@" + match.path("version"));
        }
      }
    }
    return found;
  }

  @Test
  void aPublishedPatternOfAGraphSeesRealMatchesOnlyAndSurvivesARestart() throws Exception {
    OperatorSubtaskState snapshot;
    try (var harness = harness()) {
      begin(harness);
      control(harness, "both", Records.publish(BOTH));
      see(harness, "cart", 0, ",\"dry_run\":true");
      see(harness, "web", 1, "");
      assertEquals(List.of(), found(harness));
      see(harness, "cart", 2, "");
      snapshot = harness.snapshot(1, 1);
    }
    try (var harness = harness()) {
      harness.initializeState(snapshot);
      begin(harness);
      see(harness, "web", 3, "");
      assertEquals(List.of("both@1"), found(harness));
      control(harness, "both", Records.retire(1).replace("\"p\"", "\"both\""));
      see(harness, "cart", 4, "");
      see(harness, "web", 5, "");
      assertEquals(List.of("both@1"), found(harness));
    }
  }

  @Test
  void patternsOfNodesAreFollowedAndNotAnswered() throws Exception {
    try (var harness = harness()) {
      begin(harness);
      control(harness, "p", Records.publish(1, 5));
      control(harness, "p", "no json");
      var audit = harness.getSideOutput(Correlate.AUDIT);
      assertEquals(1, audit.size());
      JsonNode told = Records.json(audit.peek().getValue());
      assertEquals("patterns_live", told.path("type").asText());
      assertNull(told.get("state"));
    }
  }
}
