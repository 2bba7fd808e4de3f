package io.faultline.cep;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import javax.annotation.Nullable;
import org.apache.flink.cep.nfa.State;
import org.apache.flink.cep.nfa.StateTransition;
import org.apache.flink.cep.nfa.StateTransitionAction;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.apache.flink.cep.pattern.conditions.RichNotCondition;

/**
 * One state of an automaton, arranged to prove cheaply that an event changes nothing.
 *
 * <p>A partial match in a state stays as it is iff, along the PROCEED edges that hold, no TAKE
 * holds and exactly one IGNORE does: the loop to the state itself. The start state needs no IGNORE,
 * since Flink always keeps it. A condition that asks for earlier samples cannot be decided here;
 * then nothing is proven. Metric and signal of an event alone often prove it: see {@link
 * #canReact}.
 */
final class StateProbe {
  private static final int MOVES = -1;
  private static final byte UNKNOWN = 0;
  private static final byte REACTS = 1;
  private static final byte STAYS = 2;

  private final boolean start;
  private final BiFunction<Expr, Name, Predicate> predicates;
  private StateTransitionAction[] actions;
  private IterativeCondition<Event>[] conditions;
  private StateProbe[] targets;

  /** Which of the targets end a partial match. */
  private boolean[] stops;

  /** Where this is set, an event moves the state iff this holds. */
  @Nullable private Expr only;

  /** Where this is set, an event for which it does not hold ends a partial match in this state. */
  @Nullable private Expr strict;

  /**
   * Where this is set, an event for which it holds ends a partial match here; no other moves it.
   */
  @Nullable private Expr forbidden;

  /**
   * What is left of that one of them that is set, by id of the name; filled when first asked for.
   */
  private Predicate[] onlyByName = new Predicate[0];

  private byte[] reactsByName = new byte[0];

  private StateProbe(boolean start, BiFunction<Expr, Name, Predicate> predicates) {
    this.start = start;
    this.predicates = predicates;
  }

