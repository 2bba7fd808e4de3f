package io.faultline.cep;

import io.faultline.records.SeriesKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import javax.annotation.Nullable;
import org.apache.flink.api.java.tuple.Tuple2;

/**
 * Many patterns over the samples of many nodes. Samples of a node come in event-time order, equal
 * times in order of arrival. What is active on a node is in its {@link KeyRuns}; the engine itself
 * holds no state. Results depend on the samples only: a partial match ends, and a match that waited
 * is told, at the very time that decides it, however far apart the watermarks are. Not thread-safe;
 * needs no Flink runtime.
 *
 * <p>A quiet sample costs a look at the patterns that can start on its series: no automaton is
 * asked before a first condition holds, nor about a partial match that the sample provably leaves
 * alone.
 */
public final class CepEngine {
  /** Samples that one pattern may hold on one key, per partial match that it may hold. */
  private static final int SAMPLES_PER_PARTIAL = 10;

  private final CepSettings settings;
  private final CompiledPattern[] patterns;
  private final List<Refusal> refused;
  private final StartIndex starts;
  private final HostedAutomaton automaton = new HostedAutomaton();

  /** Number of the event at hand, and for each pattern the event that it has dealt with. */
  private long eventNumber;

  private final long[] dealtWith;

  /** The event at hand as an automaton may keep it; null = not needed yet. */
  @Nullable private SampleEvent kept;

  /** Patterns that cannot run are left out and found in {@link #refused}. */
  public CepEngine(List<PatternModel> models, CepSettings settings) {
    this.settings = settings;
    this.refused = new ArrayList<>();
    List<CompiledPattern> compiled = new ArrayList<>();
    for (PatternModel model : models) {
      try {
        compiled.add(CompiledPattern.of(model, settings.timeouts()));
      } catch (PatternRefusedException e) {
        refused.add(new Refusal(model.id(), model.version(), e.getMessage()));
      }
    }
    this.patterns = compiled.toArray(CompiledPattern[]::new);
    for (int i = 0; i < patterns.length; i++) {
      patterns[i].index = i;
    }
    this.starts = new StartIndex(patterns);
    this.dealtWith = new long[patterns.length];
  }

  /** The patterns that run. */
  public List<CompiledPattern> patterns() {
    return List.of(patterns);
  }

  public List<Refusal> refused() {
    return List.copyOf(refused);
  }

  /**
   * Puts one sample through all patterns.
   *
   * @param event may be changed and used again after the call
   */
  public void event(KeyRuns runs, SampleEvent event, MatchOutput out) {
    // 1) let time pass up to the event,
    // 2) show it to the active runs of its node and of its series,
    // 3) begin runs of those patterns that start on it
    if (patterns.length == 0 && runs.isEmpty()) {
      return;
    }
    advance(runs, event.time(), out);
    eventNumber++;
    kept = null;
    SeriesKey key = event.series().key();
    show(runs, runs.node, event, out);
    if (!runs.series.isEmpty()) {
      show(runs, runs.series.get(key), event, out);
    }
    for (int index : starts.candidates(event.series())) {
      if (dealtWith[index] != eventNumber) {
        begin(runs, patterns[index], event, out);
      }
    }
  }

  /**
   * Moves event time on: partial matches run out of time, matches that waited for it are told.
   *
   * @param time ms UTC, Long.MAX_VALUE = the end of all input
   */
  public void advance(KeyRuns runs, long time, MatchOutput out) {
    bind(runs);
    if (time < runs.nextDue || runs.nextDue == Run.NEVER) {
      return;
    }
    PriorityQueue<Run> due =
        new PriorityQueue<>(
            Comparator.<Run>comparingLong(run -> run.due).thenComparingInt(run -> run.order));
    runs.each(
        run -> {
          if (isDue(run, time)) {
            run.order = due.size();
            due.add(run);
          }
        });
    while (!due.isEmpty()) {
      Run run = due.poll();
      if (!pass(run, run.due, out)) {
        runs.remove(run);
      } else if (isDue(run, time)) {
        due.add(run);
      }
    }
    findNextDue(runs);
  }

  /**
   * When {@link #advance} next has something to do, ms UTC; Long.MAX_VALUE = never. May be too
   * early, never too late.
   */
  public long nextTimer(KeyRuns runs) {
    bind(runs);
    return runs.nextDue;
  }

  private static boolean isDue(Run run, long time) {
    return run.due != Run.NEVER && run.due <= time;
  }

  private static void findNextDue(KeyRuns runs) {
    runs.nextDue = Run.NEVER;
    runs.each(run -> runs.nextDue = Math.min(runs.nextDue, run.due));
  }

