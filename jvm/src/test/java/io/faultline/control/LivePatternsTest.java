package io.faultline.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.cep.LivePattern;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is live after records of the control topic, good and bad. */
class LivePatternsTest {
  private static final long NOW = 1_000_000;

  private static LivePatterns configured(int... versions) {
    List<org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode> all =
        java.util.Arrays.stream(versions)
            .mapToObj(v -> Records.json(Records.pattern(v, 5)))
            .toList();
    return new LivePatterns(all, Map.of());
  }

  private static Answer apply(LivePatterns patterns, String record) {
    return patterns.apply("p", record.getBytes(StandardCharsets.UTF_8), NOW);
  }

  /** Versions that run, a draining one in brackets. */
  private static String running(LivePatterns patterns) {
    return patterns.hosted(key -> true).stream()
        .map(each -> each.draining() ? "(" + version(each) + ")" : version(each))
        .sorted()
        .toList()
        .toString();
  }

  private static String version(LivePattern each) {
    return String.valueOf(each.model().version());
  }

  private static LivePatterns restarted(LivePatterns before, int... versions) {
    List<org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode> all =
        java.util.Arrays.stream(versions)
            .mapToObj(v -> Records.json(Records.pattern(v, 5)))
            .toList();
    return new LivePatterns(all, new TreeMap<>(before.stored()));
  }

  @Test
  void publishedReplacedAndRetired() {
    LivePatterns patterns = configured();
    assertEquals(Answer.State.LIVE, apply(patterns, Records.publish(1, 5)).state());
    assertEquals("[1]", running(patterns));
    assertEquals(Answer.State.LIVE, apply(patterns, Records.publish(2, 6)).state());
    assertEquals("[(1), 2]", running(patterns));
    Answer gone = apply(patterns, Records.retire(2).replace("drain", "drop"));
    assertEquals(Answer.State.RETIRED, gone.state());
    assertNotNull(gone.key());
    assertEquals("[]", running(patterns));
  }

  @Test
  void aVersionDrainsForItsWindow() {
    LivePatterns patterns = configured(1);
    apply(patterns, Records.publish(2, 6));
    assertFalse(patterns.expire(NOW + Records.WITHIN_MS - 1));
    assertEquals("[(1), 2]", running(patterns));
    assertTrue(patterns.expire(NOW + Records.WITHIN_MS));
    assertEquals("[2]", running(patterns));
    assertEquals(1, patterns.stored().size());
  }

  @Test
  void aVersionThatDrainsBeforeThereIsEventTimeDrainsFromItsFirstMoment() {
    LivePatterns patterns = configured(1);
    byte[] record = Records.publish(2, 6).getBytes(StandardCharsets.UTF_8);
    patterns.apply("p", record, Long.MIN_VALUE);
    assertFalse(patterns.expire(Long.MIN_VALUE));
    assertFalse(patterns.expire(NOW));
    assertTrue(patterns.expire(NOW + Records.WITHIN_MS));
  }

  @Test
  void onlySoManyVersionsDrain() {
    LivePatterns patterns = configured();
    for (int version = 1; version <= 9; version++) {
      apply(patterns, Records.publish(version, version));
    }
    assertEquals("[(6), (7), (8), 9]", running(patterns));
  }

  @ParameterizedTest
  @CsvSource({
    "publish 1, version 2 is live",
    "publish other, version 2 is live with other content",
    "retire 1, version 2 is live",
  })
  void whatWouldGoBackIsRefused(String what, String reason) {
    LivePatterns patterns = configured();
    apply(patterns, Records.publish(2, 5));
    Answer answer =
        apply(
            patterns,
            switch (what) {
              case "publish 1" -> Records.publish(1, 5);
              case "publish other" -> Records.publish(2, 7);
              default -> Records.retire(1);
            });
    assertTrue(answer.isRefused());
    assertTrue(answer.reason().startsWith(reason), answer.reason());
    assertEquals("[2]", running(patterns));
    assertEquals(1, patterns.stored().size());
  }

