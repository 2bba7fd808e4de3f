package io.faultline.rows;

import static io.faultline.rows.Rows.pattern;
import static io.faultline.rows.Rows.step;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Time, keys, state and side outputs of the operator; what patterns mean is tested elsewhere. */
// The harness may be interrupted while it closes: that fails the test, as it should.
@SuppressWarnings("try")
class RowOperatorTest {
  private static final String AB = pattern("'within_ms':100", step("a"), step("b"));

  @Test
  void rowsOfAKeyAreSeenInOrderOfTimeOnceTheWatermarkPassesThem() throws Exception {
    try (Rows rows = Rows.of(AB)) {
      rows.row("k", 20, "b1").row("other", 15, "b2").row("k", 10, "a1");
      assertEquals(List.of(), rows.matches());
      assertEquals(List.of("a=[a1] b=[b1] @20"), rows.watermark(20).matches());
      assertEquals(0, rows.harness.numKeyedStateEntries(), "nothing is kept of what is done");
      assertEquals(0, rows.harness.numEventTimeTimers());
    }
  }

  @Test
  void aRowBehindTheWatermarkIsToldAndCountedAndChangesNothing() throws Exception {
    try (Rows rows = Rows.of(AB)) {
      rows.watermark(10).row("k", 10, "a1").row("k", 11, "b1").end();
      assertEquals(List.of("a1"), rows.late());
      assertEquals(List.of(), rows.matches());
    }
  }

  @Test
  void whatASilentKeyLeftRunsOutOfTime() throws Exception {
    try (Rows rows = Rows.of(AB)) {
      rows.row("k", 10, "a1").row("k", 40, "a2").watermark(109);
      assertEquals(List.of(), rows.timeouts());
      rows.watermark(110);
      assertEquals(List.of("a=[a1] @110"), rows.timeouts());
      rows.watermark(5000);
      assertEquals(List.of("a=[a1] @110", "a=[a2] @140"), rows.timeouts());
      assertEquals(0, rows.harness.numKeyedStateEntries());
    }
  }

  @Test
  void withoutSideOutputsNothingIsToldBeside() throws Exception {
    try (Rows rows = Rows.withoutSideOutputs(AB)) {
      rows.row("k", 10, "a1").watermark(500).row("k", 20, "a2").end();
      assertEquals(List.of(), rows.matches());
      assertEquals(0, rows.harness.numKeyedStateEntries());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void disorderWithinTheWatermarkAndARestoreChangeNothing(int seed) throws Exception {
    String pattern =
        pattern("'within_ms':60", step("a"), step("b", "'one_or_more':true"), step("c"));
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      order.add(i);
    }
    List<String> expected = play(pattern, order, -1);
    assertTrue(expected.size() > 50, "something is found");
    Random random = new Random(seed);
    for (int from = 0; from < order.size(); from += 10) {
      Collections.shuffle(order.subList(from, from + 10), random);
    }
    assertEquals(expected, play(pattern, order, random.nextInt(order.size())));
  }

  /** Rows of three kinds on two keys; a snapshot and another operator at one of them. */
  private static List<String> play(String pattern, List<Integer> order, int restoreAt)
      throws Exception {
    List<String> out = new ArrayList<>();
    Rows rows = Rows.of(pattern);
    for (int i = 0; i < order.size(); i++) {
      if (i == restoreAt) {
        OperatorSubtaskState state = rows.harness.snapshot(1, 1);
        out.addAll(rows.matches());
        out.addAll(rows.timeouts());
        rows.close();
        rows = Rows.restored(pattern, state);
      }
      int n = order.get(i);
      rows.row("k" + n % 2, n * 5L, "abcb".substring(n / 2 % 4, n / 2 % 4 + 1) + n);
      if (i % 10 == 9) {
        rows.watermark(n / 10 * 50L);
      }
    }
    rows.end();
    out.addAll(rows.matches());
    out.addAll(rows.timeouts());
    rows.close();
    Collections.sort(out);
    return out;
  }

  @Test
  void aRowIsLateAfterARestoreIfItWasLateBefore() throws Exception {
    OperatorSubtaskState state;
    try (Rows rows = Rows.of(AB)) {
      state = rows.row("k", 10, "a1").watermark(50).harness.snapshot(1, 1);
    }
    try (Rows rows = Rows.restored(AB, state)) {
      rows.row("k", 30, "b1").row("k", 51, "b2").end();
      assertEquals(List.of("b1"), rows.late());
      assertEquals(List.of("a=[a1] b=[b2] @51"), rows.matches());
    }
  }

  @Test
  void anotherVersionOfThePatternDropsWhatTheOldOneHeld() throws Exception {
    OperatorSubtaskState state;
    try (Rows rows = Rows.of(AB)) {
      state = rows.row("k", 10, "a1").watermark(20).row("k", 30, "b1").harness.snapshot(1, 1);
    }
    String other =
        pattern("'within_ms':100", step("b"), step("a")).replace("'version':1", "'version':2");
    try (Rows rows = Rows.restored(other, state)) {
      rows.row("k", 40, "a2").end();
      assertEquals(List.of("b=[b1] a=[a2] @40"), rows.matches(), "rows that waited are seen");
      assertEquals(List.of(), rows.timeouts());
      assertEquals(0, rows.harness.numKeyedStateEntries());
    }
  }

  @Test
  void inProcessingTimeRowsHappenWhenTheyArrive() throws Exception {
    try (Rows rows = Rows.inProcessingTime(AB)) {
      rows.harness.setProcessingTime(1000);
      rows.untimed("k", "a1");
      rows.harness.setProcessingTime(1050);
      rows.untimed("k", "b1");
      assertEquals(List.of("a=[a1] b=[b1] @1050"), rows.matches());
      rows.untimed("k", "a2");
      rows.harness.setProcessingTime(1149);
      assertEquals(List.of(), rows.timeouts());
      rows.harness.setProcessingTime(1150);
      assertEquals(List.of("a=[a2] @1150"), rows.timeouts());
      assertEquals(0, rows.harness.numKeyedStateEntries());
    }
  }

  @Test
  void rowsWithoutEventTimeAreRefusedWithTheMend() throws Exception {
    try (Rows rows = Rows.of(AB)) {
      var refused = assertThrows(IllegalStateException.class, () -> rows.untimed("k", "a1"));
      assertTrue(refused.getMessage().contains("assign_timestamps_and_watermarks"));
    }
  }

  @Test
  void aRowWithoutAValueMatchesNoConditionOnIt() throws Exception {
    String big = "{'op':'>','left':{'field':'value'},'right':{'const':1}}";
    String pattern = pattern("", "{'name':'big','where':" + big + "}");
    try (Rows rows = Rows.of(pattern)) {
      rows.row("k", 1, "a1", null).row("k", 2, "a2", 2.0).row("k", 3, "a3", 1.0).end();
      assertEquals(List.of("big=[a2] @2"), rows.matches());
    }
  }
}
