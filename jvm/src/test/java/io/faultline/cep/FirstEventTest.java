package io.faultline.cep;

import static io.faultline.cep.Patterns.afterMatch;
import static io.faultline.cep.Patterns.agg;
import static io.faultline.cep.Patterns.and;
import static io.faultline.cep.Patterns.contiguity;
import static io.faultline.cep.Patterns.field;
import static io.faultline.cep.Patterns.is;
import static io.faultline.cep.Patterns.op;
import static io.faultline.cep.Patterns.step;
import static io.faultline.cep.Patterns.text;
import static io.faultline.cep.Patterns.times;
import static io.faultline.cep.Patterns.within;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Patterns whose first event the automaton need not see until the second one is taken. */
class FirstEventTest {
  private static final String RISES =
      and(is("value", ">", 60), op(">", field("value"), agg("first", "a", "value")));
  private static final String NEXT = contiguity("next");

  private static Map<String, String> held() {
    String any = op("==", field("metric"), text("a"));
    Map<String, String> out = new TreeMap<>();
    out.put("jump", series("jump", within(30), step("a", any), step("b", RISES, NEXT)));
    out.put("node", node("node", within(9), step("a", any), step("b", any, NEXT)));
    out.put("endless", node("endless", afterMatch("skip_past_last"), twice(any)));
    out.put("skips", node("skips", afterMatch("skip_to_next") + "," + within(20), twice(any)));
    out.put("short", series("short", within(3), step("a", any), step("b", RISES, NEXT)));
    out.put("goes-on", node("goes-on", within(25), twice(any), step("c", is("value", "<", 50))));
    String none = contiguity("not_followed_by");
    out.put("silent", node("silent", within(12), step("a", any), step("b", any, none)));
    out.put(
        "series-silent", series("series-silent", within(7), step("a", any), step("b", any, none)));
    String low = and(any, is("value", "<", 30));
    String skip = within(15) + "," + afterMatch("skip_past_last");
    out.put("no-recovery", node("no-recovery", skip, step("a", any), step("b", low, none)));
    String other = op("==", field("metric"), text("b"));
    out.put("no-answer", node("no-answer", within(10), step("a", any), step("b", other, none)));
    return out;
  }

  private static String twice(String where) {
    return step("a", where, times(2, 2), "'consecutive':true");
  }

  private static String series(String id, String extra, String... steps) {
    return Patterns.pattern(id, "'key':'series'," + extra, steps);
  }

  private static String node(String id, String extra, String... steps) {
    return Patterns.pattern(id, "'key':'node'," + extra, steps);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void sameAsStock(long seed) throws Exception {
    Trial trial = new Trial(RandomStream.sparse(seed, 300), seed);
    Map<String, Trial.Outcome> outcomes = trial.run(held());
    outcomes.forEach((id, found) -> assertEquals(found.stock(), found.engine(), id));
    outcomes.forEach((id, found) -> assertFalse(found.stock().isEmpty(), id));
  }

  @Test
  void theAutomatonIsAskedForTheSecondEventOnly() throws Exception {
    CepEngine engine = engine("jump");
    PatternStats stats = engine.patterns().get(0).stats();
    KeyRuns runs = new KeyRuns();
    Told told = new Told();
    for (int i = 0; i < 100; i++) {
      engine.event(runs, StockCep.event("n", "a", 1_000 + i, 10, i), told);
    }
    assertEquals(0, stats.steps());
    assertEquals(1, runs.size());
    assertEquals(1, stats.partials());
    engine.event(runs, StockCep.event("n", "a", 1_100, 90, 100), told);
    assertEquals(1, told.matches);
    assertEquals(2, stats.steps());
  }

  @Test
  void theAutomatonIsNotAskedWhileWhatMustNotComeComes() throws Exception {
    CepEngine engine = engine("silent");
    PatternStats stats = engine.patterns().get(0).stats();
    KeyRuns runs = new KeyRuns();
    Told told = new Told();
    for (int i = 0; i < 100; i++) {
      engine.event(runs, StockCep.event("n", "a", 1_000 + i, 10, i), told);
      engine.event(runs, StockCep.event("n", "b", 1_000 + i, 10, i), told);
    }
    assertEquals(0, stats.steps());
    assertEquals(1, stats.partials());
    engine.advance(runs, 1_110, told);
    assertEquals(0, told.matches);
    engine.advance(runs, 1_111, told);
    assertEquals(1, told.matches);
    assertTrue(runs.isEmpty());
  }

  @Test
  void aTimeoutThatNobodyWantsCostsNothing() throws Exception {
    List<PatternModel> models = List.of(Patterns.read(held().get("jump")));
    CepEngine engine = new CepEngine(models, new CepSettings(100, false));
    PatternStats stats = engine.patterns().get(0).stats();
    KeyRuns runs = new KeyRuns();
    Told told = new Told();
    for (int i = 0; i < 100; i++) {
      engine.event(runs, StockCep.event("n", "a", 1_000 + 40 * i, 10, i), told);
    }
    engine.advance(runs, Long.MAX_VALUE, told);
    assertEquals(0, told.matches + told.timeouts);
    assertEquals(0, stats.steps());
    assertEquals(0, stats.partials());
    assertTrue(runs.isEmpty());
  }

  @Test
  void theFirstEventIsWrittenAndRunsOutOfTime() throws Exception {
    CepEngine engine = engine("jump");
    KeyRuns runs = new KeyRuns();
    Told told = new Told();
    engine.event(runs, StockCep.event("n", "a", 1_000, 10, 0), told);
    KeyRuns restored = KeyRunsSerializer.INSTANCE.copy(runs);
    assertEquals(1_030, engine.nextTimer(restored));
    engine.event(restored, StockCep.event("n", "a", 1_010, 90, 1), told);
    assertEquals(1, told.matches);
    engine.advance(runs, 1_030, told);
    assertEquals(1, told.timeouts);
    assertTrue(runs.isEmpty());
    assertEquals(0, engine.patterns().get(0).stats().partials());
  }

  private static CepEngine engine(String id) throws Exception {
    return new CepEngine(List.of(Patterns.read(held().get(id))), new CepSettings(100, true));
  }

  /** Counts what is told. */
  private static final class Told implements MatchOutput {
    private int matches;
    private int timeouts;

    @Override
    public void match(CompiledPattern pattern, Map<String, List<Event>> events, long readyAt) {
      matches++;
    }

    @Override
    public void timeout(CompiledPattern pattern, Map<String, List<Event>> events, long readyAt) {
      timeouts++;
    }
  }
}
