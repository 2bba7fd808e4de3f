package io.faultline.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Inputs that broke counters in the field, through the whole way from bytes to rates. */
class NormalisedCasesTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "counter-interleaved-instances",
        "counter-no-recorded-value",
        "counter-reset-sum",
        "counter-retry-duplicates",
      })
  void ratesAreAsExpected(String id) throws Exception {
    JsonNode testCase = read(id);
    JsonNode expected = testCase.path("expected").path("rates");
    List<JsonNode> lines = decode(testCase);
    Map<Long, Double> rates =
        rates(lines, testCase.path("t0").asLong(), "metric", expected.path("metric").asText());
    check(expected.path("values"), rates);
    assertFalse(rates.isEmpty());
    assertEquals(reasons(testCase.path("expected").path("ignored")), ignored(lines));
    for (double rate : rates.values()) {
      assertTrue(rate >= expected.path("bounds").path("min").asDouble(), rates::toString);
      assertTrue(rate <= expected.path("bounds").path("max").asDouble(), rates::toString);
    }
  }

  private static List<String> reasons(JsonNode expected) {
    List<String> out = new ArrayList<>();
    expected.forEach(e -> out.add(e.path("record").asInt() + " " + e.path("reason").asText()));
    return out;
  }

  private static List<String> ignored(List<JsonNode> lines) {
    List<String> out = new ArrayList<>();
    for (JsonNode line : lines) {
      if (line.path("type").asText().equals("ignored")) {
        out.add(line.path("record").asInt() + " " + line.path("reason").asText());
      }
    }
    out.sort(null);
    return out;
  }

  /** What befell the counters is told beside their rates. */
  @Test
  void restartsAndOverlapsAreNoted() throws Exception {
    assertEquals(List.of("3 counter_restart"), notes("counter-reset-sum"));
    assertEquals(List.of("1 overlapping_streams"), notes("counter-interleaved-instances"));
    assertEquals(List.of(), notes("counter-retry-duplicates"));
  }

  private static List<String> notes(String id) throws Exception {
    List<String> out = new ArrayList<>();
    for (JsonNode line : decode(read(id))) {
      if (line.path("type").asText().equals("note")) {
        assertEquals("http.requests", line.path("metric").asText());
        out.add(line.path("record").asInt() + " " + line.path("reason").asText());
      }
    }
    return out;
  }

  @Test
  void edgeTrafficIsTheSumAndErrorsAreTheFailed() throws Exception {
    JsonNode testCase = read("topology-servicegraph-virtual-user");
    List<JsonNode> lines = decode(testCase);
    for (JsonNode expected : testCase.path("expected").path("rates")) {
      List<JsonNode> edge =
          lines.stream()
              .filter(l -> l.path("node").asText().equals(expected.path("node").asText()))
              .filter(l -> l.path("peer").asText().equals(expected.path("peer").asText()))
              .toList();
      String signal = expected.path("signal").asText();
      Map<Long, Double> rates = rates(edge, testCase.path("t0").asLong(), "signal", signal);
      assertEquals(expected.path("values").size(), rates.size());
      check(expected.path("values"), rates);
    }
    assertTrue(lines.stream().noneMatch(l -> l.path("node").asText().equals("user")));
  }

  @Test
  void aFailedSplitThatExpiresIsNoRestart() throws Exception {
    JsonNode testCase = read("topology-servicegraph-virtual-user");
    ObjectNode without = testCase.deepCopy();
    String last = testCase.path("records").get(1).path("value").asText();
    without.withArray("records").addObject().put("value", withoutFailed(last, 120, 600));
    without.withArray("records").addObject().put("value", withoutFailed(last, 180, 660));
    List<JsonNode> lines = decode(without);
    Map<Long, Double> traffic =
        rates(
            lines.stream().filter(l -> l.path("peer").asText().equals("frontend")).toList(),
            testCase.path("t0").asLong(),
            "signal",
            "traffic");
    assertEquals(Map.of(60L, 5.5, 120L, 0.0, 180L, 1.0), traffic);
  }

  /** The payload at another time, without its failed calls and with this sum of the others. */
  private static String withoutFailed(String payload, long seconds, int calls) throws Exception {
    String later = payload.replace("1767225660", Long.toString(1767225600L + seconds));
    JsonNode root = JSON.readTree(later.replace("\"600\"", "\"" + calls + "\""));
    ArrayNode points = (ArrayNode) root.findValue("dataPoints");
    for (int i = points.size() - 1; i >= 0; i--) {
      if (points.get(i).findValuesAsText("boolValue").contains("true")) {
        points.remove(i);
      }
    }
    return JSON.writeValueAsString(root);
  }

  private static JsonNode read(String id) throws Exception {
    try (InputStream in = NormalisedCasesTest.class.getResourceAsStream("/cases/" + id + ".json")) {
      return JSON.readTree(in);
    }
  }

  private static List<JsonNode> decode(JsonNode testCase) throws Exception {
    ObjectNode request = JSON.createObjectNode();
    request.put("format", "otlp_json").put("graph", "shop").put("normalised", true);
    for (JsonNode record : testCase.path("records")) {
      byte[] value = record.path("value").asText().getBytes(StandardCharsets.UTF_8);
      request.withArray("records").addObject().put("value_base64", value);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] bytes = JSON.writeValueAsBytes(request);
    PrintStream err = new PrintStream(out);
    int code = Decode.run(new ByteArrayInputStream(bytes), out, err);
    String text = out.toString(StandardCharsets.UTF_8);
    assertEquals(0, code, text);
    List<JsonNode> lines = new ArrayList<>();
    for (String line : text.split("\n")) {
      lines.add(JSON.readTree(line));
    }
    return lines;
  }

  /** Rates by seconds after t0 of the lines whose key has that value. */
  private static Map<Long, Double> rates(List<JsonNode> lines, long t0, String key, String value) {
    Map<Long, Double> rates = new TreeMap<>();
    for (JsonNode line : lines) {
      if (line.path("type").asText().equals("sample") && line.path(key).asText().equals(value)) {
        double rate = line.path("value").asDouble();
        Double before = rates.put((line.path("time").asLong() - t0) / 1_000, rate);
        assertEquals(null, before, "two rates at one time");
      }
    }
    return rates;
  }

  private static void check(JsonNode expected, Map<Long, Double> rates) {
    for (JsonNode value : expected) {
      Double rate = rates.get(value.path("at").asLong());
      if (value.has("value")) {
        assertNotNull(rate, value::toString);
        assertEquals(value.path("value").asDouble(), rate, 1e-6, value::toString);
      } else if (value.has("none")) {
        assertEquals(null, rate, value.toString());
      } else {
        boolean found = false;
        for (JsonNode any : value.path("any_of")) {
          found |= any.isTextual() ? rate == null : rate != null && any.asDouble() == rate;
        }
        assertTrue(found, () -> value + " but was " + rate);
      }
    }
  }
}
