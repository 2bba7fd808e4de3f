package io.faultline.cep;

import static io.faultline.cep.Patterns.agg;
import static io.faultline.cep.Patterns.and;
import static io.faultline.cep.Patterns.contiguity;
import static io.faultline.cep.Patterns.field;
import static io.faultline.cep.Patterns.is;
import static io.faultline.cep.Patterns.op;
import static io.faultline.cep.Patterns.pattern;
import static io.faultline.cep.Patterns.step;
import static io.faultline.cep.Patterns.text;
import static io.faultline.cep.Patterns.within;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.records.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the engine adds to Flink's automaton: keys, skips, limits, binding. */
class CepEngineTest {
  private static final String UP = step("up", is("value", ">", 5));
  private static final String DOWN = step("down", is("value", "<", 1));

  private static PatternStats stats(Player player) {
    return player.engine.patterns().get(0).stats();
  }

  @Test
  void patternsKeyedBySeriesDoNotMixSeries() throws Exception {
    Player player = Player.of(pattern("p", within(10_000), UP, DOWN));
    player.sample("n", "a", Signal.CPU, 0, 9).sample("n", "b", Signal.CPU, 1, 0);
    player.sample("n", "a", Signal.CPU, 2, 0);
    assertEquals(List.of("match p n {up=[0], down=[2]} 2"), player.end());
    assertTrue(player.runs.get("n").isEmpty());
  }

  @Test
  void patternsKeyedByNodeSeeAllItsSeries() throws Exception {
    String node = pattern("p", within(10_000), UP, DOWN).replace("'series'", "'node'");
    Player player = Player.of(node);
    player.sample("n", "a", Signal.CPU, 0, 9).sample("m", "b", Signal.CPU, 1, 0);
    player.sample("n", "b", Signal.CPU, 2, 0);
    assertEquals(List.of("match p n {up=[0], down=[2]} 2"), player.end());
  }

  /**
   * Of steps that name their metric, only samples of these metrics are looked at, whoever is
   * active.
   */
  @Test
  void onlyMetricsThatAPatternNamesAreSeen() throws Exception {
    String up = step("up", and(metric("a"), is("value", ">", 5)));
    String down = step("down", and(metric("b"), is("value", "<", 1)));
    Player player = Player.of(pattern("p", within(60_000), up, down).replace("'series'", "'node'"));
    for (int i = 0; i < 30; i++) {
      player.sample("n", List.of("a", "b", "c").get(i % 3), Signal.OTHER, i, i == 0 ? 9 : 3);
    }
    assertEquals(20, stats(player).seen());
    assertEquals(1, stats(player).partials());
  }

  private static String metric(String name) {
    return op("==", field("metric"), text(name));
  }

  @Test
  void aQuietSampleReachesNoAutomaton() throws Exception {
    Player player = Player.of(pattern("p", within(60_000), UP, DOWN));
    for (int i = 0; i < 100; i++) {
      player.sample("n", i, 3);
    }
    assertEquals(0, stats(player).steps());
    player.sample("n", 100, 9);
    for (int i = 101; i < 200; i++) {
      player.sample("n", i, 3);
    }
    assertEquals(1, stats(player).steps(), "the partial match is provably left alone");
    assertEquals(1, stats(player).starts());
  }

  @Test
  void patternsAreFoundByMetricAndSignal() throws Exception {
    String cpu = op("==", field("signal"), text("cpu"));
    String m = op("==", field("metric"), text("m"));
    Player player =
        Player.of(
            pattern("cpu", "", step("a", and(cpu, is("value", ">", 5)))),
            pattern("m", "", step("a", and(is("value", ">", 5), m))),
            pattern("both", "", step("a", and(m, cpu, is("value", ">", 5)))),
            pattern("all", "", UP));
    player.sample("n", "m", Signal.CPU, 0, 9);
    player.sample("n", "x", Signal.CPU, 1, 9);
    player.sample("o", "m", Signal.DISK, 2, 9);
    List<String> found = player.end().stream().map(l -> l.split(" ")[1]).toList();
    assertEquals(List.of("cpu", "m", "both", "all", "cpu", "all", "m", "all"), found);
  }

  @Test
  void theOldestPartialsGoBeyondTheLimit() throws Exception {
    Player player =
        new Player(new CepSettings(10, true), pattern("p", within(1_000_000), UP, DOWN));
    for (int i = 0; i < 25; i++) {
      player.sample("n", i, 9);
    }
    assertEquals(15, stats(player).evicted());
    player.sample("n", 100, 0);
    assertEquals(10, player.lines.size());
    assertEquals("match p n {up=[15], down=[100]} 100", player.lines.get(0));
    assertTrue(player.runs.get("n").isEmpty());
  }

