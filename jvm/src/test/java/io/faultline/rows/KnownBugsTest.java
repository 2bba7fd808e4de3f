package io.faultline.rows;

import static io.faultline.rows.Rows.kind;
import static io.faultline.rows.Rows.pattern;
import static io.faultline.rows.Rows.step;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.cep.PatternStats;
import io.faultline.config.ConfigException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.junit.jupiter.api.Test;

/**
 * The kinds of bug that people reported of CEP engines on Flink, each as a test of the operator;
 * docs/reference-patterns.md lists them.
 */
// The harness may be interrupted while it closes: that fails the test, as it should.
@SuppressWarnings("try")
class KnownBugsTest {
  private static final String WITHIN = "'within_ms':100";
  private static final String AB = pattern(WITHIN, step("a"), step("b"));
  private static final String LOOP = "'one_or_more':true";
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private static PatternStats stats(Rows rows) {
    return rows.stats();
  }

  @Test
  void unboundedPartials() throws Exception {
    try (Rows rows = Rows.of(pattern("", step("a"), step("b")), 10)) {
      for (int i = 0; i < 1000; i++) {
        rows.row("k", i, "a" + i).watermark(i);
      }
      assertEquals(990, stats(rows).evicted());
      assertEquals(10, stats(rows).partials());
      rows.row("k", 1000, "b").end();
      assertEquals(10, rows.matches().size());
      assertEquals(0, rows.harness.numKeyedStateEntries());
    }
  }

  @Test
  void silentKeys() throws Exception {
    try (Rows rows = Rows.of(AB)) {
      rows.row("silent", 0, "a1").row("other", 50, "x1").watermark(60);
      rows.row("other", 300, "x2").watermark(300);
      assertEquals(List.of("a=[a1] @100"), rows.timeouts());
    }
  }

  @Test
  void expiredStateIsFreed() throws Exception {
    try (Rows rows = Rows.of(AB)) {
      for (int i = 0; i < 500; i++) {
        rows.row("key" + i, i, "a");
      }
      rows.watermark(499);
      assertTrue(rows.harness.numKeyedStateEntries() >= 100, "those of the last 100 ms");
      rows.watermark(599);
      assertEquals(0, rows.harness.numKeyedStateEntries());
      assertEquals(0, rows.harness.numEventTimeTimers());
      assertEquals(500, rows.timeouts().size());
    }
  }

  @Test
  void withinIsKeptToTheMillisecond() throws Exception {
    try (Rows rows = Rows.of(AB)) {
      rows.row("in", 0, "a1").row("in", 99, "b1").row("out", 0, "a2").row("out", 100, "b2").end();
      assertEquals(List.of("a=[a1] b=[b1] @99"), rows.matches());
      assertEquals(List.of("a=[a2] @100"), rows.timeouts());
    }
  }

  @Test
  void withinCountsFromTheFirstRowOfALoop() throws Exception {
    String loop = pattern(WITHIN, step("a", LOOP, "'greedy':true"), step("b"));
    try (Rows rows = Rows.of(loop)) {
      for (int i = 0; i < 5; i++) {
        rows.row("k", i * 40L, "a" + i);
      }
      rows.row("k", 170, "b").end();
      assertEquals(
          List.of("a=[a2, a3, a4] b=[b] @170", "a=[a3, a4] b=[b] @170", "a=[a4] b=[b] @170"),
          rows.matches());
    }
  }

  @Test
  void loopsOf100000Rows() throws Exception {
    String loop =
        pattern("'within_ms':1000000", step("s"), step("a", LOOP, "'greedy':true"), step("b"));
    try (Rows rows = Rows.of(loop, 20_000)) {
      assertTimeoutPreemptively(
          LIMIT,
          () -> {
            rows.row("k", 0, "s");
            for (int i = 1; i <= 100_000; i++) {
              rows.row("k", i, "a").watermark(i);
            }
            rows.row("k", 100_001, "b").end();
          });
      List<String> matches = rows.matches();
      assertEquals(1, matches.size());
      assertEquals(100_000, matches.get(0).split("a,|a]").length - 1);
      assertEquals(0, stats(rows).evicted());
      assertEquals(0, rows.harness.numKeyedStateEntries());
    }
  }

  @Test
  void loopsThatBeginWithEachOf20000Rows() throws Exception {
    String loop = pattern("", step("a", LOOP), step("b"));
    try (Rows rows = Rows.of(loop, 10)) {
      assertTimeoutPreemptively(
          LIMIT,
          () -> {
            for (int i = 1; i <= 20_000; i++) {
              rows.row("k", i, "a").watermark(i);
            }
          });
      assertTrue(stats(rows).evicted() > 0);
      assertTrue(stats(rows).partials() <= 10);
    }
  }

