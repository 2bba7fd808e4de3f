package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.config.Attribute;
import io.faultline.config.IdentityConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Inputs that broke systems in the field. */
class CasesTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "decode-null-and-empty-value",
        "decode-otlp-json-int-forms",
        "counter-interleaved-instances",
        "counter-no-recorded-value",
        "counter-reset-sum",
        "counter-retry-duplicates",
        "topology-servicegraph-virtual-user"
      })
  void outcomeIsAsExpected(String id) throws Exception {
    JsonNode testCase = read(id);
    JsonNode expected = testCase.path("expected");
    List<Collected> found = decode(testCase);
    if (expected.has("samples")) {
      assertEquals(strings(expected.path("samples")), samples(found, expected.path("samples")));
    }
    if (expected.has("dead_letters")) {
      assertEquals(reasons(expected.path("dead_letters")), deadLetters(found));
    }
    if (expected.has("edges")) {
      checkEdges(expected.path("edges"), found);
    }
    if (id.startsWith("decode")) {
      assertEquals(reasons(expected.path("ignored")), ignored(found));
    }
    if (id.startsWith("counter")) {
      int points = found.stream().mapToInt(c -> c.samples.size() + c.ignored.size()).sum();
      assertEquals(testCase.path("records").size(), points);
    }
  }

  private static JsonNode read(String id) throws IOException {
    try (InputStream in = CasesTest.class.getResourceAsStream("/cases/" + id + ".json")) {
      return MAPPER.readTree(in);
    }
  }

  private static List<Collected> decode(JsonNode testCase) throws IOException {
    boolean otlp = testCase.path("format").asText().equals("otlp_json");
    IdentityConfig identity =
        otlp ? new IdentityConfig(Attribute.ofValue("shop"), null, null) : IdentityConfig.DEFAULT;
    Decoder decoder =
        Decoders.create(otlp ? Decoders.OTLP_JSON : Decoders.NATIVE, identity, "default");
    List<Collected> out = new ArrayList<>();
    for (JsonNode record : testCase.path("records")) {
      String text = record.path("value").textValue();
      byte[] value = text == null ? null : text.getBytes(StandardCharsets.UTF_8);
      out.add(Collected.of(decoder, value));
    }
    return out;
  }

  private static List<String> strings(JsonNode expected) {
    List<String> out = new ArrayList<>();
    for (JsonNode s : expected) {
      out.add(
          s.path("record").asInt()
              + " "
              + s.path("node").asText()
              + " "
              + s.path("metric").asText()
              + " "
              + s.path("value").asDouble()
              + " "
              + s.path("time").asLong());
    }
    return out;
  }

  private static List<String> samples(List<Collected> found, JsonNode expected) {
    List<String> out = new ArrayList<>();
    for (int record = 0; record < found.size(); record++) {
      for (Collected.Sample s : found.get(record).samples) {
        expected
            .path(out.size())
            .path("labels")
            .fields()
            .forEachRemaining(l -> assertEquals(l.getValue().asText(), s.key().label(l.getKey())));
        out.add(
            record + " " + s.node() + " " + s.key().metric() + " " + s.value() + " " + s.time());
      }
    }
    return out;
  }

  private static List<String> reasons(JsonNode expected) {
    List<String> out = new ArrayList<>();
    expected.forEach(e -> out.add(e.path("record").asInt() + " " + e.path("reason").asText()));
    return out;
  }

  private static List<String> deadLetters(List<Collected> found) {
    List<String> out = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      int record = i;
      found.get(i).reasons().forEach(reason -> out.add(record + " " + reason));
    }
    return out;
  }

  private static List<String> ignored(List<Collected> found) {
    List<String> out = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      int record = i;
      found.get(i).ignored.forEach(reason -> out.add(record + " " + reason));
    }
    return out;
  }

  private static void checkEdges(JsonNode expected, List<Collected> found) {
    for (Collected record : found) {
      List<String> edges =
          record.calls.stream().map(e -> e.source() + ">" + e.target() + " " + e.kind()).toList();
      List<String> wanted = new ArrayList<>();
      expected.forEach(
          e ->
              wanted.add(
                  e.path("source").asText()
                      + ">"
                      + e.path("target").asText()
                      + " "
                      + e.path("kind").asText()));
      assertEquals(wanted, edges);
      assertTrue(record.samples.stream().noneMatch(s -> s.node().equals("user")));
    }
  }
}
