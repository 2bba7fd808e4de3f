package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.config.IdentityConfig;
import io.faultline.records.Edge;
import io.faultline.records.Exemplar;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whole payloads as senders write them. */
class OtlpFilesTest {
  private static final long MS = 1767225660000L;

  private final Decoder proto = new OtlpDecoder(IdentityConfig.DEFAULT, "shop");
  private final Decoder json = new OtlpJsonDecoder(IdentityConfig.DEFAULT, "shop");

  private static byte[] file(String name) throws Exception {
    try (InputStream in = OtlpFilesTest.class.getResourceAsStream("/" + name)) {
      return in.readAllBytes();
    }
  }

  @Test
  void bothEncodingsOfAPayloadGiveTheSame() throws Exception {
    Collected wanted = Collected.of(proto, file("otlp_metrics.pb"));
    Collected found = Collected.of(json, file("otlp_metrics.json"));
    assertEquals(12, wanted.samples.size());
    assertEquals(wanted.samples, found.samples);
    assertEquals(wanted.exemplars, found.exemplars);
    assertEquals(wanted.ignored, found.ignored);
    assertEquals(List.of(), found.deadLetters);
    assertEquals(
        List.of(
            new Exemplar("5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174", 0.93, MS - 2_000)),
        found.exemplars);
  }

  @Test
  void serviceGraphOfTheCurrentNames() throws Exception {
    Collected out = Collected.of(json, file("otlp_servicegraph.json"));
    assertEquals(List.of(), out.deadLetters);
    assertEquals(
        List.of(new Edge("shop", "frontend", "checkout", MS, "call", -1L)),
        out.calls.stream().distinct().toList());
    assertEquals(List.of(118.0, 2.0), out.values("traces_service_graph_request_total"));
    assertEquals(2.0, out.sample("traces_service_graph_request_failed_total").value());
    Collected.Sample server = out.sample("traces_service_graph_request_server_sum");
    assertEquals("s", server.key().unit());
    assertEquals(Side.SERVER, server.key().side());
    assertEquals(Signal.LATENCY, server.key().signal());
    assertEquals("frontend", server.key().peer());
    assertEquals(Side.CLIENT, out.sample("traces_service_graph_request_client_sum").key().side());
  }

  @Test
  void serviceGraphOfTheOlderNames() throws Exception {
    Collected out = Collected.of(json, file("otlp_servicegraph_legacy.json"));
    assertEquals(List.of(), out.deadLetters);
    assertEquals("s", out.sample("traces_service_graph_request_server_seconds_sum").key().unit());
    assertEquals(List.of(118.0, 2.0), out.values("traces_service_graph_request_total"));
    assertEquals(2.0, out.sample("traces_service_graph_request_failed_total").value());
  }

  /** What is kept of a payload that ends too early is the beginning of what all of it gives. */
  @Test
  void jsonThatEndsTooEarlyAtEveryByte() throws Exception {
    byte[] whole = file("otlp_metrics.json");
    List<Collected.Sample> all = Collected.of(json, whole).samples;
    int most = 0;
    for (int length = 1; length < whole.length - 1; length++) {
      Collected out = Collected.of(json, Arrays.copyOf(whole, length));
      assertEquals(List.of("malformed"), out.reasons(), "length " + length);
      assertEquals(all.subList(0, out.samples.size()), out.samples, "length " + length);
      assertTrue(out.samples.size() >= most, "length " + length);
      most = Math.max(most, out.samples.size());
    }
    assertEquals(all.size(), most);
  }

  @Test
  void protobufThatEndsTooEarlyAtEveryByte() throws Exception {
    byte[] whole = file("otlp_metrics.pb");
    List<Collected.Sample> all = Collected.of(proto, whole).samples;
    for (int length = 1; length < whole.length; length++) {
      Collected out = Collected.of(proto, Arrays.copyOf(whole, length));
      assertTrue(out.reasons().contains("malformed"), "length " + length);
      assertTrue(all.containsAll(out.samples), "length " + length);
    }
  }
}