  /** Finds the patterns of restored runs again; runs of patterns that are gone are dropped. */
  private void bind(KeyRuns runs) {
    if (runs.boundTo == patterns) {
      return;
    }
    List<Run> gone = new ArrayList<>();
    runs.each(
        run -> {
          run.compiled = find(run);
          if (run.compiled == null) {
            gone.add(run);
          } else {
            run.refresh();
          }
        });
    gone.forEach(runs::remove);
    findNextDue(runs);
    runs.boundTo = patterns;
  }

  @Nullable
  private CompiledPattern find(Run run) {
    for (CompiledPattern pattern : patterns) {
      PatternModel model = pattern.model();
      if (model.version() == run.version
          && model.id().equals(run.pattern)
          && (model.key() == PatternModel.Key.SERIES) == (run.series != null)) {
        return pattern;
      }
    }
    return null;
  }

  private void show(KeyRuns runs, @Nullable List<Run> active, SampleEvent event, MatchOutput out) {
    for (int i = 0; active != null && i < active.size(); ) {
      Run run = active.get(i);
      dealtWith[run.compiled.index] = eventNumber;
      if (feed(runs, run, event, out)) {
        i++;
      } else {
        runs.remove(run);
      }
    }
  }

  private void begin(KeyRuns runs, CompiledPattern pattern, SampleEvent event, MatchOutput out) {
    try {
      if (pattern.start().unmoved(event)) {
        return;
      }
    } catch (Exception e) {
      giveUp(pattern, e, out);
      return;
    }
    boolean perSeries = pattern.model().key() == PatternModel.Key.SERIES;
    Run run = Run.begin(pattern, perSeries ? event.series().key() : null);
    pattern.stats().starts++;
    if (feed(runs, run, event, out)) {
      runs.add(run);
    }
  }

  /**
   * Shows the event to the run's automaton, unless it would change nothing; whether it is active.
   */
  private boolean feed(KeyRuns runs, Run run, SampleEvent event, MatchOutput out) {
    try {
      if (run.isActive() && run.isUnmoved(event)) {
        return true;
      }
      if (kept == null) {
        kept = event.copy();
      }
      run.compiled.stats().steps++;
      tell(run, automaton.process(run, kept), event.time(), out);
      boolean active = settle(run, event.time(), out);
      runs.nextDue = Math.min(runs.nextDue, run.due);
      return active;
    } catch (Exception e) {
      return giveUp(run.compiled, e, out);
    }
  }

  /** Moves the time of one run on; returns whether the run is still active. */
  private boolean pass(Run run, long time, MatchOutput out) {
    try {
      pass(run, automaton.advance(run, time), time, out);
      return settle(run, time, out);
    } catch (Exception e) {
      return giveUp(run.compiled, e, out);
    }
  }

  private void pass(
      Run run,
      Tuple2<
              Collection<Map<String, List<SampleEvent>>>,
              Collection<Tuple2<Map<String, List<SampleEvent>>, Long>>>
          decided,
      long time,
      MatchOutput out) {
    for (Tuple2<Map<String, List<SampleEvent>>, Long> late : decided.f1) {
      run.compiled.stats().timeouts++;
      out.timeout(run.compiled, late.f0, late.f1);
    }
    tell(run, decided.f0, time, out);
  }

  private void tell(
      Run run, Collection<Map<String, List<SampleEvent>>> matches, long readyAt, MatchOutput out) {
    for (Map<String, List<SampleEvent>> match : matches) {
      run.compiled.stats().matches++;
      out.match(run.compiled, match, readyAt);
    }
  }

  /** Holds the run to its limits; returns whether it is still active. */
  private boolean settle(Run run, long time, MatchOutput out) throws Exception {
    int limit = settings.partialsPerKey();
    if (run.held() > limit || run.entries.size() > (long) limit * SAMPLES_PER_PARTIAL) {
      int evicted =
          automaton.evict(
              run, limit, (int) Math.min(Integer.MAX_VALUE, (long) limit * SAMPLES_PER_PARTIAL));
      run.compiled.stats().evicted += evicted;
      out.evicted(run.compiled, evicted);
      pass(run, automaton.advance(run, time), time, out);
    }
    if (!run.isActive()) {
      return false;
    }
    run.refresh();
    return true;
  }

  /** A run on which Flink's automaton failed is dropped and counted: the other patterns go on. */
  private static boolean giveUp(CompiledPattern pattern, Exception cause, MatchOutput out) {
    pattern.stats().failed++;
    out.failed(pattern, cause);
    return false;
  }
}
