package io.faultline.cli;

import io.faultline.cep.CompiledPattern;
import io.faultline.cep.LivePattern;
import io.faultline.cep.PatternModel;
import io.faultline.cep.PatternStats;
import io.faultline.cep.Refusal;
import io.faultline.config.LimitsConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Gives up a pattern that would keep a run from ending, as a job suspends it: its automaton takes
 * most of the run's time, and so long for each event as no pattern does that is meant so.
 */
final class Patience {
  /** The automaton's time in a run from which on it is asked whether it is too much, ns. */
  static final long ENOUGH_NANOS = 5_000_000_000L;

  /** An event takes a pattern that holds a few partial matches a hundredth of this, ns. */
  static final long NANOS_PER_STEP = 200_000;

  /** Of the time of the run: the share at which a job suspends a pattern. */
  static final double SHARE = LimitsConfig.DEFAULT.patternTimeShare();

  private static final double NANOS_A_SECOND = 1e9;
  private static final double NANOS_A_MS = 1e6;

  private final Consumer<List<LivePattern>> engine;
  private final long began = System.nanoTime();
  private List<CompiledPattern> patterns;

  /**
   * @param patterns of a run that begins now
   * @param engine runs from then on what it is given, in place of them
   */
  Patience(List<CompiledPattern> patterns, Consumer<List<LivePattern>> engine) {
    this.patterns = patterns;
    this.engine = engine;
  }

  /** Whether a pattern with these counts is given up after so many ns of a run. */
  static boolean isTooMuch(long nanos, long steps, long ofNanos) {
    return nanos > ENOUGH_NANOS && nanos > steps * NANOS_PER_STEP && nanos > SHARE * ofNanos;
  }

  /**
   * Lets the engine go on without the patterns that are given up.
   *
   * @param samples read so far
   */
  void look(int samples, Consumer<Refusal> refused) {
    List<CompiledPattern> stay = new ArrayList<>();
    for (CompiledPattern pattern : patterns) {
      PatternStats stats = pattern.stats();
      if (stats.nanos() > ENOUGH_NANOS
          && isTooMuch(stats.nanos(), stats.steps(), System.nanoTime() - began)) {
        PatternModel model = pattern.model();
        refused.accept(
            new Refusal(
                model.id(), model.version(), reason(stats, "%,d samples".formatted(samples))));
      } else {
        stay.add(pattern);
      }
    }
    if (stay.size() < patterns.size()) {
      patterns = stay;
      engine.accept(stay.stream().map(each -> LivePattern.of(each.model())).toList());
    }
  }

  /** Why a pattern with these counts is given up after so many samples or rows. */
  static String reason(PatternStats stats, String after) {
    String bound =
        stats.evicted() == 0
            ? String.format(Locale.ROOT, "%,d partial matches are held", stats.partials())
            : String.format(
                Locale.ROOT,
                "a key held the most partial matches that it may, and %,d went, the oldest first",
                stats.evicted());
    return String.format(
        Locale.ROOT,
        "given up after %s: its automaton took %.0f s, %.1f ms for each of %,d events, and %s;"
            + " bound a loop by times or until, and the match by within",
        after,
        stats.nanos() / NANOS_A_SECOND,
        stats.nanos() / NANOS_A_MS / stats.steps(),
        stats.steps(),
        bound);
  }
}
