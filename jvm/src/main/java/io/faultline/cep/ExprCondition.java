package io.faultline.cep;

import org.apache.flink.cep.pattern.conditions.IterativeCondition;

/** A step's condition in the form that Flink's automaton asks. */
final class ExprCondition extends IterativeCondition<SampleEvent> {
  private final ExprCompiler.Test test;
  private final transient Selector selector;

  ExprCondition(Expr expr, PatternStats stats) {
    this.test = new ExprCompiler(stats).test(expr);
    this.selector = Selector.of(expr);
  }

  @Override
  public boolean filter(SampleEvent e, Context<SampleEvent> steps) throws Exception {
    return test.test(e, steps);
  }

  Selector selector() {
    return selector;
  }
}
