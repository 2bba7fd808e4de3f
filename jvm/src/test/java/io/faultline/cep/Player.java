package io.faultline.cep;

import io.faultline.records.SeriesKey;
import io.faultline.records.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Plays samples through an engine as the operator does: one state object per node, watermarks that
 * follow the samples, timers. Notes each match and timeout as one line.
 */
final class Player implements MatchOutput {
  CepEngine engine;
  final List<String> lines = new ArrayList<>();
  final Map<String, KeyRuns> runs = new TreeMap<>();
  private final Map<String, SeriesRef> series = new HashMap<>();
  private final SampleEvent event = new SampleEvent();
  private String node;

  Player(CepSettings settings, String... patterns) throws PatternRefusedException {
    List<PatternModel> models = new ArrayList<>();
    for (String pattern : patterns) {
      models.add(Patterns.read(pattern));
    }
    this.engine = new CepEngine(models, settings);
    if (!engine.refused().isEmpty()) {
      throw new PatternRefusedException(engine.refused().toString());
    }
  }

  static Player of(String... patterns) throws PatternRefusedException {
    return new Player(CepSettings.DEFAULT, patterns);
  }

  /** Goes on with other patterns. */
  Player live(LivePattern... patterns) {
    engine = engine.withLive(List.of(patterns));
    return this;
  }

  /** One sample of metric "m", after the watermark just before it. */
  Player sample(String node, long time, double value) {
    return sample(node, "m", Signal.OTHER, time, value);
  }

  Player sample(String node, String metric, Signal signal, long time, double value) {
    watermark(time - 1);
    this.node = node;
    SeriesRef ref =
        series.computeIfAbsent(
            node + ' ' + metric,
            k -> new SeriesRef("shop", node, SeriesKey.of(metric), signal, "1"));
    KeyRuns state = runs.computeIfAbsent(node, n -> new KeyRuns());
    engine.event(state, event.set(ref, time, value), this);
    return this;
  }

  /** Times one second apart from 0; NaN leaves the second out. */
  Player values(double... values) {
    for (int i = 0; i < values.length; i++) {
      if (!Double.isNaN(values[i])) {
        sample("cart", i * 1000L, values[i]);
      }
    }
    return this;
  }

  Player watermark(long time) {
    runs.forEach(
        (name, state) -> {
          node = name;
          if (engine.nextTimer(state) <= time) {
            engine.advance(state, time, this);
          }
        });
    return this;
  }

  List<String> end() {
    watermark(Long.MAX_VALUE);
    return lines;
  }

  /** Writes the state of every node and goes on with what was read back. */
  void restore() {
    runs.replaceAll((name, state) -> KeyRunsSerializer.INSTANCE.copy(state));
  }

  @Override
  public void match(CompiledPattern pattern, Map<String, List<Event>> samples, long readyAt) {
    lines.add("match " + line(pattern, samples, readyAt));
  }

  @Override
  public void timeout(CompiledPattern pattern, Map<String, List<Event>> samples, long readyAt) {
    lines.add("timeout " + line(pattern, samples, readyAt));
  }

  private String line(CompiledPattern pattern, Map<String, List<Event>> samples, long readyAt) {
    Map<String, List<Long>> times = new LinkedHashMap<>();
    samples.forEach((step, taken) -> times.put(step, taken.stream().map(Event::time).toList()));
    return "%s %s %s %d".formatted(pattern.model().id(), node, times, readyAt);
  }
}
