package io.faultline.cep;

import static io.faultline.cep.Patterns.contiguity;
import static io.faultline.cep.Patterns.is;
import static io.faultline.cep.Patterns.pattern;
import static io.faultline.cep.Patterns.read;
import static io.faultline.cep.Patterns.step;
import static io.faultline.cep.Patterns.within;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Patterns that come, change and go while partial matches are held. */
class LiveSwapTest {
  private static final String UP = step("up", is("value", ">", 5));
  private static final String DOWN = step("down", is("value", "<", 1));
  private static final String DOWN_NEXT = step("down", is("value", "<", 1), contiguity("next"));
  private static final String HIGH = step("high", is("value", ">", 50));

  private static LivePattern live(int version, String key, String... steps)
      throws PatternRefusedException {
    String text = pattern("p", within(10_000), steps).replace("'series'", "'" + key + "'");
    return LivePattern.of(read(text.replace("'version':1", "'version':" + version)));
  }

  private static Player playing(LivePattern... first) throws PatternRefusedException {
    return new Player(CepSettings.DEFAULT).live(first);
  }

  private static long dropped(CompiledPattern pattern) {
    return pattern.stats().dropped();
  }

  @ParameterizedTest
  @ValueSource(strings = {"series", "node"})
  void aDrainingVersionEndsWhatItHoldsAndBeginsNothing(String key) throws Exception {
    LivePattern old = live(1, key, UP, DOWN);
    LivePattern next = live(2, key, HIGH);
    Player player = playing(old).sample("n", 0, 9);
    player.live(next, old.drained());
    player.sample("n", 1, 9).sample("n", 2, 0).sample("n", 3, 9).sample("n", 4, 0);
    player.sample("n", 5, 60).sample("o", 6, 9).sample("o", 7, 0);
    assertEquals(
        "[match p n {up=[0], down=[2]} 2, match p n {high=[5]} 5]", player.end().toString());
    assertEquals(0, player.engine.dropped());
    assertTrue(player.runs.values().stream().allMatch(KeyRuns::isEmpty));
  }

  @ParameterizedTest
  @ValueSource(strings = {"series", "node"})
  void aHeldFirstEventDrainsToo(String key) throws Exception {
    LivePattern old = live(1, key, UP, DOWN_NEXT);
    Player player = playing(old).sample("n", 0, 9).sample("o", 0, 9);
    player.live(old.drained());
    player.sample("n", 1, 0).sample("n", 2, 9).sample("n", 3, 0);
    player.sample("o", 1, 9).sample("o", 2, 0);
    assertEquals("[match p n {up=[0], down=[1]} 1]", player.end().toString());
    assertTrue(player.runs.values().stream().allMatch(KeyRuns::isEmpty));
  }

  @Test
  void drainingSurvivesARestore() throws Exception {
    LivePattern old = live(1, "node", UP, DOWN);
    Player player = playing(old).sample("n", 0, 9).sample("n", 1, 8);
    player.live(old.drained()).sample("n", 2, 7);
    player.restore();
    player.sample("n", 3, 9).sample("n", 4, 0).sample("n", 5, 9).sample("n", 6, 0);
    assertEquals(
        "[match p n {up=[0], down=[4]} 4, match p n {up=[1], down=[4]} 4]",
        player.end().toString());
    assertTrue(player.runs.get("n").isEmpty());
  }

  @Test
  void whatDrainedOutOfTimeIsToldAndFreed() throws Exception {
    LivePattern old = live(1, "node", UP, DOWN);
    Player player = playing(old).sample("n", 0, 9);
    player.live(old.drained()).sample("n", 20_000, 9);
    assertEquals("[timeout p n {up=[0]} 10000]", player.lines.toString());
    assertTrue(player.runs.get("n").isEmpty());
    assertEquals(0, player.engine.patterns().get(0).stats().partials());
  }

  @Test
  void aVersionThatIsBackBeginsAgain() throws Exception {
    LivePattern old = live(1, "node", UP, DOWN);
    Player player = playing(old).sample("n", 0, 9);
    player.live(old.drained()).sample("n", 1, 9);
    player.live(old).sample("n", 2, 9).sample("n", 3, 0);
    assertEquals(
        "[match p n {up=[0], down=[3]} 3, match p n {up=[2], down=[3]} 3]",
        player.end().toString());
  }

