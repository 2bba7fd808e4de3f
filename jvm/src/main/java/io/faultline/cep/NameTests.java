package io.faultline.cep;

import javax.annotation.Nullable;
import org.apache.flink.cep.pattern.conditions.BooleanConditions;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.apache.flink.cep.pattern.conditions.RichAndCondition;
import org.apache.flink.cep.pattern.conditions.RichNotCondition;
import org.apache.flink.cep.pattern.conditions.RichOrCondition;

/** Conditions of an automaton, decided by the name of an event alone. */
final class NameTests {
  private static final Class<?> ALWAYS = BooleanConditions.<Event>trueFunction().getClass();

  private NameTests() {}

  static boolean isAlways(@Nullable IterativeCondition<Event> condition) {
    return condition == null || condition.getClass() == ALWAYS;
  }

  /** Whether the condition holds for all events of this name, for none, or null: for some. */
  @Nullable
  static Boolean holds(@Nullable IterativeCondition<Event> condition, Name name) {
    if (isAlways(condition)) {
      return true;
    }
    if (condition instanceof ExprCondition expr) {
      return Exprs.constant(Exprs.under(expr.expr(), name.metric(), name.signal()));
    }
    if (condition instanceof RichNotCondition<Event> not) {
      Boolean inside = holds(not.getNestedConditions()[0], name);
      return inside == null ? null : !inside;
    }
    if (condition instanceof RichAndCondition<Event> and) {
      return joined(and.getNestedConditions(), name, false);
    }
    if (condition instanceof RichOrCondition<Event> or) {
      return joined(or.getNestedConditions(), name, true);
    }
    return null;
  }

  /**
   * @param decisive the side that decides alone
   */
  @Nullable
  private static Boolean joined(IterativeCondition<Event>[] nested, Name name, boolean decisive) {
    Boolean left = holds(nested[0], name);
    Boolean right = holds(nested[1], name);
    if ((left != null && left == decisive) || (right != null && right == decisive)) {
      return decisive;
    }
    return left == null || right == null ? null : !decisive;
  }
}
