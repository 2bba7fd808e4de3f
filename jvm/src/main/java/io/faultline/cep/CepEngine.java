package io.faultline.cep;

import io.faultline.cep.Interests.Interest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import javax.annotation.Nullable;
import org.apache.flink.api.java.tuple.Tuple2;

/**
 * Many patterns over the events of many keys. Events of a key come in event-time order, equal times
 * in order of arrival. What is active on a key is in its {@link KeyRuns}; the engine itself holds
 * no state. Results depend on the samples only: a partial match ends, and a match that waited is
 * told, at the very time that decides it, however far apart the watermarks are. Not thread-safe;
 * needs no Flink runtime.
 *
 * <p>A quiet event costs a look at the first conditions of the patterns that can start on it, equal
 * ones once: no automaton is asked before one holds, nor about a partial match that the event
 * provably leaves alone; which those are the metric tells for most.
 */
public final class CepEngine {
  /** Samples that one pattern may hold on one key, per partial match that it may hold. */
  private static final int SAMPLES_PER_PARTIAL = 10;

  private final CepSettings settings;
  private final CompiledPattern[] patterns;
  private final List<Refusal> refused;
  private final Dictionary dictionary;
  private final Interests interests;
  private final Binding binding;
  private final HostedAutomaton automaton = new HostedAutomaton();

  /** For each pattern the number of the event that it has dealt with. */
  private final long[] dealtWith;

  /** The event at hand as an automaton may keep it; null = not needed yet. */
  @Nullable private Event kept;

  /** Patterns that cannot run are left out and found in {@link #refused}. */
  public CepEngine(List<PatternModel> models, CepSettings settings) {
    this(models.stream().map(LivePattern::of).toList(), settings, new Dictionary(), Map.of(), 0);
  }

  private CepEngine(
      List<LivePattern> live,
      CepSettings settings,
      Dictionary dictionary,
      Map<PatternModel, CompiledPattern> known,
      long dropped) {
    this.settings = settings;
    this.dictionary = dictionary;
    this.refused = new ArrayList<>();
    List<CompiledPattern> compiled = new ArrayList<>();
    for (LivePattern each : live) {
      PatternModel model = each.model();
      try {
        CompiledPattern same = known.get(model);
        CompiledPattern one =
            same != null ? same : CompiledPattern.of(model, settings.timeouts(), dictionary);
        one.use(each);
        compiled.add(one);
      } catch (PatternRefusedException e) {
        refused.add(new Refusal(model.id(), model.version(), e.getMessage()));
      }
    }
    this.patterns = compiled.toArray(CompiledPattern[]::new);
    for (int i = 0; i < patterns.length; i++) {
      patterns[i].index = i;
      patterns[i].siblings = patterns.length;
    }
    this.interests = new Interests(patterns);
    this.binding = new Binding(patterns, dropped);
    this.dealtWith = new long[patterns.length];
  }

  /**
   * An engine with other patterns, to be used in place of this one. Those that stay as they are
   * keep their automata and their counts; runs go on in those, and are dropped where their pattern
   * is gone: when their key is next touched, or at once by {@link #release}.
   */
  public CepEngine with(List<PatternModel> models) {
    return withLive(models.stream().map(LivePattern::of).toList());
  }

  /** As {@link #with}; two versions of one pattern may be live, of which one drains. */
  public CepEngine withLive(List<LivePattern> live) {
    Map<PatternModel, CompiledPattern> known = new HashMap<>();
    for (CompiledPattern pattern : patterns) {
      pattern.stats().settleSeen();
      known.put(pattern.model(), pattern);
    }
    CepEngine engine = new CepEngine(live, settings, dictionary, known, dropped());
    dictionary.tidy();
    return engine;
  }

  /** The patterns that run. */
  public List<CompiledPattern> patterns() {
    return List.of(patterns);
  }

  public List<Refusal> refused() {
    return List.copyOf(refused);
  }

  /** Partial and withheld matches that went because their pattern did, so far. */
  public long dropped() {
    return binding.dropped();
  }

  /**
   * Puts one event through all patterns.
   *
   * @param event may be changed and used again after the call
   */
  public void event(KeyRuns runs, Event event, MatchOutput out) {
    // 1) let time pass up to the event,
    // 2) show it to the active runs of its key and of its series that can react to it,
    // 3) begin runs of those patterns that start on it
    if (patterns.length == 0 && runs.isEmpty()) {
      return;
    }
    advance(runs, event.time(), out);
    dictionary.next();
    kept = null;
    Name name = event.name(dictionary.names());
    Interest interest = interests.of(name);
    interest.events()[0]++;
    if (!runs.node.isEmpty()) {
      showKey(runs, interest, event, name, out);
    }
    if ((runs.seriesBits & event.seriesBit()) != 0) {
      showSeries(runs, event, name, out);
    }
    for (Interests.Start start : interest.starts()) {
      begin(runs, start, event, name, out);
    }
  }

  /**
   * Moves event time on: partial matches run out of time, matches that waited for it are told.
   *
   * @param time ms UTC, Long.MAX_VALUE = the end of all input
   */
  public void advance(KeyRuns runs, long time, MatchOutput out) {
    binding.bind(runs);
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
    Binding.findNextDue(runs);
  }

  /**
   * When {@link #advance} next has something to do, ms UTC; Long.MAX_VALUE = never. May be too
   * early, never too late.
   */
  public long nextTimer(KeyRuns runs) {
    binding.bind(runs);
    return runs.nextDue;
  }

  private static boolean isDue(Run run, long time) {
    return run.due != Run.NEVER && run.due <= time;
  }

