package io.faultline.node;

import static io.faultline.node.Given.T0;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

/** Points are {second, value, start in seconds before T0 or after}; rates are "second=rate". */
class CounterTest {
  private static final long START = -3600;

  private final Reading reading = new Reading();
  private final Map<String, Integer> counts = new TreeMap<>();
  private final Tally tally = reason -> counts.merge(reason, 1, Integer::sum);

  private List<String> rates(boolean delta, double[]... points) throws IOException {
    List<String> rates = new ArrayList<>();
    Counter counter = new Counter();
    for (double[] p : points) {
      counter = restored(counter.copy());
      long start = p[2] == 0 ? 0 : Math.round(T0 + 1000 * p[2]);
      Reading at = reading.set(Math.round(T0 + 1000 * p[0]), p[1], start, false, tally);
      if (delta) {
        Delta.read(counter, at);
      } else {
        Cumulative.read(counter, at);
      }
      if (!Double.isNaN(at.rate)) {
        rates.add((p[0] + "=" + Math.round(at.rate * 1e6) / 1e6).replace(".0=", "="));
      }
    }
    return rates;
  }

  private static Counter restored(Counter counter) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    counter.write(out);
    return Counter.read(new DataInputDeserializer(out.getCopyOfBuffer()), 2);
  }

  /** Case counter-reset-sum. */
  @Test
  void aRestartCountsFromZeroAndIsTheNewBase() throws IOException {
    assertEquals(
        List.of("10=5.0", "20=6.0", "30=2.4", "40=2.0"),
        rates(
            false,
            new double[] {0, 1000, START},
            new double[] {10, 1050, START},
            new double[] {20, 1110, START},
            new double[] {30, 24, 22},
            new double[] {40, 44, 22}));
    assertEquals(Map.of("counter_restart", 1), counts);
  }

  /** Case counter-interleaved-instances. */
  @Test
  void instancesThatShareASeriesAreAddedAndNeverResets() throws IOException {
    List<String> rates =
        rates(
            false,
            new double[] {0, 4210, -9000},
            new double[] {5, 3880, -2000},
            new double[] {10, 4220, -9000},
            new double[] {15, 3881, -2000},
            new double[] {20, 4230, -9000},
            new double[] {25, 3882, -2000});
    assertEquals(List.of("15=1.1", "20=1.1", "25=1.1"), rates);
    assertEquals(Map.of("overlapping_streams", 1), counts);
  }

  @Test
  void anInstanceThatFallsSilentLeavesTheSum() throws IOException {
    List<String> rates =
        rates(
            false,
            new double[] {0, 0, -9000},
            new double[] {5, 0, -2000},
            new double[] {10, 10, -9000},
            new double[] {15, 20, -2000},
            new double[] {20, 20, -9000},
            new double[] {30, 30, -9000},
            new double[] {40, 40, -9000},
            new double[] {50, 50, -9000});
    assertEquals(List.of("15=3.0", "20=3.0", "30=3.0", "40=1.0", "50=1.0"), rates);
  }

  /** Case counter-retry-duplicates. */
  @Test
  void repeatedPointsGiveNoRate() throws IOException {
    List<String> rates =
        rates(
            false,
            new double[] {0, 100, START},
            new double[] {10, 120, START},
            new double[] {0, 100, START},
            new double[] {10, 120, START},
            new double[] {20, 150, START},
            new double[] {10, 120, START},
            new double[] {30, 180, START});
    assertEquals(List.of("10=2.0", "20=3.0", "30=3.0"), rates);
    assertEquals(Map.of("duplicate", 1, "went_back", 2), counts);
  }

  /** Case counter-no-recorded-value: the flagged point never arrives here. */
  @Test
  void aMissingPointIsAveragedOver() throws IOException {
    List<String> rates =
        rates(
            false,
            new double[] {0, 500, START},
            new double[] {10, 530, START},
            new double[] {30, 560, START},
            new double[] {40, 590, START});
    assertEquals(List.of("10=3.0", "30=1.5", "40=3.0"), rates);
  }

  @Test
  void withoutStartTimesADecreaseIsAReset() throws IOException {
    List<String> rates =
        rates(false, new double[] {0, 900, 0}, new double[] {30, 960, 0}, new double[] {40, 20, 0});
    assertEquals(List.of("30=2.0", "40=2.0"), rates);
    assertEquals(Map.of("counter_reset", 1), counts);
  }

  @Test
  void aDeltaPointIsDividedByItsOwnTime() throws IOException {
    List<String> rates =
        rates(
            true,
            new double[] {10, 50, 5},
            new double[] {10, 50, 5},
            new double[] {20, 30, 10},
            new double[] {30, 30, 0});
    assertEquals(List.of("10=10.0", "20=3.0", "30=3.0"), rates);
    assertEquals(Map.of("duplicate", 1), counts);
  }

  @Test
  void aNegativeCounterIsNoRate() throws IOException {
    assertEquals(List.of(), rates(false, new double[] {0, 1, 0}, new double[] {10, -5, 0}));
    assertEquals(Map.of("negative_counter", 1), counts);
  }
}
