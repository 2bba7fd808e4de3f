package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.config.Attribute;
import io.faultline.config.ConfigException;
import io.faultline.config.IdentityConfig;
import io.faultline.records.Edge;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DependencyDecoderTest {
  private static final long MS = 1_767_225_600_000L;

  private static Collected decode(String text, long timestamp) {
    return decode(text.getBytes(StandardCharsets.UTF_8), timestamp);
  }

  private static Collected decode(byte[] value, long timestamp) {
    Decoder decoder = Decoders.create(Decoders.JAEGER, IdentityConfig.DEFAULT, "shop");
    Collected out = new Collected();
    decoder.decode(new RawRecord("t", 0, 0, timestamp, null, value), out);
    return out;
  }

  private static byte[] sample(String name) throws Exception {
    try (InputStream in =
        DependencyDecoderTest.class.getResourceAsStream("/samples/" + name + ".json")) {
      return in.readAllBytes();
    }
  }

  private static List<String> edges(Collected out) {
    return out.edges.stream().map(e -> e.source() + ">" + e.target()).toList();
  }

  private static String link(String parent, String child, String count) {
    return "{\"parent\":%s,\"child\":%s,\"callCount\":%s}".formatted(parent, child, count);
  }

  @Test
  void anAnswerWithEveryKindOfDirt() throws Exception {
    Collected out = decode(sample("jaeger_dependencies_dirty"), MS);
    assertEquals(
        List.of(
            new Edge("shop", "web", "catalog", MS, "call", -1L),
            new Edge("shop", "web", "orders", MS, "call", -1L)),
        out.edges);
    assertEquals(List.of("unnamed_node", "unnamed_node", "self_edge", "self_edge"), out.ignored);
    assertEquals(List.of(), out.deadLetters);
    assertEquals(List.of(), out.samples);
  }

  @Test
  void anArrayOfLinks() throws Exception {
    Collected out = decode(sample("zipkin_dependencies"), MS);
    assertEquals(List.of("frontend>checkout"), edges(out));
    assertEquals(List.of(), out.deadLetters);
  }

  @Test
  void theTimeIsTheEndOfTheGraphElseTheRecords() {
    String links = "{\"data\":[" + link("\"a\"", "\"b\"", "1") + "],\"endTs\":" + (MS - 7) + "}";
    assertEquals(MS - 7, decode(links, MS).edges.get(0).time());
    assertEquals(MS - 7, decode(links, RawRecord.NO_TIMESTAMP).edges.get(0).time());
    Collected none = decode(link("\"a\"", "\"b\"", "1"), RawRecord.NO_TIMESTAMP);
    assertEquals(List.of("bad_time"), none.reasons());
    assertTrue(none.deadLetters.get(0).detail().contains("no timestamp"));
    assertEquals(
        List.of("bad_time"),
        decode(links.replace(Long.toString(MS - 7), "1767225599"), MS).reasons());
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", " [ ]\n", "{\"data\":[]}", "{\"data\": [], \"errors\": null}"})
  void nobodyCalledAnybody(String text) {
    Collected out = decode(text, MS);
    assertEquals(List.of("no_recorded_value"), out.ignored);
    assertEquals(List.of(), out.deadLetters);
  }

  @Test
  void aLinkWithoutCallsIsNoEdge() {
    Collected out = decode(link("\"a\"", "\"b\"", "0"), MS);
    assertEquals(List.of(), out.edges);
    assertEquals(List.of("no_recorded_value"), out.ignored);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"parent\":\"a\",\"callCount\":1}|missing_field|line 1: child: is missing",
        "{\"parent\":null,\"child\":\"b\"}|missing_field|line 1: parent: is missing",
        "{\"parent\":7,\"child\":\"b\"}|bad_value|line 1: parent: a string is wanted",
        "{\"parent\":\"a\",\"child\":\"b\",\"callCount\":-1}|bad_value|line 1: callCount: a number",
        "{\"parent\":\"a\",\"child\":\"b\",\"callCount\":1.5}|bad_value|line 1: callCount: a"
            + " number",
        "{\"data\":null,\"errors\":[{\"code\":500}]}|missing_field|line 1: parent: is missing",
        "{\"data\":[7]}|bad_value|line 1: data[0]: an object is wanted",
        "nonsense|malformed|line 1: ",
        "[3]|malformed|line 1: [0]: an object is wanted",
      })
  void whatIsWrongIsToldWithItsPlace(String text, String reason, String detail) {
    Collected out = decode(text, MS);
    assertEquals(List.of(reason), out.reasons());
    assertTrue(out.deadLetters.get(0).detail().startsWith(detail), out.deadLetters::toString);
    assertEquals(List.of(), out.edges);
  }

  @Test
  void oneBadLinkTakesNoOther() {
    String text =
        "{\"data\":["
            + link("\"a\"", "\"b\"", "\"12\"")
            + ",{\"parent\":[],\"child\":{}},"
            + link("\"b\"", "\"c\"", "3");
    Collected out = decode(text, MS);
    assertEquals(List.of("a>b", "b>c"), edges(out));
    assertEquals(List.of("bad_value", "malformed"), out.reasons());
  }

  @Test
  void theGraphMayBeNamedAndNothingElse() {
    IdentityConfig named = new IdentityConfig(Attribute.ofValue("prod"), null, null);
    Decoder decoder = Decoders.create(Decoders.ZIPKIN, named, "shop");
    byte[] value = link("\"a\"", "\"b\"", "1").getBytes(StandardCharsets.UTF_8);
    Collected out = new Collected();
    decoder.decode(new RawRecord("t", 0, 0, MS, null, value), out);
    assertEquals("prod", out.edges.get(0).graph());
    IdentityConfig node = new IdentityConfig(null, List.of(Attribute.ofValue("x")), null);
    assertThrows(ConfigException.class, () -> Decoders.create(Decoders.JAEGER, node, "shop"));
  }

  @Test
  void topicsOfEdgesNeverHoldBackEventTime() {
    assertTrue(Decoders.isEdgesOnly(Decoders.JAEGER));
    assertTrue(Decoders.isEdgesOnly(Decoders.ZIPKIN));
    assertFalse(Decoders.isEdgesOnly(Decoders.NATIVE));
  }
}
