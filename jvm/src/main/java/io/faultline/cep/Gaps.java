package io.faultline.cep;

import io.faultline.cep.PatternModel.Step;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.apache.flink.cep.nfa.ComputationState;
import org.apache.flink.cep.nfa.DeweyNumber;
import org.apache.flink.cep.nfa.NFA;
import org.apache.flink.cep.nfa.NFAState;
import org.apache.flink.cep.nfa.State;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.nfa.sharedbuffer.EventId;
import org.apache.flink.cep.nfa.sharedbuffer.NodeId;

/**
 * The states of an automaton in which a partial match runs out of time when its last sample is too
 * long ago. Flink keeps to itself which they are; the automaton is asked by letting time pass for a
 * partial match in each.
 */
final class Gaps {
  private static final Gaps NONE = new Gaps(Map.of());

  private final Map<String, Long> byState;

  private Gaps(Map<String, Long> byState) {
    this.byState = byState;
  }

  /** Whether no state has such a limit. */
  boolean isNone() {
    return byState.isEmpty();
  }

  static Gaps of(PatternModel model, NFA<Event> nfa) {
    Map<String, Long> wanted = new HashMap<>();
    for (Step step : model.steps()) {
      if (step.withinMs() > 0) {
        wanted.put(step.name(), step.withinMs());
      }
    }
    if (wanted.isEmpty()) {
      return NONE;
    }
    HostedAutomaton automaton = new HostedAutomaton();
    Map<String, Long> out = new HashMap<>();
    for (State<Event> state : nfa.getStates()) {
      String name = state.getName();
      int suffix = name.indexOf(':');
      Long gap = wanted.get(suffix < 0 ? name : name.substring(0, suffix));
      if (gap != null && (state.isPending() || ends(nfa, state, gap, automaton))) {
        out.put(name, gap);
      }
    }
    return new Gaps(out);
  }

  /** Whether a partial match in this state is gone once its last sample is so long ago. */
  private static boolean ends(NFA<Event> nfa, State<Event> state, long gap, HostedAutomaton host) {
    if (state.isStart() || state.isFinal() || state.isStop()) {
      return false;
    }
    EventId event = new EventId(0, gap);
    ComputationState partial =
        ComputationState.createState(
            state.getName(), new NodeId(event, "none"), new DeweyNumber(1), gap, 0, event);
    PriorityQueue<ComputationState> partials =
        new PriorityQueue<>(NFAState.COMPUTATION_STATE_COMPARATOR);
    partials.addAll(List.of(partial));
    NFAState one = new NFAState(partials, new PriorityQueue<>(partials.comparator()));
    return host.runsOut(nfa, one, gap, AfterMatchSkipStrategy.noSkip());
  }

  /** When the partial match runs out of time, ms UTC; {@link Run#NEVER} where it does not. */
  long due(ComputationState partial) {
    if (byState.isEmpty()) {
      return Run.NEVER;
    }
    Long gap = byState.get(partial.getCurrentStateName());
    return gap == null ? Run.NEVER : partial.getPreviousTimestamp() + gap;
  }

  /** For tests: the states and their gaps. */
  Map<String, Long> byState() {
    return Collections.unmodifiableMap(byState);
  }
}
