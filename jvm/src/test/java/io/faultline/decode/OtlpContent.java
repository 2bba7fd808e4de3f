package io.faultline.decode;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** OTLP metrics by chance, with everything in them that senders get wrong and can still encode. */
final class OtlpContent {
  static final long MS = 1767225660000L;
  private static final String[] NAMES = {
    "queue.depth", "http.server.request.duration", "m", "traces_service_graph_request_total",
    "traces_service_graph_request_server", "istio_requests_total", "ünïcode \u20ac \ud83d\ude00", ""
  };
  private static final double[] REALS = {
    0,
    -0.0,
    1,
    1.5,
    -2.25e-7,
    1e300,
    Double.NaN,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.MIN_VALUE
  };
  private static final String[] TEMPORALITIES = {
    "AGGREGATION_TEMPORALITY_UNSPECIFIED",
    "AGGREGATION_TEMPORALITY_DELTA",
    "AGGREGATION_TEMPORALITY_CUMULATIVE"
  };

  private final Random random;

  OtlpContent(long seed) {
    this.random = new Random(seed);
  }

  private OtlpMessage message() {
    return new OtlpMessage(random);
  }

  private boolean often() {
    return random.nextInt(8) != 0;
  }

  private boolean seldom() {
    return random.nextInt(8) == 0;
  }

  private <T> T of(T[] values) {
    return values[random.nextInt(values.length)];
  }

  private interface Part {
    OtlpMessage next();
  }

