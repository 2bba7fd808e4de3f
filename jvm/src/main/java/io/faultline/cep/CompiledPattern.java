package io.faultline.cep;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.cep.nfa.ComputationState;
import org.apache.flink.cep.nfa.NFA;
import org.apache.flink.cep.nfa.State;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.nfa.compiler.NFACompiler;
import org.apache.flink.cep.nfa.compiler.NFAStateNameHandler;
import org.apache.flink.cep.pattern.MalformedPatternException;
import org.apache.flink.cep.pattern.Pattern;

/** A pattern ready to run: Flink's automaton, which never changes, and what is known about it. */
public final class CompiledPattern {
  private final PatternModel model;
  private final PatternStats stats = new PatternStats();
  private final AfterMatchSkipStrategy skip;
  private final NFA<Event> nfa;
  private final Gaps gaps;
  private final Map<String, StateProbe> probes;
  private final StateProbe start;

  /** Where a partial match of one event is, if one condition decides there; else null. */
  @Nullable private final StateProbe second;

  /** Whether partial matches that ran out of time are told. */
  private final boolean tellsTimeouts;

  /** Position among the patterns of its engine, and how many these are. */
  int index;

  int siblings;

  /** How far it counts; set by its engine. */
  private LivePattern live;

  private CompiledPattern(PatternModel model, boolean timeouts, Dictionary dictionary)
      throws PatternRefusedException {
    this.model = model;
    this.live = LivePattern.of(model);
    Pattern<Event, Event> pattern =
        FlinkPatterns.build(model, Conditions.shared(dictionary, stats));
    this.skip = pattern.getAfterMatchSkipStrategy();
    this.tellsTimeouts = timeouts || model.timeoutIsMatch();
    this.nfa = automaton(pattern, tellsTimeouts);
    this.probes =
        StateProbe.of(nfa.getStates(), (expr, name) -> dictionary.under(expr, name, stats));
    this.start = probes.get(startName(nfa.getStates()));
    this.gaps = Gaps.of(model, nfa);
    this.second = gaps.isNone() ? start.decidingTarget() : null;
  }

  /**
   * Compiles a pattern. Flink's automaton is not opened: only conditions of our own are in it, and
   * they need no runtime.
   *
   * @param timeouts whether partial matches that ran out of time are told
   */
  public static CompiledPattern of(PatternModel model, boolean timeouts)
      throws PatternRefusedException {
    return of(model, timeouts, new Dictionary());
  }

  static CompiledPattern of(PatternModel model, boolean timeouts, Dictionary dictionary)
      throws PatternRefusedException {
    return new CompiledPattern(model, timeouts, dictionary);
  }

  private static NFA<Event> automaton(Pattern<Event, Event> pattern, boolean timeouts)
      throws PatternRefusedException {
    NFA<Event> nfa;
    try {
      nfa = NFACompiler.compileFactory(pattern, timeouts).createNFA();
    } catch (MalformedPatternException
        | IllegalArgumentException
        | IllegalStateException
        | UnsupportedOperationException e) {
      throw new PatternRefusedException(e.getMessage());
    }
    for (State<Event> state : nfa.getStates()) {
      if (state.getStateTransitions().stream().anyMatch(t -> t.getTargetState() == null)) {
        throw new PatternRefusedException(
            ("step '%s': Flink makes an automaton that leads nowhere from it;"
                    + " leave out greedy or optional")
                .formatted(NFAStateNameHandler.getOriginalNameFromInternal(state.getName())));
      }
    }
    return nfa;
  }

  private static String startName(Collection<State<Event>> states) {
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

  void use(LivePattern as) {
    live = as;
  }

  /** Whether its matches open no incident. */
  public boolean isDryRun() {
    return live.dryRun();
  }

  /** Whether it begins no partial matches. */
  boolean isDraining() {
    return live.draining();
  }

  /** Whether a partial match may begin with an event of this graph. */
  boolean mayBegin(Event e) {
    return !live.draining() && (live.share().isAll() || live.share().covers(model.id(), e.graph()));
  }

  /** Whether a match or timeout says only that something did not come. */
  public boolean isToldBySilence(MatchJson.Kind kind) {
    List<PatternModel.Step> steps = model.steps();
    return kind == MatchJson.Kind.TIMEOUT
        || steps.get(steps.size() - 1).repeat().contiguity().isNegative();
  }

  NFA<Event> nfa() {
    return nfa;
  }

  AfterMatchSkipStrategy skip() {
    return skip;
  }

  /** Whether every partial match runs out of time by itself. */
  boolean isBounded() {
    return nfa.getWindowTime() > 0;
  }

  /** When a partial match runs out of time, ms UTC; {@link Run#NEVER} where it does not. */
  long due(ComputationState partial) {
    long window = nfa.getWindowTime();
    long due = window > 0 ? partial.getStartTimestamp() + window : Run.NEVER;
    return Math.min(due, gaps.due(partial));
  }

  /**
   * Whether a partial match of one event need not be in the automaton yet: the next event ends it
   * or is taken; or it only waits for an event that ends it.
   */
  boolean canHoldFirst() {
    return second != null;
  }

  /** Whether a partial match begins with this event, and {@link #canHoldFirst}. */
  boolean holdsFirst(Event e, Name name) throws Exception {
    return second != null && start.only(name).isExact() && start.only(name).mayHold(e);
  }

  /** Whether this event ends a partial match of one event and can begin no other unproven. */
  boolean endsFirst(Event e, Name name) throws Exception {
    return second != null && start.only(name).isExact() && second.ends(e, name);
  }

  /**
   * Whether this event leaves a partial match of one event alone, and certainly begins no other.
   */
  boolean leavesFirst(Event e, Name name) throws Exception {
    return second.waits() && start.only(name).isExact() && !start.only(name).mayHold(e);
  }

  /** Whether nothing comes of a partial match of one event that runs out of time. */
  boolean forgetsFirst() {
    return second != null && !second.waits() && !tellsTimeouts;
  }

  /** When a partial match that began then runs out of time, where {@link #canHoldFirst}. */
  long dueOfFirst(long time) {
    return isBounded() ? time + nfa.getWindowTime() : Run.NEVER;
  }

  /** Where every partial match begins. */
  StateProbe start() {
    return start;
  }

  /** False where no event of this name matters to any state. */
  boolean canReact(Name name) {
    for (StateProbe probe : probes.values()) {
      if (probe.canReact(name)) {
        return true;
      }
    }
    return false;
  }

  /** The different states in which partial matches are; null where one of them is not known. */
  @Nullable
  StateProbe[] probes(Collection<ComputationState> partials) {
    if (partials.size() == 1) {
      StateProbe probe = probe(partials.iterator().next());
      return probe == null ? null : new StateProbe[] {probe};
    }
    Set<StateProbe> out = new LinkedHashSet<>();
    partials.forEach(p -> out.add(probe(p)));
    return out.contains(null) ? null : out.toArray(StateProbe[]::new);
  }

  @Nullable
  private StateProbe probe(ComputationState partial) {
    return probes.get(partial.getCurrentStateName());
  }
}
