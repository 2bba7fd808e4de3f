package io.faultline.decode;

import com.sun.management.ThreadMXBean;
import io.faultline.config.IdentityConfig;
import io.faultline.records.Block;
import io.faultline.records.Edge;
import io.faultline.records.SeriesKey;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * CPU time and memory per sample from OTLP payloads to blocks, on one thread: a scrape of several
 * resources per payload, the same series again and again. Prints a line per kind of payload, the
 * median of some rounds, which are interleaved. Arguments: rounds, samples per round.
 */
public final class OtlpSpeed {
  private static final long MS = 1767225660000L;
  private static final int SCRAPES = 8;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private OtlpSpeed() {}

  /** Blocks as a source makes them. */
  private static final class Blocks implements Decoder.Output {
    final BlockSplitter splitter = new BlockSplitter();
    long samples;
    long values;

    @Override
    public void sample(
        String graph, String node, long time, SeriesKey key, double value, long start) {
      splitter.add(graph, node, time, key, value, start);
      samples++;
    }

    @Override
    public void edge(Edge edge) {
      throw new AssertionError("no edges here");
    }

    @Override
    public void call(Edge edge) {
      // Seen elsewhere.
    }

    @Override
    public void deadLetter(String reason, String detail) {
      throw new AssertionError(detail);
    }

    @Override
    public void ignored(String reason) {
      throw new AssertionError(reason);
    }

    void flush() {
      splitter.flush(this::take);
    }

    private void take(Block block) {
      values += block.size();
    }
  }

  private interface Metric {
    OtlpMessage of(int index, long nanos, int scrape);
  }

  private static OtlpMessage timed(long nanos) {
    return new OtlpMessage()
        .unsigned(2, "startTimeUnixNano", nanos - 600_000_000_000L)
        .unsigned(3, "timeUnixNano", nanos);
  }

  private static OtlpMessage with(OtlpMessage point, OtlpShape shape, int attributes, int index) {
    List<OtlpMessage> all = new ArrayList<>();
    for (int i = 0; i < attributes; i++) {
      all.add(OtlpMessage.attribute("http.attribute." + i, "value-" + i + "-" + index));
    }
    return point.messages(shape.attributes, "attributes", all);
  }

  private static OtlpMessage gauge(int index, long nanos, int scrape) {
    OtlpMessage point =
        new OtlpMessage().unsigned(3, "timeUnixNano", nanos).real(4, "asDouble", scrape + 0.5);
    return named("metric_" + index)
        .message(5, "gauge", new OtlpMessage().messages(1, "dataPoints", point));
  }

  private static OtlpMessage named(String name) {
    return new OtlpMessage().text(1, "name", name).text(3, "unit", "1");
  }