  @Test
  void theSameAgainChangesHowFarItCounts() {
    LivePatterns patterns = configured();
    apply(patterns, Records.publish(2, 5));
    apply(patterns, Records.publish(2, 5).replace("\"dry_run\":false", "\"dry_run\":true"));
    LivePattern live = patterns.hosted(key -> true).get(0);
    assertTrue(live.dryRun());
    assertEquals("[2]", running(patterns));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"v\":1|record: Unexpected end",
        "[]|record",
        "{\"v\":2,\"kind\":\"pattern\"}|record: v: the record is of form 2",
        "{\"v\":1,\"kind\":\"pattern\",\"action\":\"retire\",\"id\":\"p\",\"version\":1,\"shar\":1}|record.shar:"
            + " unknown key 'shar'",
        "{\"v\":1,\"kind\":\"pattern\",\"action\":\"publish\",\"id\":\"q\",\"version\":1,\"pattern\":{}}|id:"
            + " it is q",
        "{\"v\":1,\"kind\":\"pattern\",\"action\":\"publish\",\"id\":\"p\",\"version\":1,\"pattern\":{}}|'id'"
            + " is missing",
        "{\"v\":1,\"kind\":\"pattern\",\"action\":\"retire\",\"id\":\"p\",\"version\":1,\"share\":0}|record:"
            + " share: above 0",
      })
  void aBadRecordIsRefusedWithItsReason(String record, String reason) {
    LivePatterns patterns = configured(1);
    Answer answer = apply(patterns, record);
    assertEquals("p", answer.id());
    assertTrue(answer.isRefused());
    assertTrue(answer.reason().startsWith(reason), answer.reason());
    assertEquals("[1]", running(patterns));
  }

  @Test
  void aRecordThatIsTooBigIsRefused() {
    String big = Records.publish(1, 5) + " ".repeat(ControlRecord.LARGEST);
    assertTrue(apply(configured(), big).reason().contains("more than 262144 are not taken"));
  }

  @Test
  void whatFlinkDoesNotTakeIsRefused() {
    String loop =
        Records.publish(1, 5).replace("\"times\":null", "\"times\":{\"from\":99999,\"to\":99999}");
    Answer answer = apply(configured(), loop);
    assertTrue(answer.isRefused());
    assertTrue(answer.reason().contains("at most 1000 repetitions"), answer.reason());
  }

  @Test
  void aRecordOfAnotherKindIsNotAnswered() {
    Answer answer = apply(configured(), "{\"v\":9,\"kind\":\"model\",\"anything\":[]}");
    assertEquals(Answer.State.IGNORED, answer.state());
  }

  @Test
  void whatWasTakenSurvivesARestart() {
    LivePatterns patterns = configured(1);
    apply(patterns, Records.publish(2, 6).replace("\"share\":1.0", "\"share\":0.25"));
    LivePatterns again = restarted(patterns, 1);
    assertEquals("[(1), 2]", running(again));
    assertEquals(0.25, again.standing().get(0).live().share().part());
    assertEquals(patterns.stored(), again.stored());
    apply(again, Records.retire(2));
    assertEquals("[(1), (2)]", running(restarted(again, 1)));
  }

  @Test
  void theHigherVersionOfConfigurationAndTopicCounts() {
    LivePatterns patterns = configured(1);
    apply(patterns, Records.publish(2, 6).replace("drain", "drop"));
    assertEquals("[2]", running(restarted(patterns, 1)));
    assertEquals("[2]", running(restarted(patterns)));
    assertEquals("[3]", running(restarted(patterns, 3)));
    apply(patterns, Records.retire(2).replace("drain", "drop"));
    assertEquals("[]", running(restarted(patterns, 1)));
    assertEquals("[3]", running(restarted(patterns, 3)));
  }

  @Test
  void aDeletedRecordLeavesWhatTheConfigurationSays() {
    LivePatterns patterns = configured(1);
    apply(patterns, Records.publish(2, 6).replace("drain", "drop"));
    Answer answer = patterns.apply("p", null, NOW);
    assertEquals(Answer.State.LIVE, answer.state());
    assertEquals("[(2), 1]", running(patterns));
    assertEquals("[(2), 1]", running(restarted(patterns, 1)));
  }

  @Test
  void whatCannotBeReadAfterARestartIsNamed() {
    LivePatterns patterns = new LivePatterns(List.of(), Map.of("p", "{}", "~q@1", "{}"));
    assertEquals(2, patterns.refused().size());
    assertEquals("[]", running(patterns));
  }
}
