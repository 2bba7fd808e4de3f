package io.faultline.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

/** Exponential histograms from bytes to rate, mean and p95, against the events themselves. */
class ExponentialRatesTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long T0 = 1767225600L;
  private static final int MAX_BUCKETS = 160;
  private static final int DELTA = 1;
  private static final int CUMULATIVE = 2;

  /** A sender that keeps few buckets, as an SDK does: it halves its scale when it must. */
  private static final class Sender {
    private final List<Double> values = new ArrayList<>();
    private final int temporality;
    private int scale = 20;

    Sender(int temporality) {
      this.temporality = temporality;
    }

    /** Counts these events; returns the metric at that many seconds after the start. */
    String send(long seconds, double... events) {
      if (temporality == DELTA) {
        values.clear();
      }
      Arrays.stream(events).forEach(values::add);
      while (index(max()) - index(min()) >= MAX_BUCKETS) {
        scale--;
      }
      long[] counts = new long[index(max()) - index(min()) + 1];
      values.forEach(v -> counts[index(v) - index(min())]++);
      long start = temporality == DELTA ? T0 + seconds - 10 : T0;
      return """
      {"resourceMetrics":[{"resource":{"attributes":[{"key":"service.name",
      "value":{"stringValue":"cart"}}]},"scopeMetrics":[{"metrics":[{"name":"rpc.duration",
      "unit":"s","exponentialHistogram":{"aggregationTemporality":%d,"dataPoints":[{
      "startTimeUnixNano":"%d000000000","timeUnixNano":"%d000000000","count":%d,"sum":%s,
      "scale":%d,"positive":{"offset":%d,"bucketCounts":%s}}]}}]}]}]}
      """
          .formatted(
              temporality,
              start,
              T0 + seconds,
              values.size(),
              values.stream().mapToDouble(v -> v).sum(),
              scale,
              index(min()),
              Arrays.toString(counts));
    }

    private double max() {
      return values.stream().mapToDouble(v -> v).max().orElseThrow();
    }

    private double min() {
      return values.stream().mapToDouble(v -> v).min().orElseThrow();
    }

    private int index(double value) {
      return (int) Math.ceil(Math.scalb(Math.log(value) / Math.log(2), scale)) - 1;
    }
  }

  private static List<JsonNode> decode(List<String> payloads) throws Exception {
    ObjectNode request = JSON.createObjectNode().put("format", "otlp_json").put("normalised", true);
    for (String payload : payloads) {
      byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
      request.withArray("records").addObject().put("value_base64", bytes);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] bytes = JSON.writeValueAsBytes(request);
    int code = Decode.run(new ByteArrayInputStream(bytes), out, new PrintStream(out));
    String text = out.toString(StandardCharsets.UTF_8);
    assertEquals(0, code, text);
    List<JsonNode> lines = new ArrayList<>();
    for (String line : text.split("\n")) {
      lines.add(JSON.readTree(line));
    }
    return lines;
  }

  /** Values of a metric by seconds after the start. */
  private static Map<Long, Double> of(List<JsonNode> lines, String metric) {
    Map<Long, Double> out = new TreeMap<>();
    for (JsonNode line : lines) {
      boolean sample = line.path("type").asText().equals("sample");
      if (sample && line.path("metric").asText().equals(metric)) {
        out.put(line.path("time").asLong() / 1000 - T0, line.path("value").asDouble());
      }
    }
    return out;
  }

  /** Events that rise evenly from a half of this to one and a half of it. */
  private static double[] around(double middle, int count) {
    double[] out = new double[count];
    for (int i = 0; i < count; i++) {
      out[i] = middle * (0.5 + (i + 0.5) / count);
    }
    return out;
  }

  private static void near(double wanted, double found, double share) {
    assertTrue(Math.abs(found - wanted) <= share * wanted, found + " is not near " + wanted);
  }

  private static List<JsonNode> threeTimes(int temporality) throws Exception {
    Sender sender = new Sender(temporality);
    return decode(
        List.of(
            sender.send(10, around(0.1, 1000)),
            sender.send(20, around(0.1, 2000)),
            sender.send(30, around(5.0, 500)),
            sender.send(40, around(5.0, 1000))));
  }

  @Test
  void cumulativePointsGiveRateMeanAndQuantile() throws Exception {
    List<JsonNode> lines = threeTimes(CUMULATIVE);
    assertEquals(Map.of(20L, 200.0, 30L, 50.0, 40L, 100.0), of(lines, "rpc.duration_count"));
    Map<Long, Double> mean = of(lines, "rpc.duration_mean");
    near(0.1, mean.get(20L), 1e-9);
    near(5.0, mean.get(30L), 1e-9);
    Map<Long, Double> p95 = of(lines, "rpc.duration_p95");
    near(0.145, p95.get(20L), 0.05);
    near(7.25, p95.get(30L), 0.3);
    near(7.25, p95.get(40L), 0.1);
  }

  @Test
  void pointsOfIntervalsGiveTheSame() throws Exception {
    List<JsonNode> lines = threeTimes(DELTA);
    assertEquals(
        Map.of(10L, 100.0, 20L, 200.0, 30L, 50.0, 40L, 100.0), of(lines, "rpc.duration_count"));
    Map<Long, Double> p95 = of(lines, "rpc.duration_p95");
    near(0.145, p95.get(10L), 0.05);
    near(7.25, p95.get(30L), 0.05);
    near(5.0, of(lines, "rpc.duration_mean").get(30L), 1e-9);
  }
}