  private static OtlpMessage sum(int index, long nanos, int scrape) {
    List<OtlpMessage> points = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      OtlpMessage point = timed(nanos).signed(6, "asInt", 100L * scrape + i);
      points.add(with(point, OtlpShape.NUMBER, 3, i));
    }
    OtlpMessage data = new OtlpMessage().messages(1, "dataPoints", points);
    data.named(2, "aggregationTemporality", 2, "").bool(3, "isMonotonic", true);
    return named("http.server.requests." + index).message(7, "sum", data);
  }

  private static OtlpMessage histogram(int index, long nanos, int scrape) {
    long[] buckets = new long[16];
    double[] bounds = new double[15];
    for (int i = 0; i < 16; i++) {
      buckets[i] = scrape * 3L + i;
      bounds[Math.min(i, 14)] = Math.min(i, 14) + 0.5;
    }
    OtlpMessage point = timed(nanos).unsigned(4, "count", 9L * scrape);
    point.real(5, "sum", scrape * 1.5).counts(6, "bucketCounts", buckets);
    point.reals(7, "explicitBounds", bounds);
    OtlpMessage data =
        new OtlpMessage().messages(1, "dataPoints", with(point, OtlpShape.HISTOGRAM, 3, 0));
    data.named(2, "aggregationTemporality", 2, "");
    return named("http.server.duration." + index).message(9, "histogram", data);
  }

  private static OtlpMessage exponential(int index, long nanos, int scrape) {
    long[] buckets = new long[80];
    for (int i = 0; i < 80; i++) {
      buckets[i] = scrape + i % 7;
    }
    OtlpMessage point = with(timed(nanos), OtlpShape.EXPONENTIAL, 3, 0);
    point.unsigned(4, "count", 9L * scrape).real(5, "sum", scrape * 1.5).zigzag(6, "scale", 4);
    OtlpMessage positive = new OtlpMessage().zigzag(1, "offset", -90);
    point.message(8, "positive", positive.varints(2, "bucketCounts", buckets));
    OtlpMessage data = new OtlpMessage().messages(1, "dataPoints", point);
    data.named(2, "aggregationTemporality", 2, "");
    return named("http.server.wait." + index).message(10, "exponentialHistogram", data);
  }

  private static OtlpMessage payload(int scrape, int metrics, Metric metric) {
    long nanos = (MS + scrape * 10_000L) * 1_000_000L;
    List<OtlpMessage> resources = new ArrayList<>();
    for (int node = 0; node < 20; node++) {
      List<OtlpMessage> all = new ArrayList<>();
      for (int i = 0; i < metrics; i++) {
        all.add(metric.of(i, nanos, scrape));
      }
      OtlpMessage resource =
          new OtlpMessage()
              .messages(
                  1,
                  "attributes",
                  OtlpMessage.attribute("service.name", "node-" + node),
                  OtlpMessage.attribute("service.namespace", "shop"));
      OtlpMessage scope = new OtlpMessage().text(1, "name", "io.opentelemetry.http");
      OtlpMessage scopes = new OtlpMessage().message(1, "scope", scope).messages(2, "metrics", all);
      resources.add(
          new OtlpMessage().message(1, "resource", resource).messages(2, "scopeMetrics", scopes));
    }
    return new OtlpMessage().messages(1, "resourceMetrics", resources);
  }

  /** One kind of payload with what was measured of it. */
  private static final class Run {
    final Decoder decoder;
    final List<byte[]> payloads = new ArrayList<>();
    final Blocks out = new Blocks();
    final List<Double> nanos = new ArrayList<>();
    double bytes;

    Run(String format, int metrics, Metric metric) {
      decoder = Decoders.create(format, IdentityConfig.DEFAULT, "shop");
      for (int scrape = 1; scrape <= SCRAPES; scrape++) {
        OtlpMessage content = payload(scrape, metrics, metric);
        boolean json = format.equals("otlp_json");
        payloads.add(json ? content.json().getBytes(StandardCharsets.UTF_8) : content.proto());
      }
    }

    void round(long samples) {
      long before = out.samples;
      long allocated = THREADS.getCurrentThreadAllocatedBytes();
      long cpu = THREADS.getCurrentThreadCpuTime();
      for (int i = 0; out.samples - before < samples; i++) {
        decoder.decode(Collected.record(payloads.get(i % SCRAPES)), out);
        out.flush();
      }
      double done = out.samples - before;
      nanos.add((THREADS.getCurrentThreadCpuTime() - cpu) / done);
      bytes = (THREADS.getCurrentThreadAllocatedBytes() - allocated) / done;
    }

    String told(String name) {
      List<Double> sorted = nanos.subList(1, nanos.size()).stream().sorted().toList();
      double median = sorted.get(sorted.size() / 2);
      double least = sorted.get(0);
      return String.format(
          "%-24s %7.1f ns/sample (least %.1f) %7.1f bytes/sample", name, median, least, bytes);
    }
  }

  public static void main(String[] arguments) {
    int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 7;
    long samples = arguments.length > 1 ? Long.parseLong(arguments[1]) : 2_000_000L;
    Map<String, Run> runs = new LinkedHashMap<>();
    for (String format : List.of("otlp_proto", "otlp_json")) {
      if (!Decoders.formats().contains(format)) {
        continue;
      }
      runs.put(format + " gauges", new Run(format, 30, OtlpSpeed::gauge));
      runs.put(format + " sums", new Run(format, 6, OtlpSpeed::sum));
      runs.put(format + " histograms", new Run(format, 3, OtlpSpeed::histogram));
      runs.put(format + " exponential", new Run(format, 3, OtlpSpeed::exponential));
    }
    for (int round = 0; round <= rounds; round++) {
      runs.values().forEach(run -> run.round(samples));
    }
    runs.forEach((name, run) -> System.out.println(run.told(name)));
  }
}
