package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.config.Attribute;
import io.faultline.config.ConfigException;
import io.faultline.config.IdentityConfig;
import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrometheusDecoderTest {
  private static final long T0 = 1_767_225_600_000L;

  private final Decoder decoder =
      Decoders.create(Decoders.PROMETHEUS, IdentityConfig.DEFAULT, "shop");

  private Collected decode(String text) {
    return Collected.of(decoder, text.getBytes(StandardCharsets.UTF_8));
  }

  private static String json(Map<String, String> labels) {
    return labels.entrySet().stream()
        .map(e -> "\"" + e.getKey() + "\":\"" + e.getValue() + "\"")
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String object(String name, String labels, String time, String value) {
    return "{\"labels\":"
        + labels
        + ",\"name\":\""
        + name
        + "\",\"timestamp\":"
        + time
        + ",\"value\":"
        + value
        + "}";
  }

  private static String object(String name, Map<String, String> labels) {
    return object(name, json(labels), "\"2026-01-01T00:00:00Z\"", "\"1\"");
  }

  private String nodeOf(String metric, Map<String, String> labels) {
    Collected out = decode(object(metric, labels));
    assertTrue(out.deadLetters.isEmpty(), () -> out.deadLetters.toString());
    return out.samples.isEmpty() ? out.ignored.get(0) : out.samples.get(0).node();
  }

  @Test
  void aSampleIsRead() {
    Map<String, String> labels =
        Map.of("__name__", "m_total", "job", "cart", "instance", "10.0.0.1:80", "code", "200");
    Collected out =
        decode(object("m_total", json(labels), "\"2026-01-01T01:00:00.25+01:00\"", "\"41.5\""));
    SeriesKey key = out.sample("m_total").key();
    assertEquals(Map.of("instance", "10.0.0.1:80", "code", "200"), key.labelMap());
    assertEquals(Kind.UNSAID, key.kind());
    assertNull(key.peer());
    assertEquals(
        List.of(new Collected.Sample("shop", "cart", T0 + 250, key, 41.5, 0L)), out.samples);
  }

  @Test
  void theNameMayStandInTheLabelsOnlyAndNumbersMayBeNumbers() {
    Collected out =
        decode(
            "{\"value\":2e1,\"timestamp\":\"2026-01-01T00:00:00Z\",\"more\":[{\"a\":{}}],"
                + "\"labels\":{\"job\":\"cart\",\"__name__\":\"m\",\"empty\":\"\",\"x\":null}}");
    assertEquals(20.0, out.sample("m").value());
    assertEquals("", out.sample("m").key().labels());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"fast\"|bad_value",
        "\"\"|bad_value",
        "\"1e999\"|bad_value",
        "1e999|bad_value",
        "true|bad_value",
        "[1]|bad_value",
        "{\"a\":{}}|bad_value",
        "null|missing_field",
        "NaN|malformed",
      })
  void wrongValuesAreDeadLetters(String value, String reason) {
    Collected out = decode(object("m", "{\"job\":\"a\"}", "\"2026-01-01T00:00:00Z\"", value));
    assertEquals(List.of(reason), out.reasons());
    assertTrue(out.samples.isEmpty() && out.ignored.isEmpty());
  }

  @ParameterizedTest
  @CsvSource({"NaN", "+Inf", "-Inf", "Inf", "nan"})
  void whatIsNotFiniteIsIgnored(String value) {
    String text = object("m", "{\"job\":\"a\"}", "\"2026-01-01T00:00:00Z\"", "\"" + value + "\"");
    Collected out = decode(text);
    assertEquals(List.of("not_finite"), out.ignored);
    assertTrue(out.samples.isEmpty() && out.deadLetters.isEmpty());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"yesterday\"|bad_time",
        "\"1970-01-01T00:00:10Z\"|bad_time",
        "1767225600|bad_time",
        "null|missing_field",
      })
  void wrongTimesAreDeadLetters(String time, String reason) {
    assertEquals(List.of(reason), decode(object("m", "{\"job\":\"a\"}", time, "1")).reasons());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[1]|bad_value",
        "{\"job\":1}|bad_value",
        "{\"job\":{\"a\":[]}}|bad_value",
        "\"x\"|bad_value",
      })
  void wrongLabelsAreDeadLetters(String labels, String reason) {
    Collected out = decode(object("m", labels, "\"2026-01-01T00:00:00Z\"", "1"));
    assertEquals(List.of(reason), out.reasons());
  }

  @Test
  void aSeriesWithoutANodeIsIgnored() {
    assertEquals("unnamed_node", nodeOf("m", Map.of("instance", "x")));
    assertEquals(
        List.of("unnamed_node"),
        decode("{\"name\":\"m\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"value\":1}").ignored);
  }

  @Test
  void oneBadObjectTakesNoOther() {
    String good = object("m", Map.of("job", "cart"));
    Collected out =
        decode(
            good
                + "\r\n{\"labels\":{\"jo\n\n"
                + good
                + "\n["
                + good
                + ",7,{\"name\":1},"
                + good
                + "]\nnonsense\n[]\n"
                + good);
    assertEquals(5, out.samples.size(), () -> out.deadLetters.toString());
    assertEquals(
        List.of("malformed", "malformed", "bad_value", "malformed", "empty"), out.reasons());
    assertTrue(out.deadLetters.get(0).detail().startsWith("line 2: "));
    assertTrue(out.deadLetters.get(1).detail().startsWith("line 5: [1]: "));
    assertTrue(out.deadLetters.get(2).detail().startsWith("line 5: [2]: name: "));
    assertTrue(out.deadLetters.get(3).detail().startsWith("line 6: "));
  }

  @Test
  void repeatedSeriesAreTheSameObject() {
    String good = object("m", Map.of("job", "cart", "x", "y"));
    Collected out = decode(good + "\n" + good.replace("\"m\"", "\"other\"") + "\n" + good);
    assertEquals(
        List.of("m", "other", "m"), out.samples.stream().map(s -> s.key().metric()).toList());
    assertSame(out.samples.get(0).key(), out.samples.get(2).key());
    assertSame(out.samples.get(0).node(), out.samples.get(1).node());
  }

  @Test
  void nodesAreNamedByTheServiceBeforeTheJob() {
    assertEquals("cart", nodeOf("m", Map.of("job", "kubernetes-pods", "app", "cart")));
    assertEquals("cart", nodeOf("m", Map.of("job", "x", "app", "y", "service", "cart")));
    assertEquals("cart", nodeOf("m", Map.of("job", "shop/cart")));
    assertEquals("web", nodeOf("m", Map.of("service", " ", "job", "web")));
  }

  @Test
  void whatTellsOfOthersIsTheirs() {
    Map<String, String> scraped = Map.of("job", "kubelet", "service", "kubelet");
    assertEquals("kubelet", nodeOf("container_cpu_usage_seconds_total", scraped));
    Map<String, String> pod =
        Map.of("job", "kubelet", "service", "kubelet", "pod", "cart-7d9f8b6c5-x2x9z");
    assertEquals("cart", nodeOf("container_cpu_usage_seconds_total", pod));
    assertEquals("kubelet", nodeOf("go_goroutines", pod));
    SeriesKey key = decode(object("container_x", pod)).samples.get(0).key();
    assertEquals("cart-7d9f8b6c5-x2x9z", key.label("pod"));
    assertEquals(
        "cart",
        nodeOf("kube_deployment_status_replicas", Map.of("job", "ksm", "deployment", "cart")));
    assertEquals(
        "10.0.0.9",
        nodeOf("node_load1", Map.of("job", "node-exporter", "instance", "10.0.0.9:9100")));
    assertEquals("api", nodeOf("node_requests_total", Map.of("job", "api", "instance", "x:1")));
  }

  @ParameterizedTest
  @CsvSource({
    "cart-7d9f8b6c5-x2x9z, cart",
    "my-cart-5d4f7c9b8d-bcdfg, my-cart",
    "agent-x2x9z, agent",
    "db-0, db",
    "db-12, db",
    "backup-28391040-k7m2n, backup",
    "cart, cart",
    "cart-v2, cart-v2",
    "cart-alpha, cart-alpha",
    "-x2x9z, -x2x9z",
    "cart-, cart-"
  })
  void podsAreOfTheirWorkload(String pod, String workload) {
    assertEquals(workload, Workloads.ofPod(pod));
  }

  @Test
  void replicasOfPrometheusWriteOneSeries() {
    Map<String, String> one = Map.of("job", "a", "prometheus_replica", "p-0", "__replica__", "0");
    Map<String, String> two = Map.of("job", "a", "prometheus_replica", "p-1", "__replica__", "1");
    Collected out = decode(object("m", one) + object("m", two));
    assertEquals(out.samples.get(0).key(), out.samples.get(1).key());
  }

  @Test
  void identityCanBeGiven() {
    IdentityConfig identity =
        new IdentityConfig(
            new Attribute(null, null, "cluster", null),
            List.of(
                new Attribute(null, null, "team", null), new Attribute(null, null, null, "job")),
            List.of(new Attribute(null, null, "caller", null)));
    Decoder named = Decoders.create(Decoders.PROMETHEUS, identity, "shop");
    Map<String, String> labels =
        Map.of("cluster", "eu", "job", "cart", "service", "x", "caller", "web", "le", "1");
    Collected.Sample sample = Collected.of(named, object("m", labels).getBytes()).samples.get(0);
    assertEquals("eu/cart", sample.graph() + "/" + sample.node());
    assertEquals("web", sample.key().peer());
    assertEquals(Map.of("service", "x", "le", "1"), sample.key().labelMap());
    for (String nothing : List.of(" ", "\\u0000", "\\u0001 ")) {
      Map<String, String> unsaid = Map.of("cluster", nothing, "job", "cart");
      assertEquals(
          "shop", Collected.of(named, object("m", unsaid).getBytes()).samples.get(0).graph());
    }
    IdentityConfig wrong = new IdentityConfig(Attribute.ofAttribute("x"), null, null);
    assertThrows(ConfigException.class, () -> Decoders.create(Decoders.PROMETHEUS, wrong, "shop"));
  }

  @Test
  void recordsWithNothingInThemAreToldApart() {
    assertEquals(List.of("tombstone"), Collected.of(decoder, null).ignored);
    assertEquals(List.of("empty"), decode("").reasons());
    assertEquals(List.of("empty"), decode(" \r\n").reasons());
    assertEquals(List.of("malformed"), decode("7").reasons());
  }
}
