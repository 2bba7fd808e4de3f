package io.faultline.rows;

import io.faultline.cep.CepEngine;
import io.faultline.cep.CepSettings;
import io.faultline.cep.Event;
import io.faultline.cep.KeyRuns;
import io.faultline.cep.MatchOutput;
import io.faultline.cep.PatternModel;
import io.faultline.cep.PatternStats;
import io.faultline.cep.RowEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.types.Row;

/**
 * One pattern over a list of rows without Flink's runtime, as {@link RowOperator} runs it: rows
 * wait for event time, which follows the latest row.
 */
public final class RowRun {
  private final CepEngine engine;
  private final Map<String, Integer> places;
  private final long outOfOrdernessMs;
  private final MatchOutput output;
  private final Map<String, KeyRuns> keys = new LinkedHashMap<>();
  private final TreeMap<Long, List<Waiting>> waiting = new TreeMap<>();
  private long latest = Long.MIN_VALUE;
  private long watermark = Long.MIN_VALUE;

  private record Waiting(String key, Row row) {}

  /**
   * @param outOfOrdernessMs how far event time stays behind the latest row
   */
  public RowRun(
      PatternModel pattern, CepSettings settings, long outOfOrdernessMs, MatchOutput output) {
    this.engine = new CepEngine(List.of(pattern), settings);
    this.places = RowEvent.places(List.copyOf(pattern.fields().keySet()));
    this.outOfOrdernessMs = outOfOrdernessMs;
    this.output = output;
  }

  /** Why the pattern does not run, or an empty list. */
  public List<String> refused() {
    return engine.refused().stream().map(refusal -> refusal.reason()).toList();
  }

  /** What the pattern took so far; null where it does not run. */
  @Nullable
  public PatternStats stats() {
    return engine.patterns().isEmpty() ? null : engine.patterns().get(0).stats();
  }

  /**
   * A row arrives.
   *
   * @param row its fields in the order in which the pattern declares them
   * @return false where it is late and was left out
   */
  public boolean row(String key, long time, Row row) {
    if (time <= watermark) {
      return false;
    }
    waiting.computeIfAbsent(time, t -> new ArrayList<>(1)).add(new Waiting(key, row));
    latest = Math.max(latest, time);
    advance(latest - outOfOrdernessMs - 1);
    return true;
  }

  /** No more rows come: every window ends. */
  public void end() {
    advance(Long.MAX_VALUE);
  }

  private void advance(long to) {
    watermark = Math.max(watermark, to);
    while (!waiting.isEmpty() && waiting.firstKey() <= watermark) {
      Map.Entry<Long, List<Waiting>> due = waiting.pollFirstEntry();
      pass(due.getKey());
      for (Waiting each : due.getValue()) {
        KeyRuns runs = keys.computeIfAbsent(each.key(), k -> new KeyRuns());
        engine.event(runs, new RowEvent(each.row(), due.getKey(), places), output);
      }
    }
    pass(watermark);
  }

  private void pass(long time) {
    keys.values().forEach(runs -> engine.advance(runs, time, output));
  }

  /** The row that an event of a match is. */
  public static Row rowOf(Event event) {
    return ((RowEvent) event).row();
  }
}
