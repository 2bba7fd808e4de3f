package io.faultline.cep;

import io.faultline.cep.Expr.Comparison;
import io.faultline.cep.Expr.Const;
import io.faultline.records.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/** What is known of a condition without an event, or with its metric and signal only. */
final class Exprs {
  private static final Expr TRUE = new Const(true);
  private static final Expr FALSE = new Const(false);

  private Exprs() {}

  /** Whether the condition looks at the samples of a step. */
  static boolean asksSteps(Expr expr) {
    if (expr instanceof Expr.Aggregate) {
      return true;
    }
    return parts(expr).stream().anyMatch(Exprs::asksSteps);
  }

  /** Whether the expression looks at the event at hand. */
  static boolean asksEvent(Expr expr) {
    boolean own =
        expr instanceof Expr.FieldOf || expr instanceof Expr.Label || expr instanceof Expr.Reaches;
    return own || parts(expr).stream().anyMatch(Exprs::asksEvent);
  }

  static List<Expr> parts(Expr expr) {
    if (expr instanceof Expr.And and) {
      return and.args();
    }
    if (expr instanceof Expr.Or or) {
      return or.args();
    }
    if (expr instanceof Expr.Arithmetic arithmetic) {
      return arithmetic.args();
    }
    if (expr instanceof Expr.Not not) {
      return List.of(not.arg());
    }
    if (expr instanceof Expr.Compare compare) {
      return List.of(compare.left(), compare.right());
    }
    if (expr instanceof Expr.In in) {
      return List.of(in.left());
    }
    if (expr instanceof Expr.OfText of) {
      return of.wanted() == null ? List.of(of.text()) : List.of(of.text(), of.wanted());
    }
    return expr instanceof Expr.Reaches reaches
        ? List.of(reaches.caller(), reaches.callee())
        : List.of();
  }

  /** The constant truth that the condition has become, or null. */
  @Nullable
  static Boolean constant(Expr expr) {
    return expr instanceof Const c && c.value() instanceof Boolean truth ? truth : null;
  }

  /** What is left of a condition for samples of this metric and signal. */
  static Expr under(Expr expr, String metric, Signal signal) {
    if (expr instanceof Expr.And and) {
      return joined(and.args(), metric, signal, true);
    }
    if (expr instanceof Expr.Or or) {
      return joined(or.args(), metric, signal, false);
    }
    if (expr instanceof Expr.Not not) {
      Expr arg = under(not.arg(), metric, signal);
      Boolean known = constant(arg);
      return known == null ? new Expr.Not(arg) : truth(!known);
    }
    if (expr instanceof Expr.Compare compare) {
      return compare(compare, metric, signal);
    }
    if (expr instanceof Expr.In in) {
      String name = name(in.left(), metric, signal);
      return name == null ? in : truth(in.choices().stream().anyMatch(c -> name.equals(c.value())));
    }
    return expr instanceof Expr.OfText of ? ofText(of, metric, signal) : expr;
  }

  private static Expr joined(List<Expr> args, String metric, Signal signal, boolean and) {
    List<Expr> left = new ArrayList<>();
    for (Expr arg : args) {
      Expr one = under(arg, metric, signal);
      Boolean known = constant(one);
      if (known == null) {
        left.add(one);
      } else if (known != and) {
        return truth(known);
      }
    }
    if (left.size() < 2) {
      return left.isEmpty() ? truth(and) : left.get(0);
    }
    return and ? new Expr.And(List.copyOf(left)) : new Expr.Or(List.copyOf(left));
  }

  private static Expr compare(Expr.Compare compare, String metric, Signal signal) {
    boolean equality = compare.op() == Comparison.EQ || compare.op() == Comparison.NE;
    String left = name(compare.left(), metric, signal);
    String right = name(compare.right(), metric, signal);
    Expr other = left != null ? compare.right() : compare.left();
    String name = left != null ? left : right;
    if (!equality
        || name == null
        || !(other instanceof Const c)
        || !(c.value() instanceof String)) {
      return compare;
    }
    return truth(name.equals(c.value()) == (compare.op() == Comparison.EQ));
  }

  private static Expr ofText(Expr.OfText of, String metric, Signal signal) {
    String name = name(of.text(), metric, signal);
    if (name == null
        || !(of.wanted() instanceof Const c)
        || !(c.value() instanceof String wanted)) {
      return of;
    }
    Predicate<String> test =
        switch (of.op()) {
          case STARTSWITH -> name::startsWith;
          case ENDSWITH -> name::endsWith;
          default -> name::contains;
        };
    return truth(test.test(wanted));
  }

  /** The value of a field that metric and signal decide, or null. */
  @Nullable
  private static String name(Expr expr, String metric, Signal signal) {
    if (!(expr instanceof Expr.FieldOf of)) {
      return null;
    }
    if (of.field() == SampleField.METRIC) {
      return metric;
    }
    return of.field() == SampleField.SIGNAL ? signal.wireName() : null;
  }

  private static Expr truth(boolean value) {
    return value ? TRUE : FALSE;
  }
}
