package io.faultline.cep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random patterns over random samples, through Flink's own CEP operator and through this engine:
 * the same matches and timeouts at the same times. The reference sees a watermark at every
 * millisecond, because Flink's results depend on the watermarks where several partial matches end
 * between two of them; the engine sees watermarks far apart, and its state is written and read back
 * on the way.
 */
class DifferentialTest {
  private static final int PATTERNS = Integer.getInteger("faultline.differential.patterns", 40);
  private static final int EVENTS = 400;
  private static final int NODES = 3;

  /** {@code faultline.differential.seed} and {@code .seeds}: where to begin, and how many. */
  static LongStream seeds() {
    long first = Long.getLong("faultline.differential.seed", 1);
    return LongStream.range(first, first + Long.getLong("faultline.differential.seeds", 3));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void sameAsStock(long seed) throws Exception {
    RandomPatterns patterns = new RandomPatterns(seed);
    Map<String, String> sources = new TreeMap<>();
    List<PatternModel> models = new ArrayList<>();
    for (int i = 0; i < PATTERNS; i++) {
      String id = "p" + i;
      sources.put(id, patterns.next(id));
      models.add(Patterns.read(sources.get(id)));
    }
    List<SampleEvent> events = events(new Random(seed));
    Map<String, List<String>> stock = byPattern(StockCep.run(models, events));
    Map<String, List<String>> hosted = byPattern(play(models, events, new Random(seed + 1)));
    for (PatternModel model : models) {
      String id = model.id();
      List<String> expected = stock.getOrDefault(id, List.of());
      List<String> found = hosted.getOrDefault(id, List.of());
      if (!expected.equals(found)) {
        fail(
            "seed %d, %s\nonly stock: %s\nonly hosted: %s"
                .formatted(
                    seed, sources.get(id), without(expected, found), without(found, expected)));
      }
    }
    assertTrue(stock.size() > PATTERNS / 2, "too few patterns found anything: " + stock.size());
  }

  private static List<String> without(List<String> lines, List<String> others) {
    List<String> out = new ArrayList<>(lines);
    others.forEach(out::remove);
    return out;
  }

  /** Times with repetitions, and a sample of the clock in every millisecond. */
  private static List<SampleEvent> events(Random random) {
    List<SampleEvent> out = new ArrayList<>();
    long time = 1_000_000;
    for (int i = 0; i < EVENTS; i++) {
      for (int pause = random.nextInt(6); pause > 0; pause--) {
        out.add(StockCep.event(StockCep.CLOCK, "clock", ++time, Double.NaN, -1));
      }
      String metric = String.valueOf("abcd".charAt(random.nextInt(4)));
      String node = "n" + random.nextInt(NODES);
      out.add(StockCep.event(node, metric, time, random.nextInt(100), i));
    }
    for (int i = 0; i < 200; i++) {
      out.add(StockCep.event(StockCep.CLOCK, "clock", ++time, Double.NaN, -1));
    }
    return out;
  }

  private static List<String> play(
      List<PatternModel> models, List<SampleEvent> events, Random random) {
    CepEngine engine = new CepEngine(models, new CepSettings(1_000_000, true));
    Map<String, KeyRuns> state = new HashMap<>();
    Lines lines = new Lines();
    SampleEvent flyweight = new SampleEvent();
    for (SampleEvent e : events) {
      if (e.series().node().equals(StockCep.CLOCK)) {
        continue;
      }
      KeyRuns runs = state.computeIfAbsent(e.series().node(), n -> new KeyRuns());
      double none = Double.NaN;
      flyweight.set(e.series(), e.time(), e.value(), none, e.baseline(), none, none, none);
      engine.event(runs, flyweight, lines);
      if (random.nextInt(5) == 0) {
        state.replaceAll((node, r) -> KeyRunsSerializer.INSTANCE.copy(r));
      }
    }
    for (KeyRuns runs : state.values()) {
      engine.advance(runs, Long.MAX_VALUE, lines);
      runs.each(run -> assertEquals(0, run.compiled.window(), "a window ends everything"));
    }
    return lines.lines;
  }

  private static Map<String, List<String>> byPattern(List<String> lines) {
    Map<String, List<String>> out = new HashMap<>();
    for (String line : lines) {
      out.computeIfAbsent(line.substring(0, line.indexOf(' ')), id -> new ArrayList<>()).add(line);
    }
    out.values().forEach(l -> l.sort(null));
    return out;
  }

  private static final class Lines implements MatchOutput {
    private final List<String> lines = new ArrayList<>();

    @Override
    public void match(
        CompiledPattern pattern, Map<String, List<SampleEvent>> samples, long readyAt) {
      lines.add(StockCep.line("match", pattern.model().id(), samples, readyAt));
    }

    @Override
    public void timeout(
        CompiledPattern pattern, Map<String, List<SampleEvent>> samples, long readyAt) {
      lines.add(StockCep.line("timeout", pattern.model().id(), samples, readyAt));
    }

    @Override
    public void failed(CompiledPattern pattern, Exception cause) {
      throw new AssertionError(pattern.model().id(), cause);
    }
  }
}
