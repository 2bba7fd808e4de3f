package io.faultline.cep;

import io.faultline.cep.Expr.Op;
import io.faultline.cep.ExprCompiler.Number;

/** Arithmetic as Python has it, but that what Python refuses to compute is missing: NaN. */
final class Arithmetics {
  private Arithmetics() {}

  static Number compile(Op op, Number[] args) {
    Number a = args[0];
    return switch (op) {
      case NEGATE -> (e, s) -> -a.of(e, s);
      case ABS -> (e, s) -> Math.abs(a.of(e, s));
      case LOG -> (e, s) -> log(a.of(e, s));
      case SQRT -> (e, s) -> Math.sqrt(a.of(e, s));
      default -> fold(op, args);
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
      case DIVIDE -> b == 0 ? Double.NaN : a / b;
      case REMAINDER -> remainder(a, b);
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      default -> throw new IllegalStateException(op + " takes one number");
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
