package io.faultline.cep;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.cep.nfa.State;
import org.apache.flink.cep.nfa.StateTransition;
import org.apache.flink.cep.nfa.StateTransitionAction;
import org.apache.flink.cep.pattern.conditions.BooleanConditions;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.apache.flink.cep.pattern.conditions.RichAndCondition;
import org.apache.flink.cep.pattern.conditions.RichNotCondition;

/**
 * One state of an automaton, arranged to prove cheaply that a sample changes nothing.
 *
 * <p>A partial match in a state stays as it is iff, along the PROCEED edges that hold, no TAKE
 * holds and exactly one IGNORE does: the loop to the state itself. The start state needs no IGNORE,
 * since Flink always keeps it. A condition that asks for earlier samples cannot be decided here;
 * then nothing is proven.
 */
final class StateProbe {
  private static final Class<?> ALWAYS = BooleanConditions.<SampleEvent>trueFunction().getClass();
  private static final int MOVES = -1;

  private final boolean start;
  private StateTransitionAction[] actions;
  private IterativeCondition<SampleEvent>[] conditions;
  private StateProbe[] targets;

  /** Where this is set, a sample moves the state iff this holds. */
  @Nullable private ExprCondition only;

  private StateProbe(boolean start) {
    this.start = start;
  }

  /** The probes of an automaton, by name of state. */
  static Map<String, StateProbe> of(Collection<State<SampleEvent>> states) {
    Map<String, StateProbe> probes = new HashMap<>();
    states.forEach(s -> probes.put(s.getName(), new StateProbe(s.isStart())));
    states.forEach(s -> probes.get(s.getName()).link(s, probes));
    probes.values().forEach(p -> p.only = p.onlyCondition());
    return probes;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private void link(State<SampleEvent> state, Map<String, StateProbe> probes) {
    int n = state.getStateTransitions().size();
    actions = new StateTransitionAction[n];
    conditions = new IterativeCondition[n];
    targets = new StateProbe[n];
    int i = 0;
    for (StateTransition<SampleEvent> t : state.getStateTransitions()) {
      actions[i] = t.getAction();
      conditions[i] = t.getCondition();
      targets[i++] = probes.get(t.getTargetState().getName());
    }
  }

  boolean isStart() {
    return start;
  }

  /**
   * The TAKE condition of a state that has nothing else but a loop which holds whenever it does
   * not.
   */
  @Nullable
  private ExprCondition onlyCondition() {
    IterativeCondition<SampleEvent> take = null;
    int ignores = 0;
    for (int i = 0; i < actions.length; i++) {
      switch (actions[i]) {
        case TAKE -> {
          if (take != null) {
            return null;
          }
          take = conditions[i];
        }
        case IGNORE -> ignores += targets[i] == this ? 1 : 2;
        case PROCEED -> {
          return null;
        }
      }
    }
    boolean simple = take instanceof ExprCondition && (start || (ignores == 1 && loops(take)));
    return simple ? (ExprCondition) take : null;
  }

  private boolean loops(IterativeCondition<SampleEvent> take) {
    for (int i = 0; i < actions.length; i++) {
      if (actions[i] == StateTransitionAction.IGNORE) {
        IterativeCondition<SampleEvent> c = conditions[i];
        return c == null
            || c.getClass() == ALWAYS
            || (c instanceof RichNotCondition<SampleEvent> not
                && not.getNestedConditions()[0] == take);
      }
    }
    return false;
  }

  /** Whether it is proven that the sample changes nothing for a partial match in this state. */
  boolean unmoved(SampleEvent e) throws Exception {
    try {
      if (only != null) {
        return !only.filter(e, NoSteps.INSTANCE);
      }
      int loops = loops(this, e);
      return loops == 1 || (start && loops >= 0);
    } catch (NoSteps.Asked asked) {
      return false;
    }
  }

  /**
   * How many loops of {@code from} hold, seen from here; {@link #MOVES} where the sample moves it.
   */
  private int loops(StateProbe from, SampleEvent e) throws Exception {
    int loops = 0;
    for (int i = 0; i < actions.length; i++) {
      if ((from.start && actions[i] == StateTransitionAction.IGNORE) || !holds(i, e)) {
        continue;
      }
      int more =
          switch (actions[i]) {
            case TAKE -> MOVES;
            case IGNORE -> targets[i] == from ? 1 : MOVES;
            case PROCEED -> targets[i].loops(from, e);
          };
      if (more < 0) {
        return MOVES;
      }
      loops += more;
    }
    return loops;
  }

  private boolean holds(int i, SampleEvent e) throws Exception {
    return conditions[i] == null || conditions[i].filter(e, NoSteps.INSTANCE);
  }

  /** The series on which a sample can be taken from here. */
  Selector selector() {
    Selector out = null;
    for (int i = 0; i < actions.length; i++) {
      Selector more =
          switch (actions[i]) {
            case TAKE -> selector(conditions[i]);
            case PROCEED -> targets[i].selector();
            case IGNORE -> null;
          };
      if (more != null) {
        out = out == null ? more : out.or(more);
      }
    }
    return out == null ? Selector.ANY : out;
  }

  private static Selector selector(@Nullable IterativeCondition<SampleEvent> condition) {
    if (condition instanceof ExprCondition expr) {
      return expr.selector();
    }
    if (condition instanceof RichAndCondition<SampleEvent> and) {
      IterativeCondition<SampleEvent>[] nested = and.getNestedConditions();
      return selector(nested[0]).and(selector(nested[1]));
    }
    return Selector.ANY;
  }
}
