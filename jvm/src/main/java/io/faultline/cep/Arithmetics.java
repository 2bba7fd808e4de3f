package io.faultline.cep;

import io.faultline.cep.Expr.Op;
import io.faultline.cep.ExprCompiler.Number;
import java.util.function.DoubleUnaryOperator;

/** Arithmetic as Python has it, but that what Python refuses to compute is missing: NaN. */
final class Arithmetics {
  private Arithmetics() {}

  static Number compile(Op op, Number[] args, ConditionCounts counts) {
    Number a = args[0];
    return switch (op) {
      case NEGATE -> (e, s) -> -a.of(e, s);
      case ABS -> (e, s) -> Math.abs(a.of(e, s));
      case LOG -> (e, s) -> known(a.of(e, s), Arithmetics::log, counts);
      case SQRT -> (e, s) -> known(a.of(e, s), Math::sqrt, counts);
      case DIVIDE, REMAINDER -> divide(op, a, args[1], counts);
      default -> fold(op, args);
    };
  }

  /** A function of one number, counted where it is not defined. */
  private static double known(double a, DoubleUnaryOperator function, ConditionCounts counts) {
    double out = function.applyAsDouble(a);
    if (out != out && a == a) {
      counts.undefined++;
    }
    return out;
  }

  private static Number divide(Op op, Number left, Number right, ConditionCounts counts) {
    boolean whole = op == Op.REMAINDER;
    return (e, s) -> {
      double a = left.of(e, s);
      double b = right.of(e, s);
      if (b == 0) {
        counts.undefined++;
        return Double.NaN;
      }
      return whole ? remainder(a, b) : a / b;
    };
  }

  private static Number fold(Op op, Number[] args) {
    if (args.length == 2) {
      Number a = args[0];
      Number b = args[1];
      return (e, s) -> apply(op, a.of(e, s), b.of(e, s));
    }
    return (e, s) -> {
      double out = args[0].of(e, s);
      for (int i = 1; i < args.length; i++) {
        out = apply(op, out, args[i].of(e, s));
      }
      return out;
    };
  }

  private static double apply(Op op, double a, double b) {
    return switch (op) {
      case ADD -> a + b;
      case SUBTRACT -> a - b;
      case MULTIPLY -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      default -> throw new IllegalStateException(op + " is not folded");
    };
  }

  /** The sign is the divisor's. */
  private static double remainder(double a, double b) {
    double r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
  }

  private static double log(double a) {
    return a > 0 ? Math.log(a) : Double.NaN;
  }
}