  /** Frees at once what patterns hold that are gone; returns how many runs went. */
  public int release(KeyRuns runs) {
    int before = runs.size();
    binding.bind(runs);
    return before - runs.size();
  }

  private void showKey(KeyRuns runs, Interest interest, Event event, Name name, MatchOutput out) {
    long[] reacting = interest.reacting();
    for (int word = 0; word < runs.active.length; word++) {
      for (long bits = runs.active[word] & reacting[word]; bits != 0; bits &= bits - 1) {
        Run run = runs.byPattern[(word << 6) + Long.numberOfTrailingZeros(bits)];
        dealtWith[run.compiled.index] = dictionary.moment();
        if (!feed(runs, run, event, name, out)) {
          runs.remove(run);
        }
      }
    }
  }

  private void showSeries(KeyRuns runs, Event event, Name name, MatchOutput out) {
    List<Run> active = runs.series.get(event.seriesKey());
    for (int i = 0; active != null && i < active.size(); ) {
      Run run = active.get(i);
      dealtWith[run.compiled.index] = dictionary.moment();
      if (feed(runs, run, event, name, out)) {
        i++;
      } else {
        runs.remove(run);
      }
    }
  }

  private void begin(KeyRuns runs, Interests.Start start, Event event, Name name, MatchOutput out) {
    for (int index : start.patterns()) {
      if (dealtWith[index] == dictionary.moment()) {
        continue;
      }
      CompiledPattern pattern = patterns[index];
      try {
        if (start.needed() != null && !start.needed().mayHold(event)) {
          return;
        }
        if (start.needed() == null && pattern.start().unmoved(event, name)) {
          return;
        }
      } catch (Exception e) {
        giveUp(pattern, e, out);
        continue;
      }
      if (!pattern.mayBegin(event)) {
        continue;
      }
      boolean perSeries = pattern.model().key() == PatternModel.Key.SERIES;
      Run run = Run.begin(pattern, perSeries ? event.seriesKey() : null);
      if (feed(runs, run, event, name, out)) {
        runs.add(run);
      }
    }
  }

  /** Shows the automaton the event unless it would change nothing; whether the run is active. */
  private boolean feed(KeyRuns runs, Run run, Event event, Name name, MatchOutput out) {
    try {
      if (run.first == null ? !run.isActive() : run.compiled.endsFirst(event, name)) {
        if (run.compiled.mayBegin(event) && run.compiled.holdsFirst(event, name)) {
          return hold(runs, run, event);
        }
        if (run.first != null) {
          run.compiled.stats().partials--;
          return false;
        }
      }
      boolean unmoved =
          run.first == null
              ? run.isActive() && run.isUnmoved(event, name)
              : run.compiled.leavesFirst(event, name);
      if (unmoved) {
        return true;
      }
      wake(run, out);
      if (!run.compiled.mayBegin(event)) {
        run.beginNoMore();
      }
      tell(run, automaton.process(run, kept(event)), event.time(), out);
      boolean active = settle(run, event.time(), out);
      runs.nextDue = Math.min(runs.nextDue, run.due);
      return active;
    } catch (Exception e) {
      return giveUp(run, e, out);
    }
  }

  /** Keeps the event in the run, in place of the one that was kept there; the run is active. */
  private boolean hold(KeyRuns runs, Run run, Event event) {
    PatternStats stats = run.compiled.stats();
    stats.partials += run.first == null ? 1 : 0;
    stats.starts++;
    run.first = kept(event);
    run.refresh();
    runs.nextDue = Math.min(runs.nextDue, run.due);
    return true;
  }

  /** Shows the automaton the event that was kept from it, if there is one. */
  private void wake(Run run, MatchOutput out) throws Exception {
    Event first = run.first;
    if (first != null) {
      run.first = null;
      run.compiled.stats().partials--;
      run.compiled.stats().starts--;
      long before = dictionary.aside();
      try {
        tell(run, automaton.process(run, first), first.time(), out);
      } finally {
        dictionary.back(before);
      }
    }
  }

  private Event kept(Event event) {
    if (kept == null) {
      kept = event.copy();
    }
    return kept;
  }

  /** Moves the time of one run on; returns whether the run is still active. */
  private boolean pass(Run run, long time, MatchOutput out) {
    try {
      if (run.first != null && run.compiled.forgetsFirst()) {
        run.compiled.stats().partials--;
        return false;
      }
      wake(run, out);
      pass(run, automaton.advance(run, time), time, out);
      return settle(run, time, out);
    } catch (Exception e) {
      return giveUp(run, e, out);
    }
  }

  private void pass(
      Run run,
      Tuple2<
              Collection<Map<String, List<Event>>>,
              Collection<Tuple2<Map<String, List<Event>>, Long>>>
          decided,
      long time,
      MatchOutput out) {
    for (Tuple2<Map<String, List<Event>>, Long> late : decided.f1) {
      run.compiled.stats().timeouts++;
      out.timeout(run.compiled, late.f0, late.f1);
    }
    tell(run, decided.f0, time, out);
  }

  private void tell(
      Run run, Collection<Map<String, List<Event>>> matches, long readyAt, MatchOutput out) {
    for (Map<String, List<Event>> match : matches) {
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
    return run.refresh();
  }

  private static boolean giveUp(Run run, Exception cause, MatchOutput out) {
    run.compiled.stats().partials -= run.held();
    return giveUp(run.compiled, cause, out);
  }

  /** A run on which Flink's automaton failed is dropped and counted: the other patterns go on. */
  private static boolean giveUp(CompiledPattern pattern, Exception cause, MatchOutput out) {
    pattern.stats().failed++;
    out.failed(pattern, cause);
    return false;
  }
}
