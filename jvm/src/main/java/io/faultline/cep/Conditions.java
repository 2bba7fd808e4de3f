package io.faultline.cep;

/** Makes the conditions of one pattern's automaton. */
interface Conditions {
  ExprCondition of(Expr expr);

  /** Conditions that share nothing. */
  static Conditions plain() {
    return expr -> new ExprCondition(expr, new ConditionCounts(), null);
  }

  /** Conditions that are tested once per event, whichever pattern asks. */
  static Conditions shared(Dictionary dictionary, PatternStats stats) {
    return expr -> {
      ConditionCounts counts = new ConditionCounts();
      stats.count(counts);
      return new ExprCondition(expr, counts, dictionary.of(expr, stats));
    };
  }
}