  @Test
  void aLongLoopSurvivesARestore() throws Exception {
    String loop = pattern("", step("s"), step("a", LOOP, "'greedy':true"), step("b"));
    OperatorSubtaskState state;
    try (Rows rows = Rows.of(loop, 20_000)) {
      rows.row("k", 0, "s");
      for (int i = 1; i <= 5_000; i++) {
        rows.row("k", i, "a");
      }
      state = rows.watermark(5_000).harness.snapshot(1, 1);
    }
    try (Rows rows = Rows.restored(loop, state)) {
      rows.row("k", 5_001, "b").end();
      assertEquals(1, rows.matches().size());
    }
  }

  @Test
  void lateRows() throws Exception {
    try (Rows rows = Rows.of(AB)) {
      rows.row("k", 50, "a1").watermark(60).row("k", 55, "b1").row("k", 61, "b2").end();
      assertEquals(List.of("b1"), rows.late());
      assertEquals(List.of("a=[a1] b=[b2] @61"), rows.matches());
    }
  }

  @Test
  void idlePartitions() throws Exception {
    try (Rows rows = Rows.of(AB)) {
      rows.row("k", 0, "a1").watermark(10);
      rows.harness.processWatermarkStatus(WatermarkStatus.IDLE);
      rows.row("k", 20, "b1");
      assertEquals(List.of(), rows.matches(), "nothing is decided while time stands still");
      rows.harness.processWatermarkStatus(WatermarkStatus.ACTIVE);
      rows.watermark(20);
      assertEquals(List.of("a=[a1] b=[b1] @20"), rows.matches());
    }
  }

  @Test
  void notFollowedByAtTheEnd() throws Exception {
    String missing = pattern(WITHIN, step("a"), step("b", "'contiguity':'not_followed_by'"));
    try (Rows rows = Rows.of(missing)) {
      rows.row("with", 0, "a1").row("with", 99, "b1").row("without", 0, "a2");
      assertEquals(List.of(), rows.watermark(99).matches());
      assertEquals(List.of("a=[a2] @100"), rows.watermark(100).matches());
      assertEquals(0, rows.harness.numKeyedStateEntries());
    }
  }

  @Test
  void notFollowedByAtTheEndWithoutAWindowIsRefused() {
    String endless = pattern("", step("a"), step("b", "'contiguity':'not_followed_by'"));
    assertThrows(ConfigException.class, () -> Rows.of(endless));
  }

  @Test
  void optionalAtTheStart() throws Exception {
    String optional = pattern("", step("a", "'optional':true"), step("b", "'contiguity':'next'"));
    try (Rows rows = Rows.of(optional)) {
      rows.row("k", 0, "b1").row("k", 1, "a1").row("k", 2, "b2").end();
      assertEquals(List.of("b=[b1] @0", "a=[a1] b=[b2] @2", "b=[b2] @2"), rows.matches());
    }
  }

  @Test
  void greedyWithUntil() throws Exception {
    String until = pattern("", step("a", LOOP, "'greedy':true", "'until':" + kind("e")), step("c"));
    try (Rows rows = Rows.of(until)) {
      rows.row("k", 0, "a1").row("k", 1, "a2").row("k", 2, "e").row("k", 3, "a3");
      rows.row("k", 4, "c").end();
      List<String> matches = rows.matches();
      assertTrue(matches.contains("a=[a1, a2] c=[c] @4"), matches.toString());
      assertTrue(matches.stream().noneMatch(m -> m.contains("a2, a3")), matches.toString());
    }
  }

  @Test
  void timesWithWithin() throws Exception {
    String three = pattern(WITHIN, step("a", "'times':{'from':3,'to':3}"));
    try (Rows rows = Rows.of(three)) {
      rows.row("k", 0, "a1").row("k", 60, "a2").row("k", 120, "a3").row("k", 150, "a4").end();
      assertEquals(List.of("a=[a2, a3, a4] @150"), rows.matches());
    }
  }

  @Test
  void rowsOfTheSameTime() throws Exception {
    String strict = pattern(WITHIN, step("a"), step("b", "'contiguity':'next'"));
    try (Rows rows = Rows.of(strict)) {
      rows.row("k", 5, "a1").row("k", 5, "b1").row("l", 5, "b2").row("l", 5, "a2").end();
      assertEquals(List.of("a=[a1] b=[b1] @5"), rows.matches());
    }
  }

