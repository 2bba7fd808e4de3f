package io.faultline.cep;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.apache.flink.cep.nfa.ComputationState;
import org.apache.flink.cep.nfa.NFA;
import org.apache.flink.cep.nfa.State;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.nfa.compiler.NFACompiler;
import org.apache.flink.cep.pattern.MalformedPatternException;
import org.apache.flink.cep.pattern.Pattern;

/** A pattern ready to run: Flink's automaton, which never changes, and what is known about it. */
public final class CompiledPattern {
  private final PatternModel model;
  private final PatternStats stats = new PatternStats();
  private final AfterMatchSkipStrategy skip;
  private final NFA<SampleEvent> nfa;
  private final long window;
  private final Map<String, StateProbe> probes;
  private final StateProbe start;
  private final Selector selector;

  /** Position among the patterns of its engine. */
  int index;

  private CompiledPattern(PatternModel model, boolean timeouts) throws PatternRefusedException {
    this.model = model;
    Pattern<SampleEvent, SampleEvent> pattern = FlinkPatterns.build(model, stats);
    this.skip = pattern.getAfterMatchSkipStrategy();
    this.nfa = automaton(pattern, timeouts);
    this.window = nfa.getWindowTime();
    this.probes = StateProbe.of(nfa.getStates());
    this.start = probes.get(startName(nfa.getStates()));
    this.selector = start.selector();
  }

  /**
   * Compiles a pattern. Flink's automaton is not opened: only conditions of our own are in it, and
   * they need no runtime.
   *
   * @param timeouts whether partial matches that ran out of time are told
   */
  public static CompiledPattern of(PatternModel model, boolean timeouts)
      throws PatternRefusedException {
    return new CompiledPattern(model, timeouts);
  }

  private static NFA<SampleEvent> automaton(
      Pattern<SampleEvent, SampleEvent> pattern, boolean timeouts) throws PatternRefusedException {
    try {
      return NFACompiler.compileFactory(pattern, timeouts).createNFA();
    } catch (MalformedPatternException
        | IllegalArgumentException
        | IllegalStateException
        | UnsupportedOperationException e) {
      throw new PatternRefusedException(e.getMessage());
    }
  }

  private static String startName(Collection<State<SampleEvent>> states) {
    return states.stream()
        .filter(State::isStart)
        .map(State::getName)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("an automaton without a start state"));
  }

  public PatternModel model() {
    return model;
  }

  public PatternStats stats() {
    return stats;
  }

  NFA<SampleEvent> nfa() {
    return nfa;
  }

  AfterMatchSkipStrategy skip() {
    return skip;
  }

  /** From the first sample to the end of a match, ms; 0 = no limit. */
  long window() {
    return window;
  }

  /** Where every partial match begins. */
  StateProbe start() {
    return start;
  }

  /** The series on which a partial match can begin. */
  Selector selector() {
    return selector;
  }

  /** The different states in which partial matches are. */
  StateProbe[] probes(Collection<ComputationState> partials) {
    if (partials.size() == 1) {
      return new StateProbe[] {probe(partials.iterator().next())};
    }
    Set<StateProbe> out = new LinkedHashSet<>();
    partials.forEach(p -> out.add(probe(p)));
    return out.toArray(StateProbe[]::new);
  }

  private StateProbe probe(ComputationState partial) {
    return probes.get(partial.getCurrentStateName());
  }
}
