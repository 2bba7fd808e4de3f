package io.faultline.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

class DecodeTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long T0 = 1767225600000L;
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
  private int code;

  private List<JsonNode> ask(String request) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] bytes = request.getBytes(StandardCharsets.UTF_8);
    code = Decode.run(new ByteArrayInputStream(bytes), out, new PrintStream(errors, true));
    List<JsonNode> lines = new ArrayList<>();
    for (String line : out.toString(StandardCharsets.UTF_8).split("\n")) {
      if (!line.isEmpty()) {
        lines.add(JSON.readTree(line));
      }
    }
    return lines;
  }

  private static String record(String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    return "{\"value_base64\":\"" + Base64.getEncoder().encodeToString(bytes) + "\"}";
  }

  private static String counter(long seconds, int value) {
    return record(
        "{\"graph\":\"shop\",\"node\":\"cart\",\"metric\":\"calls\",\"value\":"
            + value
            + ",\"time\":"
            + (T0 + seconds * 1_000)
            + ",\"kind\":\"counter\",\"signal\":\"traffic\"}");
  }

  @Test
  void everyTypeOfLine() throws Exception {
    List<JsonNode> lines =
        ask(
            "{\"format\":\"native\",\"records\":[{\"value_base64\":null},"
                + record(
                    "{\"graph\":\"shöp\",\"node\":\"cart\",\"metric\":\"m\",\"value\":1.5,"
                        + "\"time\":1767225600000,\"unit\":\"%\",\"labels\":{\"a\":\"b\"}}")
                + ","
                + record(
                    "{\"graph\":\"g\",\"source\":\"a\",\"target\":\"b\",\"time\":1767225600000}")
                + ","
                + record("{bad")
                + "]}");
    assertEquals(0, code, errors::toString);
    assertEquals(
        JSON.readTree("{\"type\":\"ignored\",\"record\":0,\"reason\":\"tombstone\"}"),
        lines.get(0));
    assertEquals(
        JSON.readTree(
            "{\"type\":\"sample\",\"record\":1,\"graph\":\"shöp\",\"node\":\"cart\","
                + "\"metric\":\"m\",\"kind\":\"gauge\",\"unit\":\"%\",\"signal\":null,\"peer\":null,"
                + "\"side\":null,\"labels\":{\"a\":\"b\"},\"value\":1.5,\"time\":1767225600000}"),
        lines.get(1));
    assertEquals(
        JSON.readTree(
            "{\"type\":\"edge\",\"record\":2,\"graph\":\"g\",\"source\":\"a\",\"target\":\"b\","
                + "\"time\":1767225600000,\"kind\":null,\"ttl\":null}"),
        lines.get(2));
    assertEquals("dead_letter", lines.get(3).get("type").asText());
    assertEquals("malformed", lines.get(3).get("reason").asText());
    assertEquals(3, lines.get(3).get("record").asInt());
    assertEquals(4, lines.size());
  }

  @Test
  void otlpPayload() throws Exception {
    try (InputStream in = getClass().getResourceAsStream("/otlp_metrics.pb")) {
      String value = Base64.getEncoder().encodeToString(in.readAllBytes());
      String records = "\"records\":[{\"value_base64\":\"" + value + "\"}]}";
      List<JsonNode> lines = ask("{\"format\":\"otlp_proto\"," + records);
      assertEquals(13, lines.size());
      assertEquals("checkout", lines.get(0).get("node").asText());
      List<JsonNode> named =
          ask("{\"format\":\"otlp_proto\",\"identity\":{\"graph\":{\"value\":\"x\"}}," + records);
      assertEquals("x", named.get(0).get("graph").asText());
    }
  }

  @Test
  void normalisedShowsRatesAndWhatWasLeftOut() throws Exception {
    String records =
        String.join(",", counter(0, 100), counter(10, 150), counter(10, 150), counter(20, 210));
    List<JsonNode> lines =
        ask("{\"format\":\"native\",\"normalised\":true,\"records\":[" + records + "]}");
    assertEquals(0, code, errors::toString);
    assertEquals(4, lines.size(), lines::toString);
    assertEquals("series", lines.get(3).get("type").asText());
    assertEquals(5.0, lines.get(0).get("value").asDouble());
    assertEquals(1, lines.get(0).get("record").asInt());
    assertEquals("traffic", lines.get(0).get("signal").asText());
    assertTrue(lines.get(0).get("z").isNull());
    assertEquals("duplicate", lines.get(1).get("reason").asText());
    assertEquals(2, lines.get(1).get("record").asInt());
    assertEquals(6.0, lines.get(2).get("value").asDouble());
  }

  @Test
  void theFutureIsRefused() throws Exception {
    String far = counter(1_000, 1).replace("}", ",\"timestamp\":" + T0 + "}");
    List<JsonNode> lines = ask("{\"format\":\"native\",\"records\":[" + far + "]}");
    assertEquals("bad_time", lines.get(0).get("reason").asText());
  }

  @Test
  void wrongRequestsNameTheMend() throws Exception {
    ask("{\"format\":\"native\",\"recods\":[],\"records\":[]}");
    assertEquals(1, code);
    assertTrue(errors.toString().contains("'records'"), errors::toString);
    ask("{\"format\":\"avro\",\"records\":[]}");
    assertEquals(1, code);
    ask("{\"format\":\"native\",\"records\":[{\"value_base64\":\"?\"}]}");
    assertEquals(1, code);
    assertTrue(errors.toString().contains("records[0].value_base64"), errors::toString);
    ask("");
    assertEquals(1, code);
  }

  private static String sent(String metric, String rest) {
    return record(
        "{\"graph\":\"shop\",\"node\":\"cart\",\"metric\":\""
            + metric
            + "\",\"value\":1,\"time\":"
            + T0
            + rest
            + "}");
  }

  @Test
  void normalisedShowsWhichRuleHitAndWhatNoneKnows() throws Exception {
    String records =
        String.join(
            ",",
            sent("calls_total", ",\"labels\":{\"code\":\"503\"}"),
            sent("cart_items", ",\"unit\":\"furlongs\""),
            sent("cart_items", ",\"labels\":{\"shelf\":\"a\"}"),
            sent("amount_sum", ",\"kind\":\"counter\""),
            sent("amount_count", ",\"kind\":\"counter\""),
            sent("noise", ""));
    String rules =
        """
        [{"metric": "calls_total", "signal": "traffic", "unit": "1", "kind": "counter",
          "sum": ["code"], "also": [{"signal": "errors", "where": [{"code": "5.."}]}],
          "place": "mine.yaml:1"},
         {"metric": "noise", "drop": true, "place": "mine.yaml:2"}]\
        """;
    List<JsonNode> lines =
        ask(
            "{\"format\":\"native\",\"normalised\":true,\"records\":[%s],\"rules\":%s}"
                .formatted(records, rules));
    List<JsonNode> series = lines.stream().filter(l -> is(l, "series")).toList();
    assertEquals(6, series.size());
    JsonNode calls = series.get(0);
    assertEquals("mine.yaml:1", calls.get("rule").asText());
    assertEquals("1/s", calls.get("unit").asText());
    assertEquals("counter", calls.get("kind").asText());
    assertEquals("errors", calls.get("makes").get(1).get("signal").asText());
    assertEquals("plus", calls.get("makes").get(1).get("term").asText());
    assertTrue(series.get(5).get("dropped").asBoolean());
    assertEquals(List.of(false, true), List.of(known(series.get(1)), known(series.get(2))));
    List<JsonNode> unmapped = lines.stream().filter(l -> is(l, "unmapped")).toList();
    assertEquals("cart_items", unmapped.get(0).get("metric").asText());
    assertEquals(2, unmapped.get(0).get("series").asInt());
    assertEquals("amount", unmapped.get(1).get("metric").asText());
    assertTrue(unmapped.get(1).get("histogram").asBoolean());
    assertEquals(2, unmapped.size());
  }

  private static boolean is(JsonNode line, String type) {
    return line.get("type").asText().equals(type);
  }

  private static boolean known(JsonNode series) {
    return series.get("unit_known").asBoolean();
  }
}
