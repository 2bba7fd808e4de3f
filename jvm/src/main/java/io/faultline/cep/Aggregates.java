package io.faultline.cep;

import io.faultline.cep.Expr.Aggregate;
import io.faultline.cep.ExprCompiler.Number;
import io.faultline.cep.ExprCompiler.Test;
import io.faultline.cep.ExprCompiler.Text;
import javax.annotation.Nullable;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;

/**
 * Values over the samples that a step holds so far. Missing values are left out; over no value at
 * all, count and sum are 0 and the rest is missing. The deviation is the population's.
 */
final class Aggregates {
  private Aggregates() {}

  static Text text(Aggregate aggregate) {
    Field field = aggregate.field();
    boolean first = aggregate.fold() == Expr.Fold.FIRST;
    String step = aggregate.step();
    return (e, s) -> {
      Event end = end(s, step, first);
      return end == null ? null : field.text(end);
    };
  }

  static Test truth(Aggregate aggregate, boolean wanted, ConditionCounts counts) {
    Field field = aggregate.field();
    boolean first = aggregate.fold() == Expr.Fold.FIRST;
    String step = aggregate.step();
    return (e, s) -> {
      Event end = end(s, step, first);
      Boolean value = end == null ? null : field.truth(end);
      return value == null ? Comparisons.missing(counts) : value == wanted;
    };
  }

  static Number number(Aggregate aggregate) {
    Field field = aggregate.field();
    String step = aggregate.step();
    return switch (aggregate.fold()) {
      case FIRST -> (e, s) -> number(end(s, step, true), field);
      case LAST -> (e, s) -> number(end(s, step, false), field);
      case COUNT -> (e, s) -> count(s, step);
      case AVG -> (e, s) -> of(s, step, field).mean();
      case MIN -> (e, s) -> of(s, step, field).min;
      case MAX -> (e, s) -> of(s, step, field).max;
      case SUM -> (e, s) -> of(s, step, field).sum;
      case STDDEV -> (e, s) -> of(s, step, field).deviation();
    };
  }

  private static double number(@Nullable Event e, Field field) {
    return e == null ? Double.NaN : field.number(e);
  }

  @Nullable
  static Event end(IterativeCondition.Context<Event> steps, String step, boolean first)
      throws Exception {
    Event last = null;
    for (Event e : steps.getEventsForPattern(step)) {
      if (first) {
        return e;
      }
      last = e;
    }
    return last;
  }

  private static double count(IterativeCondition.Context<Event> steps, String step)
      throws Exception {
    int n = 0;
    for (Event e : steps.getEventsForPattern(step)) {
      n += e == null ? 0 : 1;
    }
    return n;
  }

  private static Moments of(IterativeCondition.Context<Event> steps, String step, Field field)
      throws Exception {
    Moments moments = new Moments();
    for (Event e : steps.getEventsForPattern(step)) {
      moments.add(field.number(e));
    }
    return moments;
  }

  /** Running moments (Welford), so that large values do not cancel. */
  private static final class Moments {
    private int n;
    private double sum;
    private double average;
    private double squares;
    private double min = Double.NaN;
    private double max = Double.NaN;

    void add(double value) {
      if (Double.isNaN(value)) {
        return;
      }
      min = n == 0 ? value : Math.min(min, value);
      max = n == 0 ? value : Math.max(max, value);
      n++;
      sum += value;
      double distance = value - average;
      average += distance / n;
      squares += distance * (value - average);
    }

    double mean() {
      return n == 0 ? Double.NaN : average;
    }

    double deviation() {
      return n == 0 ? Double.NaN : Math.sqrt(squares / n);
    }
  }
}
