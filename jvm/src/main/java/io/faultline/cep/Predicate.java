package io.faultline.cep;

import javax.annotation.Nullable;

/**
 * A condition that patterns have in common: tested once per event, whoever asks. One that looks at
 * the samples of a step may hold where it cannot be decided without them.
 */
final class Predicate {
  private final Dictionary dictionary;
  private final ExprCompiler.Test test;
  @Nullable private final Boolean constant;
  private final boolean exact;
  private long at = -1;
  private boolean held;

  Predicate(Dictionary dictionary, Expr expr, ConditionCounts counts) {
    this.dictionary = dictionary;
    this.test = new ExprCompiler(counts).test(expr);
    this.constant = Exprs.constant(expr);
    this.exact = !Exprs.asksSteps(expr);
  }

  /** Whether it never holds, whatever the event. */
  boolean isNever() {
    return constant != null && !constant;
  }

  /** Whether it needs no samples of steps: {@link #mayHold} is then whether it holds. */
  boolean isExact() {
    return exact;
  }

  /** False where it does not hold for the event at hand. */
  boolean mayHold(Event e) throws Exception {
    if (at != dictionary.moment()) {
      held = ask(e);
      at = dictionary.moment();
    }
    return held;
  }

  private boolean ask(Event e) throws Exception {
    if (exact) {
      return test.test(e, NoSteps.INSTANCE);
    }
    try {
      return test.test(e, NoSteps.INSTANCE);
    } catch (NoSteps.Asked asked) {
      return true;
    }
  }
}
