package io.faultline.cep;

import io.faultline.records.SeriesKey;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.cep.nfa.ComputationState;
import org.apache.flink.cep.nfa.DeweyNumber;
import org.apache.flink.cep.nfa.NFAState;
import org.apache.flink.cep.nfa.sharedbuffer.EventId;
import org.apache.flink.cep.nfa.sharedbuffer.Lockable;
import org.apache.flink.cep.nfa.sharedbuffer.NodeId;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBufferNode;

/**
 * One automaton at work on one key: what Flink's operator keeps in four states, as one object. Its
 * identity is pattern, version and, for patterns keyed by series, the series.
 */
final class Run {
  /** A time that never comes. */
  static final long NEVER = Long.MAX_VALUE;

  private static final StateProbe[] NONE = new StateProbe[0];

  final String pattern;
  final int version;
  @Nullable final SeriesKey series;
  final NFAState state;
  final Map<EventId, Lockable<Event>> events;
  final Map<NodeId, Lockable<SharedBufferNode>> entries;
  final Map<Long, Integer> counts;

  /**
   * The one event of a partial match that the automaton has not seen; null for none. A pattern that
   * begins on many events and mostly ends on the next would keep the automaton busy for nothing:
   * the automaton sees the first event when the second one is taken, or when time runs out.
   */
  @Nullable Event first;

  /** Whether the automaton has lost its start state: what is held ends, and nothing begins. */
  private boolean ending;

  /** Found again after a restore or a change of patterns. */
  CompiledPattern compiled;

  /** States in which partial matches are, and when the first of them runs out of time. */
  StateProbe[] probes = NONE;

  long due = NEVER;

  /** Breaks ties among runs that are due at the same time. */
  int order;

  Run(
      String pattern,
      int version,
      @Nullable SeriesKey series,
      NFAState state,
      Map<EventId, Lockable<Event>> events,
      Map<NodeId, Lockable<SharedBufferNode>> entries,
      Map<Long, Integer> counts) {
    this.pattern = pattern;
    this.version = version;
    this.series = series;
    this.state = state;
    this.events = events;
    this.entries = entries;
    this.counts = counts;
  }

  static Run begin(CompiledPattern compiled, @Nullable SeriesKey series) {
    Run run =
        new Run(
            compiled.model().id(),
            compiled.model().version(),
            series,
            compiled.nfa().createInitialNFAState(),
            new HashMap<>(4),
            new HashMap<>(4),
            new HashMap<>(2));
    run.compiled = compiled;
    return run;
  }

  /**
   * Brings what is derived from the automaton's state up to date; false where the state is not of
   * this pattern, as when its content changed and its version did not.
   */
  boolean refresh() {
    if (first != null) {
      due = compiled.dueOfFirst(first.time());
      return compiled.canHoldFirst();
    }
    StateProbe[] now = compiled.probes(state.getPartialMatches());
    if (now == null) {
      return false;
    }
    probes = now;
    due = NEVER;
    for (ComputationState partial : state.getPartialMatches()) {
      if (partial.getStartEventID() != null) {
        due = Math.min(due, compiled.due(partial));
      }
    }
    return true;
  }

  /** The events as they are written: a first event that the automaton has not seen is one, too. */
  Map<EventId, Lockable<Event>> writtenEvents() {
    return first == null ? events : Map.of(new EventId(0, first.time()), new Lockable<>(first, 0));
  }

  /** Takes back what {@link #writtenEvents} wrote: an event in an automaton at its start. */
  Run restored() {
    ending = !hasStart();
    if (!isActive() && events.size() == 1) {
      first = events.values().iterator().next().getElement();
      events.clear();
    }
    return this;
  }

  /** Whether anything is held but the start state, which every automaton has. */
  boolean isActive() {
    return first != null
        || state.getPartialMatches().size() > 1
        || !state.getCompletedMatches().isEmpty()
        || (!state.getPartialMatches().isEmpty()
            && state.getPartialMatches().peek().getStartEventID() != null);
  }

  private boolean hasStart() {
    for (ComputationState partial : state.getPartialMatches()) {
      if (partial.getStartEventID() == null) {
        return true;
      }
    }
    return false;
  }

  /**
   * From now on nothing begins: without its start state Flink's automaton goes on with what it
   * holds. Not for a run whose first event the automaton has not seen.
   */
  void beginNoMore() {
    if (!ending) {
      state.getPartialMatches().removeIf(partial -> partial.getStartEventID() == null);
      ending = true;
    }
  }

  /** Takes back {@link #beginNoMore}. */
  void beginAgain() {
    if (ending) {
      String start =
          compiled.nfa().createInitialNFAState().getPartialMatches().peek().getCurrentStateName();
      state.getPartialMatches().add(ComputationState.createStartState(start, freeVersion()));
      ending = false;
    }
  }

  /** By their versions Flink's shared buffer tells partial matches apart. */
  private DeweyNumber freeVersion() {
    int last = 0;
    for (ComputationState partial : state.getPartialMatches()) {
      last = Math.max(last, partial.getVersion().getRun());
    }
    for (ComputationState complete : state.getCompletedMatches()) {
      last = Math.max(last, complete.getVersion().getRun());
    }
    return new DeweyNumber(last + 1);
  }

  /** Partial and withheld matches. */
  int held() {
    int starts = ending ? 0 : 1;
    int seen = state.getPartialMatches().size() - starts + state.getCompletedMatches().size();
    return first == null ? seen : seen + 1;
  }

  boolean isUnmoved(Event e, Name name) throws Exception {
    for (StateProbe probe : probes) {
      if (!probe.unmoved(e, name)) {
        return false;
      }
    }
    return true;
  }
}
