package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.config.IdentityConfig;
import io.faultline.records.Exemplar;
import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Histograms of both kinds, summaries, sums and exemplars. */
class OtlpShapesTest {
  private static final long MS = 1767225660000L;
  private static final long NANOS = MS * 1_000_000L;
  private static final int DELTA = 1;
  private static final int CUMULATIVE = 2;

  private final Decoder decoder = new OtlpDecoder(IdentityConfig.DEFAULT, "shop");

  private static Proto timed() {
    return new Proto().fixed(2, NANOS - 60_000_000_000L).fixed(3, NANOS);
  }

  private Collected decode(String name, int field, Proto data) {
    Proto metric = new Proto().text(1, name).text(3, "s").message(field, data);
    return Collected.of(
        decoder, Proto.payload(new Proto().attribute(1, "service.name", "cart"), metric));
  }

  private Collected exponential(int temporality, Proto point) {
    return decode("h", 10, new Proto().message(1, point).varint(2, temporality));
  }

  private Collected explicit(int temporality, Proto point) {
    return decode("h", 9, new Proto().message(1, point).varint(2, temporality));
  }

  private static Proto buckets(int offset, long... counts) {
    Proto all = new Proto();
    for (long count : counts) {
      all.raw(count);
    }
    return new Proto().varint(1, zigzag(offset)).message(2, all);
  }

  private static long zigzag(int value) {
    return (value << 1 ^ value >> 31) & 0xffffffffL;
  }

  private static List<String> lines(Collected out, String metric) {
    return out.samples.stream()
        .filter(s -> s.key().metric().equals(metric))
        .map(s -> s.key().label("le") + " " + HistogramSeries.number(s.value()))
        .toList();
  }

  @Test
  void sumsThatRiseAndFallAreGaugesOrGrowth() {
    Proto point = timed().fixed(6, -3);
    Proto data = new Proto().message(1, point);
    assertEquals(Kind.GAUGE, decode("u", 7, data.varint(2, CUMULATIVE)).sample("u").key().kind());
    Proto delta = new Proto().message(1, point).varint(2, DELTA);
    Collected.Sample change = decode("u", 7, delta).sample("u");
    assertEquals(Kind.DELTA, change.key().kind());
    assertEquals(-3.0, change.value());
  }

  @Test
  void extremesOfAnIntervalAreSeries() {
    Proto point = timed().fixed(4, 3).real(5, 1.5).real(11, 0.25).real(12, 0.75);
    Collected delta = explicit(DELTA, point);
    assertEquals(0.25, delta.sample("h_min").value());
    assertEquals(0.75, delta.sample("h_max").value());
    assertEquals(Kind.GAUGE, delta.sample("h_max").key().kind());
    assertEquals("s", delta.sample("h_max").key().unit());
    assertEquals(
        List.of("h_count", "h_sum"),
        explicit(CUMULATIVE, point).samples.stream().map(s -> s.key().metric()).toList());
  }

  @Test
  void boundsMustRise() {
    Proto base = timed().fixed(4, 3).packed(6, 1L, 1L, 1L);
    for (double second : new double[] {1, 0.5, Double.NaN, Double.POSITIVE_INFINITY}) {
      Proto point = timed().fixed(4, 3).packed(6, 1L, 1L, 1L).packed(7, 1.0, second);
      Collected out = explicit(CUMULATIVE, point);
      assertEquals(List.of("bad_value"), out.reasons());
      assertTrue(
          out.deadLetters
              .get(0)
              .detail()
              .endsWith("points[0] of h: bounds are not finite and ascending"));
      assertTrue(out.samples.isEmpty());
    }
    assertEquals(4, explicit(CUMULATIVE, base.packed(7, 1.0, 2.0)).samples.size());
  }

  @Test
  void exponentialBucketsBecomeUpperBounds() {
    Proto point =
        timed()
            .fixed(4, 12)
            .real(5, 30)
            .varint(6, zigzag(0))
            .fixed(7, 2)
            .message(8, buckets(1, 3, 0, 4))
            .message(9, buckets(-1, 1, 2))
            .real(14, 0.125);
    Collected out = exponential(DELTA, point);
    assertEquals(12.0, out.sample("h_count").value());
    assertEquals(30.0, out.sample("h_sum").value());
    assertEquals(
        List.of("-2 0", "-1 2", "-0.5 3", "0.125 5", "2 5", "4 8", "8 8", "16 12", "+Inf 12"),
        lines(out, "h_bucket"));
  }

  @Test
  void aFinerScaleIsBroughtToTheCommonOne() {
    long[] counts = IntStream.range(0, 160).mapToLong(i -> 1).toArray();
    Collected out =
        exponential(
            DELTA, timed().fixed(4, 160).varint(6, zigzag(5)).message(8, buckets(-32, counts)));
    List<String> lines = lines(out, "h_bucket");
    assertEquals(22, lines.size());
    assertEquals("0.5 0", lines.get(0));
    assertEquals("0.594604 8", lines.get(1));
    assertEquals("1 32", lines.get(4));
    assertEquals("16 160", lines.get(20));
    assertEquals("+Inf 160", lines.get(21));
  }

