package io.faultline.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ring's statistics equal the formulas computed naively, on random streams. */
class RingTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void statisticsEqualTheFormulas(int seed) throws IOException {
    Random random = new Random(seed);
    List<DoubleUnaryOperator> shapes =
        List.of(
            x -> x,
            x -> Math.exp(x),
            x -> Math.rint(x),
            x -> x > 1.5 ? 1 : 0,
            x -> 1e9 + 1e6 * x,
            x -> -Math.exp(3 * x));
    DoubleUnaryOperator shape = shapes.get(seed % shapes.size());
    Ring ring = new Ring();
    List<Float> all = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      float value = (float) shape.applyAsDouble(random.nextGaussian());
      ring.add(value);
      all.add(value);
      if (i % 50 == 17) {
        ring = restored(ring);
      }
      compare(all.subList(Math.max(0, all.size() - Ring.CAPACITY), all.size()), ring);
    }
  }

  private static Ring restored(Ring ring) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    ring.write(out);
    return Ring.read(new DataInputDeserializer(out.getCopyOfBuffer()));
  }

  private static void compare(List<Float> values, Ring ring) {
    double median = Naive.quantile(values, 0.5, x -> x);
    double mad = 1.4826 * Naive.quantile(values, 0.5, x -> Math.abs(x - median));
    double iqr =
        (Naive.quantile(values, 0.75, x -> x) - Naive.quantile(values, 0.25, x -> x)) / 1.349;
    double tail =
        (Naive.quantile(values, 0.975, x -> x) - Naive.quantile(values, 0.025, x -> x)) / 3.92;
    equal(values.size(), ring.size());
    equal(median, ring.median());
    equal(Math.max(mad, Math.max(iqr, tail)), ring.spread());
    equal(Naive.quantile(values, 0.05, x -> x), ring.low());
    equal(Naive.quantile(values, 0.95, Math::abs), ring.level());
  }

  private static void equal(double expected, double actual) {
    assertEquals(expected, actual, 1e-9 * Math.abs(expected) + 1e-12);
  }
}
