package io.faultline.cep;

import static io.faultline.cep.Patterns.afterMatch;
import static io.faultline.cep.Patterns.agg;
import static io.faultline.cep.Patterns.and;
import static io.faultline.cep.Patterns.constant;
import static io.faultline.cep.Patterns.contiguity;
import static io.faultline.cep.Patterns.field;
import static io.faultline.cep.Patterns.is;
import static io.faultline.cep.Patterns.math;
import static io.faultline.cep.Patterns.op;
import static io.faultline.cep.Patterns.or;
import static io.faultline.cep.Patterns.pattern;
import static io.faultline.cep.Patterns.step;
import static io.faultline.cep.Patterns.times;
import static io.faultline.cep.Patterns.within;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Questions that people ask about CEP in public; what Flink 2.2.1 answers was verified on it. */
class PatternCasesTest {
  private static final String CONSECUTIVE = "'consecutive':true";
  private static final String SLOW = is("value", ">", 200);
  private static final double[] EIGHT = {10, 300, 20, 310, 320, 15, 330, 340};

  @Test
  void threeSlowSamplesSlide() throws Exception {
    Player player = Player.of(pattern("three", "", step("slow", SLOW, times(3, 3))));
    assertEquals(
        List.of(
            "match three cart {slow=[1000, 3000, 4000]} 4000",
            "match three cart {slow=[3000, 4000, 6000]} 6000",
            "match three cart {slow=[4000, 6000, 7000]} 7000"),
        player.values(EIGHT).end());
  }

  @Test
  void threeSlowSamplesOnceWithSkip() throws Exception {
    String once = pattern("once", afterMatch("skip_past_last"), step("slow", SLOW, times(3, 3)));
    assertEquals(
        List.of("match once cart {slow=[1000, 3000, 4000]} 4000"),
        Player.of(once).values(EIGHT).end());
  }

  @Test
  void threeInARowNeedConsecutive() throws Exception {
    String row = pattern("row", "", step("slow", SLOW, times(3, 3), CONSECUTIVE));
    assertEquals(List.of(), Player.of(row).values(EIGHT).end());
  }

  private static String loop(String id, String contiguity, boolean consecutive) {
    String slow =
        consecutive
            ? step("slow", slow(), contiguity(contiguity), "'one_or_more':true", CONSECUTIVE)
            : step("slow", slow(), contiguity(contiguity), "'one_or_more':true");
    return pattern(
        id,
        "",
        step("spike", is("value", ">=", 500)),
        slow,
        step("recovered", is("value", "<", 50), contiguity("next")));
  }

  private static String slow() {
    return and(is("value", ">=", 200), is("value", "<", 500));
  }

  @Test
  void howAStrictLoopIsEntered() throws Exception {
    double[] values = {800, 250, 100, 300, 260, 20};
    assertEquals(
        List.of(
            "match any cart {spike=[0], slow=[3000, 4000], recovered=[5000]} 5000",
            "match any cart {spike=[0], slow=[4000], recovered=[5000]} 5000"),
        sorted(Player.of(loop("any", "followed_by_any", true)).values(values).end()));
    assertEquals(List.of(), Player.of(loop("next", "next", true)).values(values).end());
    assertEquals(List.of(), Player.of(loop("followed", "followed_by", true)).values(values).end());
    assertEquals(
        List.of("match relaxed cart {spike=[0], slow=[1000, 3000, 4000], recovered=[5000]} 5000"),
        Player.of(loop("relaxed", "followed_by", false)).values(values).end());
  }

  private static List<String> sorted(List<String> lines) {
    return lines.stream().sorted().toList();
  }

  @Test
  void silentKeysTimeOutByTheClockOfTheOthers() throws Exception {
    String slowThenBad =
        pattern(
            "s",
            within(60_000),
            step("slow", and(is("value", ">", 100), is("value", "<", 1000))),
            step("bad", is("value", ">", 1000)));
    Player player = Player.of(slowThenBad);
    player.sample("a", 0, 120).sample("b", 1000, 150).sample("c", 2000, 130);
    player.sample("b", 30_000, 10).sample("b", 60_999, 1500).sample("c", 62_000, 1600);
    player.sample("b", 70_000, 10).sample("b", 140_000, 10);
    assertEquals(
        List.of(
            "timeout s a {slow=[0]} 60000",
            "match s b {slow=[1000], bad=[60999]} 60999",
            "timeout s c {slow=[2000]} 62000"),
        player.end());
    assertTrue(player.runs.values().stream().allMatch(KeyRuns::isEmpty), "no state is left");
  }

  @Test
  void anAbsenceIsDecidedAtTheEndOfTheWindow() throws Exception {
    String noRecovery =
        pattern(
            "n",
            within(30_000),
            step("up", is("value", ">", 5)),
            step("recovered", is("value", "<", 1), contiguity("not_followed_by")));
    Player player = Player.of(noRecovery);
    player.sample("cart", 0, 2).sample("payment", 0, 2).sample("ads", 0, 2);
    player.sample("cart", 5000, 9).sample("payment", 5000, 9).sample("ads", 7000, 8);
    player.sample("cart", 15_000, 0).sample("payment", 15_000, 6);
    player.sample("cart", 25_000, 0.5).sample("payment", 25_000, 3);
    player.sample("cart", 35_000, 0.2).sample("payment", 35_000, 0);
    player.sample("cart", 45_000, 0).sample("payment", 45_000, 0);
    assertEquals(
        List.of("match n payment {up=[5000]} 35000", "match n ads {up=[7000]} 37000"),
        player.end());
  }

  private static String pair(String skip) {
    return pattern(
        "pair",
        within(60_000) + "," + afterMatch(skip),
        step("a", or(is("value", "==", 1), is("value", "==", 2))),
        step("b", op("==", field("value"), math("+", agg("first", "a", "value"), constant(10)))));
  }

  @Test
  void aSkipStrategyWithholdsAMatchUntilOlderPartialsEnd() throws Exception {
    double[] values = {1, 2, 12, 0, 0, 0, 0, 0, 0};
    for (String skip : List.of("no_skip", "skip_past_last")) {
      Player player = Player.of(pair(skip));
      for (int i = 0; i < values.length; i++) {
        player.sample("cart", i * 10_000L, values[i]);
      }
      int ready = skip.equals("no_skip") ? 20_000 : 60_000;
      assertEquals(
          List.of(
              "match pair cart {a=[10000], b=[20000]} " + ready, "timeout pair cart {a=[0]} 60000"),
          sorted(player.end()));
    }
  }
}
