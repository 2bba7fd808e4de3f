package io.faultline.control;

import io.faultline.cep.CompiledPattern;
import io.faultline.config.LimitsConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the patterns that take more of a subtask's time than one pattern may. Times are of the
 * machine's clock, so what it finds depends on how busy the machine is; only the time in automata
 * counts, which the engine measures anyway. Not part of the state.
 */
final class TimeBudget {
  private static final long NANOS_A_MS = 1_000_000;

  private final double share;
  private final long windowNanos;

  /** Time in the automaton up to the window at hand, ns, by id and version. */
  private final Map<String, Long> before = new HashMap<>();

  private long began;

  /**
   * A pattern that took too much.
   *
   * @param share of the window that it took
   * @param windowMs how long the window was, ms
   */
  record Overrun(String id, int version, double share, long windowMs) {}

  /**
   * @param limits the share that one pattern may take, and the window
   * @param now of a clock that only goes on, ns
   */
  TimeBudget(LimitsConfig limits, long now) {
    share = limits.patternTimeShare();
    windowNanos = limits.patternTimeWindowMs() * NANOS_A_MS;
    began = now;
  }

  /** Whether the window is over, so that {@link #end} has something to say. */
  boolean isOver(long now) {
    return now - began >= windowNanos;
  }

  /** Ends the window and begins the next one; returns who took more than a share of it. */
  List<Overrun> end(List<CompiledPattern> patterns, long now) {
    List<Overrun> over = new ArrayList<>();
    double window = now - began;
    Map<String, Long> after = new HashMap<>();
    for (CompiledPattern pattern : patterns) {
      String version = pattern.model().versionedId();
      long total = pattern.stats().nanos();
      long known = before.getOrDefault(version, 0L);
      // A version that came again counts from 0.
      double took = (total - (known <= total ? known : 0)) / window;
      if (took > share) {
        int number = pattern.model().version();
        over.add(new Overrun(pattern.model().id(), number, took, (now - began) / NANOS_A_MS));
      }
      after.put(version, total);
    }
    before.clear();
    before.putAll(after);
    began = now;
    return over;
  }
}
