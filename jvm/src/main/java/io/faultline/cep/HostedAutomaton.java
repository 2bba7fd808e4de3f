package io.faultline.cep;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.cep.configuration.SharedBufferCacheConfig;
import org.apache.flink.cep.nfa.ComputationState;
import org.apache.flink.cep.nfa.NFA;
import org.apache.flink.cep.nfa.NFAState;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.nfa.compiler.NFAStateNameHandler;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBuffer;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBufferAccessor;
import org.apache.flink.cep.time.TimerService;

/**
 * Flink's automaton and one shared buffer, moved from run to run. The buffer's caches are flushed
 * into the run's maps after each use, so that nothing of one run is seen by the next.
 */
final class HostedAutomaton {
  /** Patterns see event time only. */
  private static final TimerService NO_CLOCK =
      () -> {
        throw new IllegalStateException("a pattern asked for processing time");
      };

  private final RunStateStore store = new RunStateStore();
  private final SharedBufferAccessor<Event> buffer;

  HostedAutomaton() {
    SharedBuffer<Event> shared =
        new SharedBuffer<>(store, EventSerializer.REFUSING, new SharedBufferCacheConfig());
    shared.releaseCacheStatisticsTimer();
    this.buffer = shared.getAccessor();
  }

  /** Puts a sample through; returns the matches it decided. */
  Collection<Map<String, List<Event>>> process(Run run, Event e) throws Exception {
    store.use(run);
    if (!run.counts.isEmpty() && !run.counts.containsKey(e.time())) {
      run.counts.clear();
    }
    CompiledPattern pattern = run.compiled;
    PatternStats stats = pattern.stats();
    long began = System.nanoTime();
    int before = run.held();
    try {
      return pattern.nfa().process(buffer, run.state, e, e.time(), pattern.skip(), NO_CLOCK);
    } finally {
      stats.steps++;
      stats.starts += run.state.isNewStartPartialMatch() ? 1 : 0;
      settle(run);
      account(run, before, began);
    }
  }

  /** Moves the time on; returns the matches and the timed out partial matches that this decided. */
  Tuple2<Collection<Map<String, List<Event>>>, Collection<Tuple2<Map<String, List<Event>>, Long>>>
      advance(Run run, long time) throws Exception {
    store.use(run);
    CompiledPattern pattern = run.compiled;
    long began = System.nanoTime();
    int before = run.held();
    try {
      return pattern.nfa().advanceTime(buffer, run.state, time, pattern.skip());
    } finally {
      settle(run);
      account(run, before, began);
    }
  }

  /**
   * Drops the oldest partial matches until at most so many partial and withheld matches, and so
   * many samples, are held. Withheld matches that this sets free come out of the next {@link
   * #advance}.
   *
   * @return how many went
   */
  int evict(Run run, int matches, int samples) throws Exception {
    store.use(run);
    long began = System.nanoTime();
    int before = run.held();
    int evicted = 0;
    try {
      while (run.held() > matches && dropOldest(run)) {
        evicted++;
      }
      buffer.close();
      while (run.entries.size() > samples && dropOldest(run)) {
        buffer.close();
        evicted++;
      }
    } finally {
      settle(run);
      account(run, before, began);
    }
    return evicted;
  }

  /** Whether no partial match is left in a state when time has passed so far. */
  boolean runsOut(NFA<Event> nfa, NFAState state, long time, AfterMatchSkipStrategy skip) {
    store.use(new HashMap<>(), new HashMap<>(), new HashMap<>());
    try {
      nfa.advanceTime(buffer, state, time, skip);
      buffer.close();
    } catch (Exception e) {
      throw new IllegalStateException("an automaton could not be asked for its windows", e);
    }
    return state.getPartialMatches().isEmpty();
  }

  /** The samples of a partial match by step; changes nothing. */
  Map<String, List<Event>> taken(Run run, ComputationState partial) throws Exception {
    store.use(run);
    var all = buffer.extractPatterns(partial.getPreviousBufferEntry(), partial.getVersion());
    Map<String, List<Event>> taken = all.isEmpty() ? Map.of() : buffer.materializeMatch(all.get(0));
    Map<String, List<Event>> out = new LinkedHashMap<>();
    taken.forEach(
        (state, events) ->
            out.computeIfAbsent(
                    NFAStateNameHandler.getOriginalNameFromInternal(state), s -> new ArrayList<>())
                .addAll(events));
    buffer.close();
    return out;
  }

  private boolean dropOldest(Run run) throws Exception {
    Queue<ComputationState> partials = run.state.getPartialMatches();
    ComputationState oldest = partials.peek();
    if (oldest == null || oldest.getStartEventID() == null) {
      return false;
    }
    partials.poll();
    buffer.releaseNode(oldest.getPreviousBufferEntry(), oldest.getVersion());
    return true;
  }

  private static void account(Run run, int before, long began) {
    PatternStats stats = run.compiled.stats();
    stats.partials += run.held() - before;
    stats.nanos += System.nanoTime() - began;
  }

  private void settle(Run run) throws Exception {
    buffer.close();
    LongChains.shorten(run);
    run.state.resetNewStartPartialMatch();
    run.state.resetStateChanged();
  }
}