  @Test
  void withoutDrainingPartialMatchesAreDroppedAndCounted() throws Exception {
    LivePattern old = live(1, "series", UP, DOWN);
    Player player = playing(old).sample("n", 0, 9).sample("n", 1, 8).sample("o", 1, 8);
    CompiledPattern gone = player.engine.patterns().get(0);
    assertEquals(3, gone.stats().partials());
    player.live(live(2, "series", UP, DOWN));
    assertEquals(1, player.engine.release(player.runs.get("o")));
    assertEquals(1, dropped(gone));
    player.sample("n", 2, 0);
    assertEquals(3, dropped(gone));
    assertEquals(3, player.engine.dropped());
    assertEquals(0, gone.stats().partials());
    assertEquals("[]", player.end().toString());
    assertTrue(player.runs.values().stream().allMatch(KeyRuns::isEmpty));
  }

  @Test
  void otherPatternsGoOnWithTheirPartialsAndCounts() throws Exception {
    LivePattern stays =
        LivePattern.of(read(pattern("q", within(10_000), UP, DOWN).replace("series", "node")));
    Player player = playing(live(1, "node", UP, DOWN), stays).sample("n", 0, 9);
    player.live(stays, live(2, "node", HIGH)).sample("n", 1, 0);
    assertEquals("[match q n {up=[0], down=[1]} 1]", player.end().toString());
    assertEquals(1, player.engine.patterns().get(0).stats().matches());
  }

  @Test
  void theEndOfAllPatternsFreesTheState() throws Exception {
    Player player = playing(live(1, "node", UP, DOWN)).sample("n", 0, 9);
    player.live().watermark(1);
    assertTrue(player.runs.get("n").isEmpty());
  }

  @Test
  void aShareAppliesToItsGraphsOnlyAndAFixedNumberOfThem() throws Exception {
    Share half = Share.of(0.5);
    long covered =
        java.util.stream.IntStream.range(0, 10_000)
            .filter(i -> half.covers("p", "graph-" + i))
            .count();
    assertTrue(Math.abs(covered - 5_000) < 250, "half of 10,000 graphs, found " + covered);
    for (int i = 0; i < 1_000; i++) {
      String graph = "graph-" + i;
      assertTrue(!Share.of(0.1).covers("p", graph) || half.covers("p", graph), graph);
    }
    // The samples are of graph "shop".
    double place = Share.place("p", "shop");
    LivePattern all = live(1, "node", UP, DOWN);
    LivePattern without = new LivePattern(all.model(), false, Share.of(place), false);
    LivePattern with = new LivePattern(all.model(), false, Share.of(place + 1e-9), false);
    assertEquals("[]", playing(without).sample("n", 0, 9).sample("n", 1, 0).end().toString());
    assertEquals(1, playing(with).sample("n", 0, 9).sample("n", 1, 0).end().size());
  }

  @Test
  void aSmallerShareLetsWhatIsHeldEnd() throws Exception {
    LivePattern all = live(1, "node", UP, DOWN);
    LivePattern without =
        new LivePattern(all.model(), false, Share.of(Share.place("p", "shop")), false);
    Player player = playing(all).sample("n", 0, 9);
    player.live(without).sample("n", 1, 9).sample("n", 2, 0);
    assertEquals("[match p n {up=[0], down=[2]} 2]", player.end().toString());
  }

  @Test
  void thePlaceOfAGraphIsTheOneThatIsDocumented() {
    // Python: (int.from_bytes(hashlib.sha256(b"p\nshop").digest()[:8], "big") >> 11) / 2**53
    assertEquals(0.6424403687833179, Share.place("p", "shop"));
  }

  @Test
  void aMatchOfADryRunIsMarkedAndShownToNoPattern() throws Exception {
    PatternModel model = live(1, "series", UP).model();
    var samples =
        java.util.Map.of(
            "up",
            java.util.List.<Event>of(
                new SampleEvent()
                    .set(
                        new SeriesRef(
                            "shop",
                            "n",
                            io.faultline.records.SeriesKey.of("m"),
                            io.faultline.records.Signal.CPU,
                            "1"),
                        5,
                        9)));
    byte[] tried = MatchJson.render(model, true, MatchJson.Kind.MATCH, samples, 5);
    byte[] real = MatchJson.render(model, false, MatchJson.Kind.MATCH, samples, 5);
    JsonNode json =
        new org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper()
            .readTree(tried);
    assertTrue(json.path("dry_run").asBoolean());
    assertEquals(null, GraphMatchJson.read(tried, 5, null));
    assertEquals("n", GraphMatchJson.read(real, 5, null).node());
  }
}