  @Test
  void evictionSetsWithheldMatchesFree() throws Exception {
    // The first partial never completes and withholds every later match.
    String withheld =
        pattern(
            "p",
            within(1_000_000) + "," + Patterns.afterMatch("skip_to_next"),
            step("a", is("value", ">", 0)),
            step("b", op("==", field("value"), agg("first", "a", "value")), contiguity("next")),
            step("c", is("value", "<", 0)));
    Player player = new Player(new CepSettings(4, true), withheld);
    player.values(7, 7, 3, 3, 3, 3, 3, -1);
    player.end();
    List<String> lines = player.lines;
    assertTrue(stats(player).evicted() > 0);
    assertTrue(lines.stream().anyMatch(l -> l.startsWith("match")), lines.toString());
    assertTrue(player.runs.get("cart").isEmpty());
  }

  @Test
  void aLoopOfManySamplesIsBounded() throws Exception {
    String loop =
        pattern(
            "p",
            "",
            step("up", is("value", ">", 5)),
            step("more", is("value", ">", 6), "'one_or_more':true"),
            step("down", is("value", "<", 1)));
    Player player = new Player(new CepSettings(20, true), loop);
    assertTimeoutPreemptively(
        Duration.ofSeconds(120),
        () -> {
          for (int i = 0; i < 20_000; i++) {
            player.sample("n", i, i == 0 ? 5.5 : 9);
          }
        });
    assertTrue(stats(player).evicted() > 0);
    List<Run> active = new ArrayList<>();
    player.runs.get("n").each(active::add);
    assertTrue(active.get(0).entries.size() <= 201, "samples held are bounded");
  }

  @Test
  void runsOfPatternsThatAreGoneAreDropped() throws Exception {
    Player player = Player.of(pattern("p", within(60_000), UP, DOWN));
    player.sample("n", 0, 9);
    KeyRuns runs = player.runs.get("n");
    assertEquals(1, runs.size());
    CepEngine other =
        new CepEngine(
            List.of(Patterns.read(pattern("q", within(60_000), UP, DOWN))), CepSettings.DEFAULT);
    assertEquals(Long.MAX_VALUE, other.nextTimer(runs));
    assertTrue(runs.isEmpty());
  }

  @Test
  void timersFollowTheOldestPartial() throws Exception {
    Player player = Player.of(pattern("p", within(60_000), UP, DOWN));
    player.sample("n", 1000, 9).sample("n", 5000, 9);
    KeyRuns runs = player.runs.get("n");
    assertEquals(61_000, player.engine.nextTimer(runs));
    player.engine.advance(runs, 61_000, player);
    assertEquals(List.of("timeout p n {up=[1000]} 61000"), player.lines);
    assertEquals(65_000, player.engine.nextTimer(runs));
  }

  @Test
  void resultsDoNotDependOnHowFarApartWatermarksAre() throws Exception {
    String skipping =
        pattern(
            "p", within(100) + "," + Patterns.afterMatch("skip_past_last"), UP, step("x", pair()));
    double[] values = {6, 7, 8, 17, 9};
    List<List<String>> found = new ArrayList<>();
    for (int stride : new int[] {1, 1000}) {
      Player player = Player.of(skipping);
      for (int i = 0; i < values.length; i++) {
        player.sample("n", i * 10L, values[i]);
      }
      for (int t = 40; t < 2000; t += stride) {
        player.watermark(t);
      }
      found.add(List.copyOf(player.end()));
    }
    assertEquals(found.get(0), found.get(1));
    assertTrue(found.get(0).get(0).startsWith("timeout p n {up=[0]} 100"), found.toString());
  }

  /** Ten more than the first. */
  private static String pair() {
    return op(
        "==",
        field("value"),
        Patterns.math("+", agg("first", "up", "value"), Patterns.constant(10)));
  }

  @Test
  void aRunThatFailsIsGivenUpAndTheOthersGoOn() throws Exception {
    Player player = Player.of(pattern("p", within(60_000), UP, DOWN));
    player.sample("n", 0, 9);
    // A buffer that lost its entries, as a corrupt state would have it.
    player.runs.get("n").each(run -> run.entries.clear());
    player.runs.get("n").each(run -> run.events.clear());
    player.sample("n", 1, 9).sample("n", 2, 0);
    player.sample("n", 3, 9).sample("n", 4, 0);
    assertTrue(player.end().contains("match p n {up=[3], down=[4]} 4"), player.lines.toString());
    assertEquals(1, stats(player).failed());
  }

  @Test
  void timeoutsAreOnlyToldWhereAsked() throws Exception {
    Player player = new Player(new CepSettings(10, false), pattern("p", within(10), UP, DOWN));
    player.sample("n", 0, 9);
    assertEquals(List.of(), player.end());
    assertEquals(Map.of(), Map.copyOf(player.runs.get("n").series));
  }
}
