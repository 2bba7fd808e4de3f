package io.faultline.cep;

import javax.annotation.Nullable;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;

/** A step's condition in the form that Flink's automaton asks. */
final class ExprCondition extends IterativeCondition<Event> {
  private final ExprCompiler.Test test;
  private final Expr expr;

  /** Answers in place of the test, once per event; null where samples of steps are needed. */
  @Nullable private final transient Predicate shared;

  ExprCondition(Expr expr, ConditionCounts counts, @Nullable Predicate shared) {
    this.test = new ExprCompiler(counts).test(expr);
    this.expr = expr;
    this.shared = shared != null && shared.isExact() ? shared : null;
  }

  @Override
  public boolean filter(Event e, Context<Event> steps) throws Exception {
    return shared == null ? test.test(e, steps) : shared.mayHold(e);
  }

  Expr expr() {
    return expr;
  }
}