  @Test
  void skipStrategiesThatWithhold() throws Exception {
    String skip =
        pattern(
            WITHIN + ",'after_match':{'kind':'skip_past_last'}",
            step("a"),
            step("b", "'contiguity':'followed_by_any'"),
            step("c"));
    try (Rows rows = Rows.of(skip)) {
      rows.row("k", 0, "a1").row("k", 1, "b1").row("k", 2, "b2").row("k", 3, "c1").end();
      assertEquals(List.of("a=[a1] b=[b1] c=[c1] @3"), rows.matches());
    }
    String older =
        pattern(
            WITHIN + ",'after_match':{'kind':'skip_past_last'}",
            step("a"),
            "{'name':'b','where':{'op':'==','left':{'field':'value'},"
                + "'right':{'agg':'first','step':'a','field':'value'}}}");
    try (Rows rows = Rows.of(older)) {
      rows.row("k", 0, "a1", 1.0).row("k", 10, "a2", 2.0).row("k", 20, "b2", 2.0);
      assertEquals(List.of(), rows.watermark(50).matches(), "an older start is undecided");
      assertEquals(List.of("a=[a2] b=[b2] @100"), rows.watermark(100).matches());
    }
  }

  @Test
  void stateDoesNotGrow() throws Exception {
    String loop = pattern(WITHIN, step("a", LOOP), step("b", "'contiguity':'followed_by_any'"));
    List<Long> sizes = new ArrayList<>();
    try (Rows rows = Rows.of(loop)) {
      for (int i = 0; i < 4_000; i++) {
        rows.row("k", i * 10L, i % 3 == 0 ? "b" : "a").watermark(i * 10L).matches();
        if (i % 1000 == 999) {
          sizes.add(rows.stateSize(i));
        }
      }
      assertTrue(sizes.get(3) < 1.2 * sizes.get(0), sizes.toString());
      rows.end();
      assertEquals(0, rows.harness.numKeyedStateEntries());
    }
  }

  @Test
  void restoreWithAChangedPattern() throws Exception {
    OperatorSubtaskState state;
    try (Rows rows = Rows.of(AB)) {
      state = rows.row("k", 0, "a1").watermark(0).harness.snapshot(1, 1);
    }
    String changed =
        pattern(WITHIN, step("a"), step("x"), step("b")).replace("'version':1", "'version':2");
    try (Rows rows = Rows.restored(changed, state)) {
      rows.row("k", 10, "x1").row("k", 11, "b1").end();
      assertEquals(List.of(), rows.matches(), "a half of the old pattern is none of the new one");
      assertEquals(0, rows.harness.numKeyedStateEntries());
    }
  }

  @Test
  void restoreTellsNothingTwice() throws Exception {
    OperatorSubtaskState state;
    try (Rows rows = Rows.of(AB)) {
      rows.row("k", 0, "a1").row("k", 1, "b1").row("k", 2, "a2").watermark(2);
      assertEquals(1, rows.matches().size());
      state = rows.harness.snapshot(1, 1);
    }
    try (Rows rows = Rows.restored(AB, state)) {
      rows.row("k", 3, "b2").end();
      assertEquals(List.of("a=[a2] b=[b2] @3"), rows.matches());
    }
  }

  @Test
  void timersPerKey() throws Exception {
    try (Rows rows = Rows.of(AB)) {
      for (int i = 0; i < 1000; i++) {
        rows.row("k" + i % 3, 1000 - i, i % 2 == 0 ? "a" : "x");
        assertTrue(rows.harness.numEventTimeTimers() <= 3);
      }
      rows.watermark(900);
      assertTrue(rows.harness.numEventTimeTimers() <= 3);
    }
  }

  @Test
  void aGapOfAYear() throws Exception {
    long year = 365L * 24 * 3_600_000;
    try (Rows rows = Rows.of(AB)) {
      assertTimeoutPreemptively(
          LIMIT, () -> rows.row("k", 0, "a1").row("k", year, "b1").row("k", year, "a2").end());
      assertEquals(List.of(), rows.matches());
      assertEquals(List.of("a=[a1] @100", "a=[a2] @" + (year + 100)), rows.timeouts());
    }
  }

  @Test
  void conditionsOverStepsSeeTheirOwnBranch() throws Exception {
    String sum =
        "{'name':'b','where':{'op':'==','left':{'field':'value'},"
            + "'right':{'agg':'sum','step':'a','field':'value'}},'contiguity':'followed_by_any'}";
    try (Rows rows = Rows.of(pattern(WITHIN, step("a", LOOP), sum))) {
      rows.row("k", 0, "a1", 1.0).row("k", 1, "a2", 2.0).row("k", 2, "b", 3.0).end();
      assertEquals(List.of("a=[a1, a2] b=[b] @2"), rows.matches());
    }
  }
}