  private List<OtlpMessage> some(int most, Part part) {
    List<OtlpMessage> out = new ArrayList<>();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      out.add(part.next());
    }
    return out;
  }

  /** A MetricsData with at least one resource. */
  OtlpMessage payload() {
    List<OtlpMessage> resources = some(2, this::resource);
    resources.add(resource());
    return message().messages(1, "resourceMetrics", resources);
  }

  private OtlpMessage resource() {
    OtlpMessage out = message();
    if (often()) {
      List<OtlpMessage> attributes = some(2, this::attribute);
      if (often()) {
        attributes.add(pair("service.name", message().text(1, "stringValue", "cart")));
      }
      out.message(1, "resource", message().messages(1, "attributes", attributes));
    }
    return out.messages(2, "scopeMetrics", some(2, this::scope));
  }

  private OtlpMessage scope() {
    OtlpMessage out = message();
    if (often()) {
      OtlpMessage scope = message().text(1, "name", "lib").text(2, "version", "1");
      out.message(1, "scope", scope.messages(3, "attributes", some(1, this::attribute)));
    }
    return out.messages(2, "metrics", some(4, this::metric));
  }

  private OtlpMessage metric() {
    OtlpMessage out = message();
    if (often()) {
      out.text(1, "name", of(NAMES));
    }
    if (often()) {
      out.text(3, "unit", random.nextBoolean() ? "s" : "");
    }
    return switch (random.nextInt(6)) {
      case 0 -> out.message(5, "gauge", data(this::number));
      case 1 -> out.message(7, "sum", addingUp(data(this::number)).bool(3, "isMonotonic", often()));
      case 2 -> out.message(9, "histogram", addingUp(data(this::explicit)));
      case 3 -> out.message(10, "exponentialHistogram", addingUp(data(this::exponential)));
      case 4 -> out.message(11, "summary", data(this::summary));
      default -> out;
    };
  }

  private OtlpMessage data(Part point) {
    return message().messages(1, "dataPoints", some(4, point));
  }

  private OtlpMessage addingUp(OtlpMessage data) {
    int temporality = seldom() ? 0 : 1 + random.nextInt(2);
    return data.named(2, "aggregationTemporality", temporality, TEMPORALITIES[temporality]);
  }

  private OtlpMessage attribute() {
    String key = of(new String[] {"client", "server", "failed", "k", "le", ""});
    return pair(key, value(0));
  }

  private OtlpMessage pair(String key, OtlpMessage value) {
    return message().text(1, "key", key).message(2, "value", value);
  }

  private OtlpMessage value(int depth) {
    OtlpMessage out = message();
    byte[] bytes = new byte[random.nextInt(5)];
    random.nextBytes(bytes);
    return switch (random.nextInt(depth < 3 ? 8 : 6)) {
      case 0 -> out.bool(2, "boolValue", random.nextBoolean());
      case 1 -> out.varint(3, "intValue", random.nextLong());
      case 2 -> out.real(4, "doubleValue", REALS[random.nextInt(REALS.length)]);
      case 3 -> out.base64(7, "bytesValue", bytes);
      case 4 -> out;
      case 6 -> {
        List<OtlpMessage> values = some(3, () -> value(depth + 1));
        yield out.message(5, "arrayValue", message().messages(1, "values", values));
      }
      case 7 -> {
        List<OtlpMessage> pairs = some(2, () -> pair("x", value(depth + 1)));
        yield out.message(6, "kvlistValue", message().messages(1, "values", pairs));
      }
      default -> out.text(1, "stringValue", of(new String[] {"web", "a\"b\\c\n", "user", "é"}));
    };
  }

  /** What points of every shape have. */
  private OtlpMessage point(OtlpShape shape) {
    OtlpMessage out = message();
    if (random.nextBoolean()) {
      out.unsigned(2, "startTimeUnixNano", (MS - 60_000) * 1_000_000 + random.nextInt(999_999));
    }
    if (often()) {
      out.unsigned(3, "timeUnixNano", MS * 1_000_000 + random.nextInt(1_000_000));
    }
    if (seldom()) {
      out.varint(shape.flags, "flags", random.nextInt(4));
    }
    if (shape.exemplars != 0 && seldom()) {
      out.messages(shape.exemplars, "exemplars", some(6, this::exemplar));
    }
    return out;
  }

  private OtlpMessage attributes(OtlpShape shape, OtlpMessage point) {
    return point.messages(shape.attributes, "attributes", some(3, this::attribute));
  }

  private OtlpMessage exemplar() {
    byte[] trace = new byte[seldom() ? 3 : 16];
    byte[] span = new byte[8];
    random.nextBytes(trace);
    random.nextBytes(span);
    OtlpMessage out = message().unsigned(2, "timeUnixNano", MS * 1_000_000);
    out.hex(4, "spanId", span).hex(5, "traceId", trace);
    return random.nextBoolean() ? out.real(3, "asDouble", random.nextDouble()) : out;
  }

  private OtlpMessage number() {
    OtlpMessage out = point(OtlpShape.NUMBER);
    switch (random.nextInt(6)) {
      case 0 -> {}
      case 1, 2 -> out.signed(6, "asInt", random.nextBoolean() ? random.nextLong() : 7);
      default -> out.real(4, "asDouble", REALS[random.nextInt(REALS.length)]);
    }
    return attributes(OtlpShape.NUMBER, out);
  }

  private OtlpMessage sums(OtlpMessage out) {
    out.unsigned(4, "count", seldom() ? random.nextLong() : random.nextInt(99));
    return often() ? out.real(5, "sum", REALS[random.nextInt(REALS.length)]) : out;
  }

  private long[] counts(int size) {
    return random.longs(size, 0, 50).toArray();
  }

  private OtlpMessage explicit() {
    OtlpMessage out = sums(attributes(OtlpShape.HISTOGRAM, point(OtlpShape.HISTOGRAM)));
    double[] bounds = random.doubles(random.nextInt(5), 0, 9).sorted().toArray();
    if (bounds.length > 1 && seldom()) {
      bounds[1] = seldom() ? Double.NaN : bounds[0];
    }
    int buckets = seldom() ? random.nextInt(4) : bounds.length + 1;
    out.counts(6, "bucketCounts", counts(buckets)).reals(7, "explicitBounds", bounds);
    return out.real(11, "min", 0.25).real(12, "max", REALS[random.nextInt(REALS.length)]);
  }

  private OtlpMessage exponential() {
    OtlpMessage out = sums(attributes(OtlpShape.EXPONENTIAL, point(OtlpShape.EXPONENTIAL)));
    out.zigzag(6, "scale", seldom() ? random.nextInt() : random.nextInt(30) - 10);
    out.unsigned(7, "zeroCount", random.nextInt(3));
    out.message(8, "positive", buckets());
    if (random.nextBoolean()) {
      out.message(9, "negative", buckets());
    }
    return seldom() ? out.real(14, "zeroThreshold", random.nextDouble() - 0.2) : out;
  }

  private OtlpMessage buckets() {
    int offset = seldom() ? random.nextInt() : random.nextInt(200) - 100;
    return message()
        .zigzag(1, "offset", offset)
        .varints(2, "bucketCounts", counts(random.nextInt(40)));
  }

  private OtlpMessage summary() {
    OtlpMessage out = sums(attributes(OtlpShape.SUMMARY, point(OtlpShape.SUMMARY)));
    return out.messages(6, "quantileValues", some(3, this::quantile));
  }

  private OtlpMessage quantile() {
    OtlpMessage out = message().real(1, "quantile", random.nextInt(11) / 10.0 + (seldom() ? 1 : 0));
    return often() ? out.real(2, "value", REALS[random.nextInt(REALS.length)]) : out;
  }
}