  /** A sender that sees a larger value halves its scale: what was counted stays comparable. */
  @Test
  void boundsSurviveAScaleThatIsHalved() {
    Collected before =
        exponential(
            CUMULATIVE,
            timed().fixed(4, 7).varint(6, zigzag(3)).message(8, buckets(0, 3, 1, 0, 3)));
    Collected after =
        exponential(
            CUMULATIVE, timed().fixed(4, 9).varint(6, zigzag(-1)).message(8, buckets(0, 7, 2)));
    List<SeriesKey> known = before.samples.stream().map(Collected.Sample::key).toList();
    List<String> kept =
        after.samples.stream()
            .filter(s -> known.contains(s.key()) && s.key().label("le") != null)
            .map(s -> s.key().label("le") + " " + HistogramSeries.number(s.value()))
            .toList();
    assertEquals(
        List.of(
            "0.125 0", "0.25 0", "0.5 0", "1 0", "4 7", "16 9", "32 9", "64 9", "128 9", "+Inf 9"),
        kept);
    assertTrue(lines(before, "h_bucket").contains("4 7"));
  }

  @Test
  void exponentialHistogramsAtTheEdges() {
    Proto none = timed().fixed(4, 0);
    assertEquals(List.of("+Inf 0"), lines(exponential(CUMULATIVE, none), "h_bucket"));
    Proto zeros = timed().fixed(4, 5).fixed(7, 5);
    assertEquals(List.of("0 5", "+Inf 5"), lines(exponential(CUMULATIVE, zeros), "h_bucket"));
    Proto untold = timed().fixed(4, 5);
    assertEquals(List.of(), lines(exponential(CUMULATIVE, untold), "h_bucket"));
    Proto negative = timed().fixed(4, 5).real(14, -1);
    assertEquals(List.of("bad_value"), exponential(CUMULATIVE, negative).reasons());
    for (int scale : new int[] {Integer.MIN_VALUE, -20, 0, 20, Integer.MAX_VALUE}) {
      for (int offset : new int[] {Integer.MIN_VALUE, -1, 0, Integer.MAX_VALUE}) {
        Proto far =
            timed().fixed(4, 3).varint(6, zigzag(scale)).message(8, buckets(offset, 1, 1, 1));
        List<String> lines = lines(exponential(DELTA, far), "h_bucket");
        assertEquals("+Inf 3", lines.get(lines.size() - 1), scale + " " + offset);
        assertTrue(lines.size() < 30, lines::toString);
      }
    }
  }

  @Test
  void summariesGiveCountSumAndQuantiles() {
    Proto point =
        timed()
            .fixed(4, 100)
            .real(5, 12.5)
            .message(6, new Proto().real(1, 0.5).real(2, 0.1))
            .message(6, new Proto().real(1, 0.99).real(2, 0.9))
            .message(6, new Proto().real(1, 1).real(2, Double.NaN));
    Collected out = decode("rpc", 11, new Proto().message(1, point));
    assertEquals(List.of("not_finite"), out.ignored);
    assertEquals(Kind.COUNTER, out.sample("rpc_count").key().kind());
    assertEquals("1", out.sample("rpc_count").key().unit());
    assertEquals(12.5, out.sample("rpc_sum").value());
    List<Collected.Sample> quantiles =
        out.samples.stream().filter(s -> s.key().metric().equals("rpc")).toList();
    assertEquals(
        List.of("0.5", "0.99"), quantiles.stream().map(s -> s.key().label("quantile")).toList());
    assertEquals(List.of(0.1, 0.9), quantiles.stream().map(Collected.Sample::value).toList());
    assertEquals(Kind.GAUGE, quantiles.get(0).key().kind());
    assertEquals("s", quantiles.get(0).key().unit());
    Proto bad = timed().message(6, new Proto().real(1, 95).real(2, 1));
    assertEquals(List.of("bad_value"), decode("rpc", 11, new Proto().message(1, bad)).reasons());
    Proto unsent = timed().fixed(4, 2);
    assertEquals(0.0, decode("rpc", 11, new Proto().message(1, unsent)).sample("rpc_sum").value());
  }

  private static Proto exemplar(byte[] trace, double value) {
    return new Proto()
        .fixed(2, NANOS)
        .real(3, value)
        .bytes(4, new byte[] {1, 2, 3, 4, 5, 6, 7, 8})
        .bytes(5, trace);
  }

  private static byte[] trace(int last) {
    byte[] id = new byte[16];
    id[15] = (byte) last;
    return id;
  }

  @Test
  void exemplarsWithTheLargestValuesAreKept() {
    Proto point = timed().fixed(4, 9);
    for (int i = 1; i <= 7; i++) {
      point.message(8, exemplar(trace(i), i * 13 % 7));
    }
    point.message(8, exemplar(new byte[16], 99)).message(8, exemplar(new byte[3], 99));
    point.message(8, new Proto().bytes(5, trace(8)));
    Collected out = explicit(CUMULATIVE, point);
    assertEquals(List.of(6.0, 5.0, 4.0, 3.0), out.exemplars.stream().map(Exemplar::value).toList());
    assertEquals(
        new Exemplar("00000000000000000000000000000001", "0102030405060708", 6, MS),
        out.exemplars.get(0));
    assertTrue(explicit(CUMULATIVE, timed().fixed(4, 9)).exemplars.isEmpty());
    Proto number = timed().real(4, 1).message(5, exemplar(trace(3), 2));
    assertEquals(1, decode("g", 5, new Proto().message(1, number)).exemplars.size());
    Proto broken = timed().real(4, 1).bytes(5, new byte[] {10, 99});
    assertEquals(List.of("malformed"), decode("g", 5, new Proto().message(1, broken)).reasons());
  }
}
