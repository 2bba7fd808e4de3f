package io.faultline.cep;

import io.faultline.cep.PatternModel.Step;
import io.faultline.config.Json;
import java.util.Locale;
import javax.annotation.Nullable;
import org.apache.flink.cep.nfa.State;
import org.apache.flink.cep.nfa.StateTransition;
import org.apache.flink.cep.nfa.compiler.NFAStateNameHandler;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.apache.flink.cep.pattern.conditions.RichAndCondition;
import org.apache.flink.cep.pattern.conditions.RichNotCondition;
import org.apache.flink.cep.pattern.conditions.RichOrCondition;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A pattern's automaton as JSON, as Flink's compiler made it: {@code states} with name, step and
 * type, {@code edges} with from, to, action and a condition, which is null for always, {@code
 * {"where": step}}, {@code {"until": step}}, or {@code not}, {@code and}, {@code or} of such.
 */
public final class AutomatonJson {
  private final PatternModel model;

  private AutomatonJson(PatternModel model) {
    this.model = model;
  }

  /** Throws {@link PatternRefusedException} where Flink refuses the pattern. */
  public static ObjectNode of(PatternModel model) throws PatternRefusedException {
    return new AutomatonJson(model).describe(CompiledPattern.of(model, true));
  }

  private ObjectNode describe(CompiledPattern compiled) {
    ObjectNode out = Json.mapper().createObjectNode().put("pattern", model.id());
    ArrayNode states = out.putArray("states");
    ArrayNode edges = out.putArray("edges");
    for (State<Event> state : compiled.nfa().getStates()) {
      String name = state.getName();
      states
          .addObject()
          .put("name", name)
          .put("step", NFAStateNameHandler.getOriginalNameFromInternal(name))
          .put("type", state.getStateType().name().toLowerCase(Locale.ROOT));
      for (StateTransition<Event> edge : state.getStateTransitions()) {
        ObjectNode told = edges.addObject().put("from", name);
        told.put("to", edge.getTargetState().getName());
        told.put("action", edge.getAction().name().toLowerCase(Locale.ROOT));
        told.set("when", condition(edge.getCondition()));
      }
    }
    return out;
  }

  @Nullable
  private ObjectNode condition(@Nullable IterativeCondition<Event> condition) {
    ObjectNode out = Json.mapper().createObjectNode();
    if (NameTests.isAlways(condition)) {
      return null;
    }
    if (condition instanceof ExprCondition expr) {
      return leaf(expr.expr());
    }
    if (condition instanceof RichNotCondition<Event> not) {
      out.set("not", condition(not.getNestedConditions()[0]));
      return out;
    }
    if (condition instanceof RichAndCondition<Event> and) {
      return joined(out.putArray("and"), and.getNestedConditions(), out);
    }
    if (condition instanceof RichOrCondition<Event> or) {
      return joined(out.putArray("or"), or.getNestedConditions(), out);
    }
    return out.put("other", condition.getClass().getSimpleName());
  }

  private ObjectNode joined(ArrayNode list, IterativeCondition<Event>[] nested, ObjectNode out) {
    for (IterativeCondition<Event> one : nested) {
      list.add(condition(one));
    }
    return out;
  }

  private ObjectNode leaf(Expr expr) {
    ObjectNode out = Json.mapper().createObjectNode();
    for (Step step : model.steps()) {
      if (expr.equals(step.where())) {
        return out.put("where", step.name());
      }
      if (expr.equals(step.repeat().until())) {
        return out.put("until", step.name());
      }
    }
    return out.put("other", "until of a group");
  }
}
