package io.faultline.cep;

import io.faultline.cep.PatternModel.Step;
import io.faultline.config.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What one step makes of an event, part by part: which parts of its condition fail, and the values
 * that they saw. For people; no automaton asks it.
 */
final class StepCheck {
  private final String step;
  @Nullable private final Expr until;
  private final List<Expr> parts = new ArrayList<>();
  private final ExprCompiler compiler = new ExprCompiler(new ConditionCounts());

  StepCheck(Step step) {
    this.step = step.name();
    this.until = step.repeat().until();
    if (step.where() != null) {
      flatten(step.where());
    }
  }

  /** The parts that must all hold, in the order in which they are written. */
  private void flatten(Expr where) {
    if (where instanceof Expr.And and) {
      and.args().forEach(this::flatten);
    } else {
      parts.add(where);
    }
  }

  /**
   * @param taken the samples of each step so far
   * @return step, holds, fails: [{part, seen}] and, where it ends a loop, until
   */
  ObjectNode look(Event event, Map<String, List<Event>> taken) throws Exception {
    Steps steps = new Steps(event, taken);
    ObjectNode out = Json.mapper().createObjectNode().put("step", step);
    ArrayNode fails = Json.mapper().createArrayNode();
    for (int i = 0; i < parts.size(); i++) {
      if (!compiler.test(parts.get(i)).test(event, steps)) {
        ObjectNode failed = fails.addObject().put("part", i);
        show(parts.get(i), event, steps, failed.putArray("seen"));
      }
    }
    out.put("holds", fails.isEmpty());
    out.set("fails", fails);
    if (until != null && compiler.test(until).test(event, steps)) {
      out.put("until", true);
    }
    return out;
  }

  /** The values of what a condition looks at, in the order in which it is written. */
  private void show(Expr expr, Event event, Steps steps, ArrayNode seen) throws Exception {
    if (expr instanceof Expr.FieldOf
        || expr instanceof Expr.Label
        || expr instanceof Expr.Aggregate) {
      leaf(expr, event, steps, seen);
      return;
    }
    for (Expr part : Exprs.parts(expr)) {
      show(part, event, steps, seen);
    }
  }

  private void leaf(Expr expr, Event event, Steps steps, ArrayNode seen) throws Exception {
    switch (expr.type()) {
      case NUMBER -> {
        double number = compiler.number(expr).of(event, steps);
        if (Double.isFinite(number)) {
          seen.add(number);
        } else {
          seen.addNull();
        }
      }
      case TEXT -> seen.add(compiler.text(expr).of(event, steps));
      default -> seen.add(compiler.test(expr).test(event, steps));
    }
  }

  /** The samples of earlier steps. */
  private record Steps(Event event, Map<String, List<Event>> taken)
      implements IterativeCondition.Context<Event> {
    @Override
    public Iterable<Event> getEventsForPattern(String name) {
      return taken.getOrDefault(name, List.of());
    }

    @Override
    public long timestamp() {
      return event.time();
    }

    @Override
    public long currentProcessingTime() {
      throw new IllegalStateException("a pattern asked for processing time");
    }
  }
}
