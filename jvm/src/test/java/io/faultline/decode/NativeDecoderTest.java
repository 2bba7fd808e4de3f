package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.config.Attribute;
import io.faultline.config.ConfigException;
import io.faultline.config.IdentityConfig;
import io.faultline.records.Edge;
import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NativeDecoderTest {
  private static final String GOOD =
      "{\"graph\":\"shop\",\"node\":\"cart\",\"metric\":\"m\",\"value\":1,\"time\":1767225600000}";

  private final NativeDecoder decoder = new NativeDecoder(null);

  private Collected decode(String text) {
    return Collected.of(decoder, text.getBytes(StandardCharsets.UTF_8));
  }

  /** The good sample with one field replaced or added. */
  private Collected decodeWith(String field, String json) {
    String without = GOOD.replaceAll("\"" + field + "\":[^,}]+,?", "").replace(",}", "}");
    return decode(without.substring(0, without.length() - 1) + ",\"" + field + "\":" + json + "}");
  }

  @Test
  void everyFieldIsRead() {
    Collected out =
        decode(
            "{\"labels\":{\"b\":\"2\",\"a\":\"1\"},\"side\":\"client\",\"signal\":\"latency\","
                + "\"unit\":\"ms\",\"kind\":\"counter\",\"peer\":\" web \",\"node\":\" cart\","
                + "\"graph\":\"shop\",\"metric\":\"m\",\"value\":-2.5e3,\"time\":1767225600001,"
                + "\"colour\":{\"deep\":[1,{}]}}");
    SeriesKey key =
        new SeriesKey(
            "m", "a\u001f1\u001eb\u001f2", "web", Side.CLIENT, Kind.COUNTER, Signal.LATENCY, "ms");
    assertEquals(
        List.of(new Collected.Sample("shop", "cart", 1767225600001L, key, -2500.0, 0L)),
        out.samples);
  }

  @Test
  void edgesAreRead() {
    Collected out =
        decode(
            "{\"graph\":\"shop\",\"source\":\"web\",\"target\":\"cart\",\"time\":1767225600000,"
                + "\"kind\":\"call\",\"ttl\":60000}");
    assertEquals(
        List.of(new Edge("shop", "web", "cart", 1767225600000L, "call", 60_000L)), out.edges);
    assertEquals(
        List.of("missing_field"),
        decode("{\"graph\":\"g\",\"source\":\"a\",\"time\":1767225600000}").reasons());
    assertEquals(
        List.of("self_edge"),
        decode("{\"graph\":\"g\",\"source\":\"a\",\"target\":\"a\",\"time\":1767225600000}")
            .ignored);
    assertEquals(
        List.of("unnamed_node"),
        decode("{\"graph\":\"g\",\"source\":\"user\",\"target\":\"a\",\"time\":1767225600000}")
            .ignored);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "value|NaN|malformed",
        "value|-Infinity|malformed",
        "value|1e999|bad_value",
        "value|'\"1\"'|bad_value",
        "value|true|bad_value",
        "value|{}|bad_value",
        "value|null|missing_field",
        "time|1767225600|bad_time",
        "time|1767225600000.0|bad_time",
        "time|1767225600000000|bad_time",
        "time|'\"1767225600000\"'|bad_time",
        "time|99999999999999999999|bad_time",
        "time|-1|bad_time",
        "time|null|missing_field",
        "graph|null|missing_field",
        "graph|' \" \"'|missing_field",
        "graph|'\"\\u0000 \"'|missing_field",
        "graph|7|bad_value",
        "metric|'\"\"'|missing_field",
        "node|[]|bad_value",
        "kind|'\"sum\"'|bad_value",
        "side|'\"left\"'|bad_value",
        "signal|'\"speed\"'|bad_value",
        "labels|[1]|bad_value",
        "labels|'{\"a\":1}'|bad_value",
        "labels|'{\"a\":{\"b\":[1]}}'|bad_value",
        "labels|'{\"a\":\"x\\u001ey\"}'|bad_value",
      })
  void wrongFieldsAreDeadLetters(String field, String json, String reason) {
    Collected out = decodeWith(field, json);
    assertEquals(List.of(reason), out.reasons(), () -> out.deadLetters.toString());
    assertTrue(out.samples.isEmpty());
  }

  @ParameterizedTest
  @CsvSource({"user", "unknown", "unknown_service:java", "PassthroughCluster", "''", "' '"})
  void namesThatNameNothingAreIgnored(String name) {
    Collected out = decodeWith("node", "\"" + name + "\"");
    assertEquals(List.of("unnamed_node"), out.ignored);
    assertTrue(out.samples.isEmpty() && out.deadLetters.isEmpty());
  }

  @Test
  void aPeerThatNamesNothingBecomesALabel() {
    Collected out = decodeWith("peer", "\"user\"");
    assertNull(out.samples.get(0).key().peer());
    assertEquals("user", out.samples.get(0).key().label("peer"));
    assertEquals(List.of("unnamed_node"), out.ignored);
  }

  @Test
  void oneBadLineTakesNoOther() {
    Collected out =
        decode(
            GOOD
                + "\r\n{\"graph\":\"shop\",\"no\n"
                + GOOD
                + "\n\nnonsense\n["
                + GOOD
                + "]\n"
                + "{\"graph\":1}\n"
                + GOOD
                + "\n");
    assertEquals(3, out.samples.size(), () -> out.deadLetters.toString());
    assertEquals(List.of("malformed", "malformed", "malformed", "bad_value"), out.reasons());
    assertTrue(out.deadLetters.get(0).detail().startsWith("line 2:"));
    assertTrue(out.deadLetters.get(1).detail().startsWith("line 5:"));
    assertTrue(out.deadLetters.get(2).detail().startsWith("line 6:"));
    assertTrue(out.deadLetters.get(3).detail().startsWith("line 7:"));
  }

  @Test
  void anObjectMayTakeSeveralLines() {
    Collected out = decode("\n" + GOOD.replace(",", ",\n") + GOOD + "\n{");
    assertEquals(2, out.samples.size());
    assertEquals(List.of("malformed"), out.reasons());
  }

  @Test
  void brokenUtf8IsMalformed() {
    byte[] bytes = GOOD.replace("cart", "c?rt").getBytes(StandardCharsets.UTF_8);
    bytes[GOOD.indexOf("cart") + 1] = (byte) 0xff;
    assertEquals(List.of("malformed"), Collected.of(decoder, bytes).reasons());
  }

  @Test
  void otherEncodingsAreMalformed() {
    for (Charset charset : List.of(StandardCharsets.UTF_16, StandardCharsets.UTF_16LE)) {
      Collected out = Collected.of(decoder, (GOOD + "{bad").getBytes(charset));
      assertEquals(List.of("malformed"), out.reasons());
      assertTrue(out.samples.isEmpty());
    }
    byte[] binary = {(byte) 0xff, 0, 'b', 'a', 'd', '\n'};
    assertEquals(List.of("malformed"), Collected.of(decoder, binary).reasons());
  }

  @Test
  void everyTruncationAndRandomBytesAreSurvived() {
    byte[] lines = (GOOD + "\n" + GOOD.replace("cart", "w\u00ebb") + "\n").getBytes();
    for (int length = 1; length < lines.length; length++) {
      Collected out = Collected.of(decoder, Arrays.copyOf(lines, length));
      assertTrue(out.samples.size() <= 2);
      assertEquals(length <= GOOD.length() - 1 ? 0 : 1, Math.min(1, out.samples.size()));
    }
    Random random = new Random(11);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = lines.clone();
      for (int k = 0; k <= i % 6; k++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      Collected.of(decoder, bytes)
          .samples
          .forEach(s -> assertTrue(Double.isFinite(s.value()) && Times.isValid(s.time())));
    }
  }

  @Test
  void detailsAreForPeople() {
    String detail = decodeWith("value", "NaN").deadLetters.get(0).detail();
    assertEquals("line 1: Non-standard token 'NaN'", detail);
  }

  @Test
  void equalSeriesAreTheSameObject() {
    Collected out = decode(GOOD + GOOD);
    assertSame(out.samples.get(0).key(), out.samples.get(1).key());
    assertSame(out.samples.get(0).node(), out.samples.get(1).node());
  }

  @Test
  void theGraphCanBeGiven() {
    IdentityConfig identity = new IdentityConfig(Attribute.ofValue("other"), null, null);
    Decoder named = Decoders.create("native", identity, "default");
    byte[] noGraph = GOOD.replace("\"graph\":\"shop\",", "").getBytes(StandardCharsets.UTF_8);
    assertEquals("other", Collected.of(named, noGraph).samples.get(0).graph());
    assertEquals("other", Collected.of(named, GOOD.getBytes()).samples.get(0).graph());
    IdentityConfig byLabel = new IdentityConfig(Attribute.ofAttribute("x"), null, null);
    assertThrows(ConfigException.class, () -> Decoders.create("native", byLabel, "default"));
    assertThrows(
        ConfigException.class, () -> Decoders.create("avro", IdentityConfig.DEFAULT, "default"));
  }
}
