package io.faultline.cep;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random patterns over random samples, through Flink's own CEP operator and through what is hosted
 * here, the engine alone and the job's operator with a restore on the way: the same matches and
 * timeouts at the same times. The reference sees a watermark at every millisecond, because Flink's
 * results depend on the watermarks where several partial matches end between two of them; ours does
 * not.
 */
class DifferentialTest {
  private static final int PATTERNS = Integer.getInteger("faultline.differential.patterns", 50);

  /** {@code faultline.differential.seed} and {@code .seeds}: where to begin, and how many. */
  static LongStream seeds() {
    long first = Long.getLong("faultline.differential.seed", 1);
    return LongStream.range(first, first + Long.getLong("faultline.differential.seeds", 10));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void sameAsStock(long seed) throws Exception {
    boolean gaps = seed % 3 == 0;
    RandomPatterns patterns = new RandomPatterns(seed, gaps);
    RandomStream stream = gaps ? RandomStream.dense(seed, 100) : RandomStream.sparse(seed, 400);
    Map<String, String> sources = new TreeMap<>();
    while (sources.size() < PATTERNS) {
      String id = "p" + sources.size();
      String source = patterns.next(id);
      if (!HostedCep.evicts(Patterns.read(source), stream.events())) {
        sources.put(id, source);
      }
    }
    Trial trial = new Trial(stream, seed);
    Map<String, Trial.Outcome> outcomes = trial.run(sources);
    for (Map.Entry<String, Trial.Outcome> each : outcomes.entrySet()) {
      if (!each.getValue().agrees()) {
        String source = sources.get(each.getKey());
        fail(
            "seed %d, %s%n%s%n%s"
                .formatted(
                    seed, source, each.getValue().told(), trial.shrunken(each.getKey(), source)));
      }
    }
    long found = outcomes.values().stream().filter(o -> !o.stock().isEmpty()).count();
    assertTrue(found > PATTERNS / 3, "too few patterns found anything: " + found);
  }
}
