package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.config.Attribute;
import io.faultline.config.ConfigException;
import io.faultline.config.FormatConfig;
import io.faultline.config.IdentityConfig;
import io.faultline.records.Header;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByHeaderDecoderTest {
  private static final String LINE = "cpu,host=a,app=cart v=1 1767225600000000000";
  private static final String NATIVE =
      "{\"graph\":\"g\",\"node\":\"n\",\"metric\":\"m\",\"value\":1,\"time\":1767225600000}";
  private static final String PROMETHEUS =
      "{\"labels\":{\"job\":\"j\",\"app\":\"a\"},\"name\":\"m\",\"value\":1,"
          + "\"timestamp\":\"2026-01-01T00:00:00Z\"}";

  private record Named(List<Header> all) implements Headers {
    @Override
    @Nullable
    public byte[] last(String name) {
      return all.stream()
          .filter(h -> h.name().equalsIgnoreCase(name))
          .reduce((a, b) -> b)
          .map(Header::value)
          .orElse(null);
    }
  }

  private static FormatConfig config(
      Map<String, String> types, @Nullable String header, @Nullable String otherwise) {
    return new FormatConfig(Decoders.BY_HEADER, null, null, types, header, otherwise);
  }

  private static Collected decode(Decoder decoder, String value, String... headers) {
    List<Header> all = new ArrayList<>();
    for (int i = 0; i < headers.length; i += 2) {
      all.add(new Header(headers[i], headers[i + 1].getBytes()));
    }
    Collected out = new Collected();
    byte[] bytes = value == null ? null : value.getBytes();
    decoder.decode(new RawRecord("t", 0, 0, -1, null, bytes, new Named(all)), out);
    return out;
  }

  @ParameterizedTest
  @CsvSource({
    "content-type, text/plain",
    "Content-Type, Text/Plain; charset=UTF-8",
    "contentType, text/plain;charset=utf-8",
    "content_type, ' text/plain '",
    "ce_datacontenttype, text/plain"
  })
  void theContentTypeChooses(String header, String type) {
    Decoder decoder = Decoders.create(config(Map.of(), null, null), "shop");
    assertEquals("cpu_v", decode(decoder, LINE, header, type).samples.get(0).key().metric());
    assertEquals(Decoders.TELEGRAF, decoder.chosen());
    Collected binary = decode(decoder, "no protobuf", "content-type", "application/x-protobuf");
    assertEquals(List.of("malformed"), binary.reasons());
    assertEquals(Decoders.OTLP_PROTO, decoder.chosen());
    assertEquals(1, decode(decoder, NATIVE, "content-type", "application/x-ndjson").samples.size());
  }

  @Test
  void whatIsNotKnownIsRefusedOrReadInTheDefault() {
    Decoder strict = Decoders.create(config(Map.of(), null, null), "shop");
    assertEquals(List.of("unsupported"), decode(strict, NATIVE).reasons());
    Collected unknown = decode(strict, NATIVE, "content-type", "image/png");
    assertEquals(List.of("unsupported"), unknown.reasons());
    assertTrue(unknown.deadLetters.get(0).detail().contains("image/png"));
    assertNull(strict.chosen());
    assertEquals(List.of("tombstone"), decode(strict, null).ignored);
    Decoder lenient = Decoders.create(config(Map.of(), null, Decoders.NATIVE), "shop");
    assertEquals(1, decode(lenient, NATIVE).samples.size());
    assertEquals(1, decode(lenient, NATIVE, "content-type", "image/png").samples.size());
    assertEquals(1, decode(lenient, LINE, "content-type", "text/plain").samples.size());
  }

  @Test
  void theConfigurationGoesBeforeWhatIsUsual() {
    Map<String, String> types =
        Map.of(
            "application/json", "prometheus",
            "Application/JSON; profile=native", "native",
            "telegraf", "telegraf");
    Decoder decoder = Decoders.create(config(types, "kind", null), "shop");
    assertEquals(1, decode(decoder, PROMETHEUS, "kind", "application/json").samples.size());
    assertEquals(
        1, decode(decoder, PROMETHEUS, "kind", "application/json; charset=utf-8").samples.size());
    assertEquals(
        1, decode(decoder, NATIVE, "kind", "application/json;profile=native").samples.size());
    assertEquals(1, decode(decoder, LINE, "kind", "telegraf").samples.size());
    assertEquals(
        List.of("unsupported"), decode(decoder, LINE, "content-type", "text/plain").reasons());
  }

  @Test
  void eachFormatIsToldWhatIsInItsWords() {
    IdentityConfig identity =
        new IdentityConfig(
            Attribute.ofValue("mine"),
            List.of(
                Attribute.ofAttribute("service.name"),
                new Attribute(null, null, "job", null),
                new Attribute(null, null, null, "host")),
            null);
    FormatConfig config =
        new FormatConfig(Decoders.BY_HEADER, identity, null, Map.of("p", "prometheus"), null, null);
    Decoder decoder = Decoders.create(config, "shop");
    Collected.Sample line = decode(decoder, LINE, "content-type", "text/plain").samples.get(0);
    assertEquals("mine/a", line.graph() + "/" + line.node());
    Collected.Sample sample = decode(decoder, PROMETHEUS, "content-type", "p").samples.get(0);
    assertEquals("mine/j", sample.graph() + "/" + sample.node());
    assertEquals(
        "mine",
        decode(decoder, NATIVE, "content-type", "application/x-ndjson").samples.get(0).graph());
  }

  @Test
  void formatsThatAreNoneAreRefusedAtTheStart() {
    for (String format : List.of("avro", Decoders.BY_HEADER)) {
      assertThrows(
          ConfigException.class,
          () -> Decoders.create(config(Map.of("a/b", format), null, null), "shop"));
      assertThrows(
          ConfigException.class, () -> Decoders.create(config(Map.of(), null, format), "shop"));
    }
  }
}