  /**
   * The probes of an automaton, by name of state.
   *
   * @param predicates what is left of a condition for events of a name
   */
  static Map<String, StateProbe> of(
      Collection<State<Event>> states, BiFunction<Expr, Name, Predicate> predicates) {
    Map<String, StateProbe> probes = new HashMap<>();
    states.forEach(s -> probes.put(s.getName(), new StateProbe(s.isStart(), predicates)));
    states.forEach(s -> probes.get(s.getName()).link(s, probes));
    for (StateProbe probe : probes.values()) {
      probe.only = probe.onlyCondition();
      probe.strict = probe.strictCondition();
      probe.forbidden = probe.forbiddenCondition();
    }
    return probes;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private void link(State<Event> state, Map<String, StateProbe> probes) {
    int n = state.getStateTransitions().size();
    actions = new StateTransitionAction[n];
    conditions = new IterativeCondition[n];
    targets = new StateProbe[n];
    stops = new boolean[n];
    int i = 0;
    for (StateTransition<Event> t : state.getStateTransitions()) {
      actions[i] = t.getAction();
      conditions[i] = t.getCondition();
      targets[i] = probes.get(t.getTargetState().getName());
      stops[i++] = t.getTargetState().isStop();
    }
  }

  /**
   * The TAKE condition of a state that has nothing else but a loop which holds whenever it does
   * not.
   */
  @Nullable
  private Expr onlyCondition() {
    IterativeCondition<Event> take = null;
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
    return simple ? ((ExprCondition) take).expr() : null;
  }

  private boolean loops(IterativeCondition<Event> take) {
    for (int i = 0; i < actions.length; i++) {
      if (actions[i] == StateTransitionAction.IGNORE) {
        IterativeCondition<Event> c = conditions[i];
        return NameTests.isAlways(c)
            || (c instanceof RichNotCondition<Event> not && not.getNestedConditions()[0] == take);
      }
    }
    return false;
  }

  /** The condition of a state, not the start, that has one TAKE and nothing else. */
  @Nullable
  private Expr strictCondition() {
    boolean single = !start && actions.length == 1 && actions[0] == StateTransitionAction.TAKE;
    return single && conditions[0] instanceof ExprCondition take ? take.expr() : null;
  }

  /**
   * The condition of a state that only waits: it holds and all ends, or it does not and nothing.
   */
  @Nullable
  private Expr forbiddenCondition() {
    Expr ends = null;
    int loops = 0;
    for (int i = 0; i < actions.length; i++) {
      if (actions[i] == StateTransitionAction.PROCEED
          && stops[i]
          && conditions[i] instanceof ExprCondition c) {
        ends = c.expr();
      } else if (actions[i] == StateTransitionAction.IGNORE && targets[i] == this) {
        loops++;
      }
    }
    boolean waits = !start && ends != null && loops == 1 && actions.length == 2;
    return waits && !Exprs.asksSteps(ends) ? ends : null;
  }

  /** Whether no event but one that {@link #ends} it moves a partial match in this state. */
  boolean waits() {
    return forbidden != null;
  }

  /**
   * Where all goes that leaves the start state, if what an event does to a partial match is decided
   * there by one condition; null where it is not as simple as that.
   */
  @Nullable
  StateProbe decidingTarget() {
    if (only == null) {
      return null;
    }
    for (int i = 0; i < actions.length; i++) {
      if (actions[i] == StateTransitionAction.TAKE) {
        StateProbe target = targets[i];
        return target.strict == null && target.forbidden == null ? null : target;
      }
    }
    return null;
  }

  /** Whether it is proven that the event ends a partial match in this state. */
  boolean ends(Event e, Name name) throws Exception {
    if (forbidden != null) {
      return under(forbidden, name).mayHold(e);
    }
    return strict != null && !under(strict, name).mayHold(e);
  }

  /** The predicate without which nothing moves the state, or null where there is no such one. */
  @Nullable
  Predicate only(Name name) {
    return only == null ? null : under(only, name);
  }

  private Predicate under(Expr condition, Name name) {
    if (name.id() >= onlyByName.length) {
      onlyByName = Arrays.copyOf(onlyByName, Math.max(16, 2 * name.id()));
    }
    Predicate predicate = onlyByName[name.id()];
    if (predicate == null) {
      predicate = predicates.apply(condition, name);
      onlyByName[name.id()] = predicate;
    }
    return predicate;
  }

  /** Whether it is proven that the event changes nothing for a partial match in this state. */
  boolean unmoved(Event e, Name name) throws Exception {
    if (only != null) {
      return !only(name).mayHold(e);
    }
    if (!canReact(name)) {
      return true;
    }
    try {
      return stays(loops(this, e));
    } catch (NoSteps.Asked asked) {
      return false;
    }
  }

  private boolean stays(int loops) {
    return loops == 1 || (start && loops >= 0);
  }

  /** False where no event of this name changes a partial match in this state. */
  boolean canReact(Name name) {
    if (actions.length == 0) {
      return false; // an end of the automaton: no partial match is left in it
    }
    if (only != null) {
      return !only(name).isNever();
    }
    if (name.isAny()) {
      return true;
    }
    if (name.id() >= reactsByName.length) {
      reactsByName = Arrays.copyOf(reactsByName, Math.max(16, 2 * name.id()));
    }
    if (reactsByName[name.id()] == UNKNOWN) {
      reactsByName[name.id()] = stays(loops(this, name)) ? STAYS : REACTS;
    }
    return reactsByName[name.id()] == REACTS;
  }

  /**
   * How many loops of {@code from} hold, seen from here; {@link #MOVES} where the event moves it.
   */
  private int loops(StateProbe from, Event e) throws Exception {
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

  private boolean holds(int i, Event e) throws Exception {
    return conditions[i] == null || conditions[i].filter(e, NoSteps.INSTANCE);
  }

  /** The same by the event's name alone; {@link #MOVES} where that does not tell. */
  private int loops(StateProbe from, Name name) {
    int loops = 0;
    for (int i = 0; i < actions.length; i++) {
      Boolean holds = NameTests.holds(conditions[i], name);
      if ((from.start && actions[i] == StateTransitionAction.IGNORE) || Boolean.FALSE == holds) {
        continue;
      }
      int more =
          switch (actions[i]) {
            case TAKE -> MOVES;
            case IGNORE -> targets[i] == from && holds != null ? 1 : MOVES;
            case PROCEED -> targets[i].loops(from, name);
          };
      if (more < 0 || (more > 0 && holds == null)) {
        return MOVES;
      }
      loops += more;
    }
    return loops;
  }
}
