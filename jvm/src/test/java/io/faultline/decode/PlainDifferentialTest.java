package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.config.IdentityConfig;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** With the plain reader and without it, a decoder hands on the same. */
class PlainDifferentialTest {
  private static final int COUNT = Integer.getInteger("fuzz.count", 20_000);

  private record Pair(String format, Supplier<Decoder> plain, Supplier<Decoder> parser) {
    @Override
    public String toString() {
      return format;
    }
  }

  static Stream<Pair> pairs() {
    return Stream.of(
        new Pair(
            Decoders.NATIVE, () -> new NativeDecoder(null), () -> new NativeDecoder(null, false)),
        new Pair(
            Decoders.NATIVE, () -> new NativeDecoder("g"), () -> new NativeDecoder("g", false)),
        new Pair(
            Decoders.PROMETHEUS,
            () -> new PrometheusDecoder(IdentityConfig.DEFAULT, "g"),
            () -> new PrometheusDecoder(IdentityConfig.DEFAULT, "g", false)));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void bothHandOnTheSame(Pair pair) {
    Decoder plain = pair.plain().get();
    Decoder parser = pair.parser().get();
    FuzzMutator mutator = new FuzzMutator(corpus(pair.format()), 5);
    int samples = 0;
    for (int i = 0; i < COUNT; i++) {
      byte[] value = i % 3 == 0 ? mutator.any() : mutator.next();
      Collected one = Collected.of(plain, value);
      Collected other = Collected.of(parser, value);
      assertEquals(told(other), told(one), () -> new String(value, StandardCharsets.UTF_8));
      samples += one.samples.size();
    }
    assertTrue(samples > COUNT / 3, "samples are compared");
  }

  /** Everything in order of kind; doubles by their bits. */
  private static List<Object> told(Collected out) {
    List<Object> all = new ArrayList<>(out.samples);
    out.samples.forEach(s -> all.add(Double.doubleToRawLongBits(s.value())));
    all.addAll(out.edges);
    all.addAll(out.deadLetters);
    all.addAll(out.ignored);
    return all;
  }

  private static List<byte[]> corpus(String format) {
    List<byte[]> all = new ArrayList<>(FuzzCorpus.of(format));
    List<String> texts =
        format.equals(Decoders.NATIVE)
            ? List.of(
                "{\"graph\":\"g\",\"node\":\"n\",\"metric\":\"m\",\"value\":1,\"time\":1767225600000}",
                "{ \"time\" : 1767225600000 , \"value\" : -12.50 ,\"metric\":\"m\",\n"
                    + "\"node\":\" n\","
                    + "\"graph\":\"g\",\"unit\":\"By\",\"labels\":{\"a\":\"}\\\"\",\"b\":\"\\u00e9\"}}",
                "{\"graph\":\"g\",\"node\":\"n\",\"metric\":\"m\",\"value\":0.1,\"time\":1767225600000,"
                    + "\"peer\":\"p\",\"side\":\"client\",\"kind\":\"counter\",\"signal\":\"cpu\"}")
            : List.of(
                "{\"labels\":{\"__name__\":\"m\",\"job\":\"a\"},\"name\":\"m\","
                    + "\"timestamp\":\"2026-01-01T00:00:00Z\",\"value\":\"12.5\"}",
                "{\"labels\":{\"job\":\"a\"},\"name\":\"n\",\"value\":3,"
                    + "\"timestamp\":\"2026-01-01T00:00:00.25+01:00\"}");
    for (String text : texts) {
      all.add(text.getBytes(StandardCharsets.UTF_8));
      all.add((text + "\n" + texts.get(0) + texts.get(0)).getBytes(StandardCharsets.UTF_8));
    }
    return all;
  }
}
