package io.faultline.cep;

import io.faultline.cep.Expr.Comparison;
import io.faultline.cep.ExprCompiler.Number;
import io.faultline.cep.ExprCompiler.Test;
import io.faultline.cep.ExprCompiler.Text;

/** Closures of comparisons: false and counted where a side is missing. */
final class Comparisons {
  private Comparisons() {}

  /** What holds where the comparison does not, both sides being there. */
  static Comparison contrary(Comparison op) {
    return switch (op) {
      case EQ -> Comparison.NE;
      case NE -> Comparison.EQ;
      case LT -> Comparison.GE;
      case LE -> Comparison.GT;
      case GT -> Comparison.LE;
      case GE -> Comparison.LT;
    };
  }

  static Test numbers(Comparison op, Number left, Number right, ConditionCounts counts) {
    return (e, s) -> {
      double a = left.of(e, s);
      double b = right.of(e, s);
      if (a != a || b != b) {
        return missing(counts);
      }
      return switch (op) {
        case EQ -> a == b;
        case NE -> a != b;
        case LT -> a < b;
        case LE -> a <= b;
        case GT -> a > b;
        case GE -> a >= b;
      };
    };
  }

  /** The common form, without a switch on the way. */
  static Test withConstant(Comparison op, Number left, double b, ConditionCounts counts) {
    return switch (op) {
      case EQ -> (e, s) -> present(left.of(e, s), counts) == b;
      case NE ->
          (e, s) -> {
            double a = left.of(e, s);
            return a != a ? missing(counts) : a != b;
          };
      case LT -> (e, s) -> present(left.of(e, s), counts) < b;
      case LE -> (e, s) -> present(left.of(e, s), counts) <= b;
      case GT -> (e, s) -> present(left.of(e, s), counts) > b;
      case GE -> (e, s) -> present(left.of(e, s), counts) >= b;
    };
  }

  static Test texts(Comparison op, Text left, Text right, ConditionCounts counts) {
    if (op == Comparison.EQ || op == Comparison.NE) {
      boolean same = op == Comparison.EQ;
      return (e, s) -> {
        String a = left.of(e, s);
        String b = right.of(e, s);
        return a == null || b == null ? missing(counts) : a.equals(b) == same;
      };
    }
    return (e, s) -> {
      String a = left.of(e, s);
      String b = right.of(e, s);
      return a == null || b == null ? missing(counts) : ordered(op, a.compareTo(b));
    };
  }

  private static boolean ordered(Comparison op, int order) {
    return switch (op) {
      case LT -> order < 0;
      case LE -> order <= 0;
      case GT -> order > 0;
      case GE -> order >= 0;
      default -> throw new IllegalStateException(op + " is no order");
    };
  }

  static double present(double value, ConditionCounts counts) {
    if (value != value) {
      counts.missing++;
    }
    return value;
  }

  static boolean missing(ConditionCounts counts) {
    counts.missing++;
    return false;
  }
}
