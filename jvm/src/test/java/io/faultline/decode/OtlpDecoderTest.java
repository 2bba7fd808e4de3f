package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.config.Attribute;
import io.faultline.config.IdentityConfig;
import io.faultline.records.Kind;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OtlpDecoderTest {
  private static final long MS = 1767225660000L;
  private static final long NANOS = MS * 1_000_000L;

  private final Decoder decoder = new OtlpDecoder(IdentityConfig.DEFAULT, "default");

  private static Proto cart() {
    return new Proto().attribute(1, "service.name", "cart");
  }

  private static Proto point(double value) {
    return new Proto().fixed(3, NANOS).real(4, value);
  }

  private static Proto gauge(String name, Proto... points) {
    Proto data = new Proto();
    for (Proto point : points) {
      data.message(1, point);
    }
    return new Proto().text(1, name).message(5, data);
  }

  private Collected decode(Proto resource, Proto... metrics) {
    return Collected.of(decoder, Proto.payload(resource, metrics));
  }

  private static byte[] golden() throws Exception {
    try (InputStream in = OtlpDecoderTest.class.getResourceAsStream("/otlp_metrics.pb")) {
      return in.readAllBytes();
    }
  }

  @Test
  void goldenPayload() throws Exception {
    Collected out = Collected.of(decoder, golden());
    assertEquals(List.of(), out.deadLetters);
    assertEquals(List.of("no_recorded_value"), out.ignored);
    assertEquals(12, out.samples.size());
    for (Collected.Sample sample : out.samples) {
      assertEquals("shop", sample.graph());
      assertEquals("checkout", sample.node());
      assertEquals(MS, sample.time());
      assertEquals("checkout-7d9f-abc12", sample.key().label("service.instance.id"));
      assertEquals("io.opentelemetry.contrib.http", sample.key().label("otel.scope.name"));
    }
    Collected.Sample sum = out.sample("http.server.request.duration_sum");
    assertEquals(9.6, sum.value());
    assertEquals("s", sum.key().unit());
    assertEquals("200", sum.key().label("http.response.status_code"));
    assertEquals(MS - 60_000L, sum.start());
    assertEquals("1", out.sample("http.server.request.duration_count").key().unit());
    Collected.Sample orders = out.sample("app.orders");
    assertEquals(Kind.DELTA, orders.key().kind());
    assertEquals(MS - 10_000L, orders.start());
    assertEquals(Kind.GAUGE, out.sample("http.server.active_requests").key().kind());
    assertEquals(Kind.COUNTER, out.sample("process.cpu.time").key().kind());
    assertEquals(268435456.0, out.sample("jvm.memory.used").value());
  }

  @Test
  void bucketsAreCumulativeByUpperBound() throws Exception {
    Collected out = Collected.of(decoder, golden());
    List<Collected.Sample> buckets =
        out.samples.stream().filter(s -> s.key().metric().endsWith("_bucket")).toList();
    assertEquals(
        List.of("0.01", "0.05", "0.1", "0.5", "1", "+Inf"),
        buckets.stream().map(s -> s.key().label("le")).toList());
    assertEquals(
        List.of(10.0, 70.0, 110.0, 118.0, 120.0, 120.0),
        buckets.stream().map(Collected.Sample::value).toList());
  }

  @Test
  void decodingTwiceGivesTheSameSeriesObjects() throws Exception {
    Collected first = Collected.of(decoder, golden());
    Collected second = Collected.of(decoder, golden());
    assertEquals(first.samples, second.samples);
    for (int i = 0; i < first.samples.size(); i++) {
      assertSame(first.samples.get(i).key(), second.samples.get(i).key());
    }
  }

  @Test
  void badPointsTakeNoNeighbours() {
    Proto truncated = point(6).bytes(7, new byte[] {10, 99});
    Collected out =
        decode(
            cart(),
            gauge(
                "m",
                point(1),
                point(Double.NaN),
                point(Double.NEGATIVE_INFINITY),
                new Proto().real(4, 2),
                truncated,
                new Proto().fixed(3, NANOS).varint(4, 1),
                new Proto().fixed(3, NANOS).real(4, 5).varint(8, 1),
                point(3)),
            new Proto().text(1, "").message(5, new Proto().message(1, point(1))),
            gauge("n", point(4)));
    assertEquals(
        List.of(1.0, 3.0, 4.0), out.samples.stream().map(Collected.Sample::value).toList());
    assertEquals(List.of("not_finite", "not_finite", "no_recorded_value"), out.ignored);
    assertEquals(List.of("bad_time", "malformed", "malformed", "missing_field"), out.reasons());
    assertEquals(
        List.of(
            "resource_metrics[0].scope_metrics[0].metrics[0].points[3] of m: its time is 0 ms",
            "resource_metrics[0].scope_metrics[0].metrics[0].points[4] of m: "
                + "a field is longer than what holds it",
            "resource_metrics[0].scope_metrics[0].metrics[0].points[5] of m: "
                + "field 4 has wire type 0, not 1",
            "resource_metrics[0].scope_metrics[0].metrics[1]: the metric has no name"),
        out.deadLetters.stream().map(Collected.Refused::detail).toList());
  }

  @Test
  void howPointsAddUpMustBeSaid() {
    Proto points = new Proto().message(1, point(1));
    Collected out =
        decode(
            cart(),
            new Proto().text(1, "exp").message(10, points),
            new Proto().text(1, "explicit").message(9, points),
            new Proto().text(1, "unsaid").message(7, points),
            new Proto().text(1, "empty"));
    assertEquals(List.of("unsupported", "unsupported", "unsupported"), out.reasons());
    assertEquals(
        "resource_metrics[0].scope_metrics[0].metrics[2] of unsaid: neither delta nor cumulative",
        out.deadLetters.get(2).detail());
    assertEquals(List.of("no_recorded_value"), out.ignored);
    assertTrue(out.samples.isEmpty());
  }

  @Test
  void histogramsWithMismatchedBucketsAreRefused() {
    Proto point = new Proto().fixed(3, NANOS).fixed(4, 3).packed(6, 1L, 2L).packed(7, 1.0, 2.0);
    Proto metric = new Proto().text(1, "h").message(9, new Proto().message(1, point).varint(2, 2));
    Collected out = decode(cart(), metric);
    assertEquals(List.of("bad_value"), out.reasons());
    assertTrue(out.samples.isEmpty());
  }

  @Test
  void deltaHistogramWithoutSumOrBuckets() {
    Proto point = new Proto().fixed(2, NANOS - 5).fixed(3, NANOS).fixed(4, 3);
    Proto metric = new Proto().text(1, "h").message(9, new Proto().message(1, point).varint(2, 1));
    Collected out = decode(cart(), metric);
    assertEquals(1, out.samples.size());
    assertEquals(Kind.DELTA, out.sample("h_count").key().kind());
    assertEquals(3.0, out.sample("h_count").value());
  }

  @Test
  void unnamedResourcesAreIgnored() {
    Proto unnamed = new Proto().attribute(1, "service.name", "unknown_service:java");
    assertEquals(List.of("unnamed_node"), decode(unnamed, gauge("m", point(1))).ignored);
    assertEquals(List.of("unnamed_node"), decode(new Proto(), gauge("m", point(1))).ignored);
  }

  @Test
  void graphFallsBackToTheDefault() {
    assertEquals("default", decode(cart(), gauge("m", point(1))).samples.get(0).graph());
    Proto named = cart().attribute(1, "service.namespace", " shop ");
    assertEquals("shop", decode(named, gauge("m", point(1))).samples.get(0).graph());
  }

  @Test
  void identityComesFromTheConfiguration() {
    IdentityConfig identity =
        new IdentityConfig(
            Attribute.ofAttribute("cluster"),
            List.of(Attribute.ofAttribute("host.name"), new Attribute(null, null, "job", null)),
            List.of(new Attribute(null, null, "from", null)));
    Decoder configured = new OtlpDecoder(identity, "d");
    Proto point = point(1).attribute(7, "job", "cart").attribute(7, "from", "web");
    byte[] payload = Proto.payload(new Proto().attribute(1, "cluster", "eu"), gauge("m", point));
    Collected.Sample sample = Collected.of(configured, payload).samples.get(0);
    assertEquals("eu", sample.graph());
    assertEquals("cart", sample.node());
    assertEquals("web", sample.key().peer());
  }

  @Test
  void resourcesAreToldApartWithoutAnInstanceId() {
    Proto one = cart().attribute(1, "k8s.pod.name", "a").attribute(1, "telemetry.sdk.name", "x");
    Proto two = cart().attribute(1, "k8s.pod.name", "b").attribute(1, "telemetry.sdk.name", "x");
    Collected.Sample a = decode(one, gauge("m", point(1))).samples.get(0);
    Collected.Sample b = decode(two, gauge("m", point(1))).samples.get(0);
    assertNotEquals(a.key(), b.key());
    assertEquals("a", a.key().label("k8s.pod.name"));
    assertNull(a.key().label("telemetry.sdk.name"));
  }

  @Test
  void anotherUnitIsAnotherSeries() {
    Collected first = decode(cart(), gauge("m", point(1)).text(3, "s"));
    Collected second = decode(cart(), gauge("m", point(1)).text(3, "ms"));
    assertEquals("s", first.samples.get(0).key().unit());
    assertEquals("ms", second.samples.get(0).key().unit());
  }

  @Test
  void attributesOfEveryTypeBecomeText() {
    Proto list =
        new Proto().message(1, new Proto().text(1, "x")).message(1, new Proto().varint(3, 2));
    Proto map =
        new Proto().message(1, new Proto().text(1, "k").message(2, new Proto().real(4, 1.5)));
    Proto quoted =
        new Proto()
            .message(1, new Proto().text(1, "a\"b"))
            .message(1, new Proto().bytes(7, new byte[] {1, 2}))
            .message(1, new Proto().real(4, Double.NaN))
            .message(1, new Proto());
    Proto point =
        point(1)
            .message(7, pair("s", new Proto().text(1, "a\u001eb")))
            .message(7, pair("b", new Proto().varint(2, 1)))
            .message(7, pair("i", new Proto().varint(3, -5)))
            .message(7, pair("l", new Proto().message(5, list)))
            .message(7, pair("m", new Proto().message(6, map)))
            .message(7, pair("n", new Proto()))
            .message(7, pair("q", new Proto().message(5, quoted)))
            .message(7, pair("y", new Proto().bytes(7, new byte[] {1, 2})));
    Collected.Sample sample = decode(cart(), gauge("m", point)).samples.get(0);
    assertEquals("a b", sample.key().label("s"));
    assertEquals("true", sample.key().label("b"));
    assertEquals("-5", sample.key().label("i"));
    assertEquals("[\"x\",2]", sample.key().label("l"));
    assertEquals("{\"k\":1.5}", sample.key().label("m"));
    assertEquals("AQI=", sample.key().label("y"));
    assertEquals("", sample.key().label("n"));
    assertEquals("[\"a\\\"b\",\"AQI=\",\"NaN\",null]", sample.key().label("q"));
  }

  private static Proto pair(String key, Proto value) {
    return new Proto().text(1, key).message(2, value);
  }

  @Test
  void scatteredAttributesAndUnpackedBucketsAreRead() {
    Proto point =
        new Proto()
            .attribute(9, "a", "1")
            .fixed(3, NANOS)
            .attribute(9, "b", "2")
            .fixed(4, 3)
            .fixed(6, 1)
            .fixed(6, 2)
            .real(7, 0.5);
    Proto metric = new Proto().text(1, "h").message(9, new Proto().message(1, point).varint(2, 2));
    Collected out = decode(cart(), metric);
    assertEquals(3, out.samples.size());
    assertEquals("1", out.sample("h_count").key().label("a"));
    assertEquals("2", out.sample("h_count").key().label("b"));
    assertEquals(3.0, out.samples.get(2).value());
  }

  @Test
  void garbageIsMalformed() {
    for (String text : List.of("{\"resourceMetrics\":[{bad", "hello", "\u0000", "\u0008\u0001")) {
      assertEquals(List.of("malformed"), Collected.of(decoder, text.getBytes()).reasons(), text);
    }
    assertEquals(List.of("empty"), Collected.of(decoder, new byte[0]).reasons());
    assertEquals(List.of("tombstone"), Collected.of(decoder, null).ignored);
  }

  @Test
  void everyTruncationAndRandomBytesAreSurvived() throws Exception {
    byte[] golden = golden();
    for (int length = 1; length < golden.length; length++) {
      Collected out = Collected.of(decoder, Arrays.copyOf(golden, length));
      assertTrue(out.reasons().contains("malformed"), "length " + length);
    }
    Random random = new Random(7);
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = golden.clone();
      for (int k = 0; k <= i % 5; k++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      Collected.of(decoder, bytes)
          .samples
          .forEach(s -> assertTrue(Double.isFinite(s.value()) && !s.node().isEmpty()));
    }
  }
}
