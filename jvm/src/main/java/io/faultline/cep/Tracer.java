package io.faultline.cep;

import io.faultline.cep.PatternModel.Step;
import io.faultline.config.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.cep.nfa.ComputationState;
import org.apache.flink.cep.nfa.State;
import org.apache.flink.cep.nfa.StateTransition;
import org.apache.flink.cep.nfa.StateTransitionAction;
import org.apache.flink.cep.nfa.compiler.NFAStateNameHandler;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Looks on while the engine runs: where each partial match of a pattern is when an event comes, and
 * what the steps that it waits for make of the event. Changes nothing, and is asked just before the
 * engine sees the event.
 */
public final class Tracer {
  /**
   * Of partial matches in the same place with the same samples one is enough, of others so many.
   */
  private static final int MOST = 20;

  private final List<Traced> patterns = new ArrayList<>();
  private final HostedAutomaton automaton = new HostedAutomaton();

  /** A pattern with its states and steps by name. */
  private record Traced(
      CompiledPattern compiled, Map<String, State<Event>> states, Map<String, StepCheck> steps) {
    PatternModel model() {
      return compiled.model();
    }

    String start() {
      return states.values().stream().filter(State::isStart).findFirst().orElseThrow().getName();
    }
  }

  /** A partial match: the state it is in, and what it has taken. */
  private record Place(String state, Map<String, List<Event>> taken) {}

  /**
   * @param models those that are refused are left out
   */
  public Tracer(List<PatternModel> models) {
    for (PatternModel model : models) {
      try {
        CompiledPattern compiled = CompiledPattern.of(model, true);
        Map<String, State<Event>> states = new HashMap<>();
        compiled.nfa().getStates().forEach(state -> states.put(state.getName(), state));
        Map<String, StepCheck> steps = new HashMap<>();
        for (Step step : model.steps()) {
          steps.put(step.name(), new StepCheck(step));
        }
        patterns.add(new Traced(compiled, states, steps));
      } catch (PatternRefusedException e) {
        continue; // Told by the engine.
      }
    }
  }

  /**
   * @param runs the partial matches of the event's key, as the engine has them
   * @param out takes a line for each place of each pattern: pattern, time, value, state, taken,
   *     strict, wants, forbids
   */
  public void look(KeyRuns runs, Event event, Consumer<ObjectNode> out) {
    try {
      for (Traced pattern : patterns) {
        boolean graph = pattern.model().key() == PatternModel.Key.GRAPH;
        if (graph == event instanceof GraphSight) {
          for (Place place : places(pattern, runs, event)) {
            out.accept(line(pattern, place, event));
          }
        }
      }
    } catch (Exception e) {
      throw new IllegalStateException("a partial match could not be shown", e);
    }
  }

  private Set<Place> places(Traced pattern, KeyRuns runs, Event event) throws Exception {
    Set<Place> places = new LinkedHashSet<>();
    places.add(new Place(pattern.start(), Map.of()));
    Run run = find(pattern.model(), runs, event);
    if (run == null) {
      return places;
    }
    if (run.first != null) {
      if (pattern.compiled().dueOfFirst(run.first.time()) > event.time()) {
        String first = NFAStateNameHandler.getOriginalNameFromInternal(pattern.start());
        places.add(new Place(afterStart(pattern), Map.of(first, List.of(run.first))));
      }
      return places;
    }
    for (ComputationState partial : run.state.getPartialMatches()) {
      boolean over = pattern.compiled().due(partial) <= event.time();
      if (partial.getStartEventID() != null && !over && places.size() < MOST) {
        places.add(new Place(partial.getCurrentStateName(), automaton.taken(run, partial)));
      }
    }
    return places;
  }

  @Nullable
  private static Run find(PatternModel model, KeyRuns runs, Event event) {
    List<Run> candidates =
        model.key() == PatternModel.Key.SERIES
            ? runs.series.getOrDefault(event.seriesKey(), List.of())
            : runs.node;
    return candidates.stream()
        .filter(run -> run.pattern.equals(model.id()) && run.version == model.version())
        .findFirst()
        .orElse(null);
  }

  private static String afterStart(Traced pattern) {
    return pattern.states().get(pattern.start()).getStateTransitions().stream()
        .filter(t -> t.getAction() == StateTransitionAction.TAKE)
        .map(t -> t.getTargetState().getName())
        .findFirst()
        .orElseThrow();
  }

  private ObjectNode line(Traced pattern, Place place, Event event) throws Exception {
    ObjectNode line = Json.mapper().createObjectNode();
    line.put("pattern", pattern.model().id()).put("time", event.time());
    describe(event, line);
    line.put("state", NFAStateNameHandler.getOriginalNameFromInternal(place.state()));
    ObjectNode taken = line.putObject("taken");
    for (Map.Entry<String, List<Event>> step : place.taken().entrySet()) {
      ArrayNode times = taken.putArray(step.getKey());
      step.getValue().forEach(each -> times.add(each.time()));
    }
    Map<String, ObjectNode> wants = new LinkedHashMap<>();
    Map<String, ObjectNode> forbids = new LinkedHashMap<>();
    boolean loops =
        follow(pattern, pattern.states().get(place.state()), place, event, wants, forbids);
    line.put("strict", !loops);
    line.putArray("wants").addAll(wants.values());
    line.putArray("forbids").addAll(forbids.values());
    return line;
  }

  private static void describe(Event event, ObjectNode line) {
    if (event instanceof SampleEvent sample) {
      line.put("node", sample.series().node());
      line.put("peer", sample.series().key().peer());
      line.put("series", sample.series().key().metric() + labels(sample));
      line.put("value", sample.value());
    } else if (event instanceof GraphSight sight) {
      line.put("node", sight.node());
      line.put("peer", sight.peer());
      line.put("series", told(sight));
      if (sight.kind() == GraphSight.Kind.SILENT) {
        line.put("value", sight.source().value());
      }
    }
  }

  private static String told(GraphSight sight) {
    String kind = sight.kind().name().toLowerCase(Locale.ROOT);
    return switch (sight.kind()) {
      case SILENT -> kind;
      case EDGE -> kind + " of " + sight.peer();
      case MATCH, TIMEOUT -> kind + " of " + sight.source().pattern();
    };
  }

  private static String labels(SampleEvent sample) {
    Map<String, String> labels = sample.series().key().labelMap();
    return labels.isEmpty() ? "" : labels.toString();
  }

  /** Collects what the steps reachable from a state make of the event; whether one may wait. */
  private static boolean follow(
      Traced pattern,
      State<Event> state,
      Place place,
      Event event,
      Map<String, ObjectNode> wants,
      Map<String, ObjectNode> forbids)
      throws Exception {
    boolean loops = state.isStart();
    String step = NFAStateNameHandler.getOriginalNameFromInternal(state.getName());
    for (StateTransition<Event> edge : state.getStateTransitions()) {
      State<Event> target = edge.getTargetState();
      switch (edge.getAction()) {
        case TAKE -> {
          if (!wants.containsKey(step)) {
            wants.put(step, pattern.steps().get(step).look(event, place.taken()));
          }
        }
        case IGNORE -> loops = true;
        case PROCEED -> {
          String next = NFAStateNameHandler.getOriginalNameFromInternal(target.getName());
          if (target.isStop()) {
            forbids.put(next, pattern.steps().get(next).look(event, place.taken()));
          } else if (!target.equals(state)) {
            loops |= follow(pattern, target, place, event, wants, forbids);
          }
        }
      }
    }
    return loops;
  }
}
