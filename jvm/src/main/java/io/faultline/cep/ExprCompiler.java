package io.faultline.cep;

import io.faultline.cep.Expr.Comparison;
import io.faultline.cep.Expr.Const;
import io.faultline.cep.Expr.Type;
import java.io.Serializable;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;

/**
 * Turns a condition into closures over primitive values. A comparison with a side that is missing
 * (NaN, or a text that is null) is false and counted; nothing throws.
 */
final class ExprCompiler implements Serializable {
  /** A condition. */
  interface Test extends Serializable {
    boolean test(SampleEvent e, IterativeCondition.Context<SampleEvent> steps) throws Exception;
  }

  /** A number; NaN = missing. */
  interface Number extends Serializable {
    double of(SampleEvent e, IterativeCondition.Context<SampleEvent> steps) throws Exception;
  }

  /** A text; null = missing. */
  interface Text extends Serializable {
    @Nullable
    String of(SampleEvent e, IterativeCondition.Context<SampleEvent> steps) throws Exception;
  }

  private final PatternStats stats;

  /**
   * @param stats counts comparisons with something missing
   */
  ExprCompiler(PatternStats stats) {
    this.stats = stats;
  }

  Test test(Expr expr) {
    if (expr instanceof Expr.Compare compare) {
      return compare(compare);
    }
    if (expr instanceof Expr.And and) {
      return and(tests(and.args()));
    }
    if (expr instanceof Expr.Or or) {
      return or(tests(or.args()));
    }
    if (expr instanceof Expr.Not not) {
      Test arg = test(not.arg());
      return (e, s) -> !arg.test(e, s);
    }
    if (expr instanceof Expr.In in) {
      return in(in);
    }
    boolean constant = (Boolean) ((Const) expr).value();
    return (e, s) -> constant;
  }

  private Test[] tests(List<Expr> args) {
    return args.stream().map(this::test).toArray(Test[]::new);
  }

  private static Test and(Test[] all) {
    if (all.length == 2) {
      Test first = all[0];
      Test second = all[1];
      return (e, s) -> first.test(e, s) && second.test(e, s);
    }
    return (e, s) -> {
      for (Test one : all) {
        if (!one.test(e, s)) {
          return false;
        }
      }
      return true;
    };
  }

  private static Test or(Test[] any) {
    return (e, s) -> {
      for (Test one : any) {
        if (one.test(e, s)) {
          return true;
        }
      }
      return false;
    };
  }

  private Test compare(Expr.Compare compare) {
    Type left = compare.left().type();
    Type right = compare.right().type();
    if (left == Type.NOTHING || right == Type.NOTHING) {
      return presence(left == Type.NOTHING ? compare.right() : compare.left(), compare.op());
    }
    return switch (left) {
      case NUMBER -> numbers(compare);
      case TEXT -> texts(compare);
      default -> truths(compare);
    };
  }

  /** {@code x == null} and {@code x != null}: whether something is missing. */
  private Test presence(Expr expr, Comparison op) {
    boolean wanted = op == Comparison.EQ;
    return switch (expr.type()) {
      case NUMBER -> {
        Number number = number(expr);
        yield (e, s) -> Double.isNaN(number.of(e, s)) == wanted;
      }
      case TEXT -> {
        Text text = text(expr);
        yield (e, s) -> (text.of(e, s) == null) == wanted;
      }
      case TRUTH -> (e, s) -> !wanted;
      case NOTHING -> (e, s) -> wanted;
    };
  }

  private Test truths(Expr.Compare compare) {
    Test left = test(compare.left());
    Test right = test(compare.right());
    boolean same = compare.op() == Comparison.EQ;
    return (e, s) -> (left.test(e, s) == right.test(e, s)) == same;
  }

  private Test numbers(Expr.Compare compare) {
    Number left = number(compare.left());
    if (compare.right() instanceof Const constant) {
      return withConstant(compare.op(), left, (Double) constant.value());
    }
    Number right = number(compare.right());
    Comparison op = compare.op();
    return (e, s) -> {
      double a = left.of(e, s);
      double b = right.of(e, s);
      if (a != a || b != b) {
        return missing();
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
  private Test withConstant(Comparison op, Number left, double b) {
    return switch (op) {
      case EQ -> (e, s) -> present(left.of(e, s)) == b;
      case NE ->
          (e, s) -> {
            double a = left.of(e, s);
            return a != a ? missing() : a != b;
          };
      case LT -> (e, s) -> present(left.of(e, s)) < b;
      case LE -> (e, s) -> present(left.of(e, s)) <= b;
      case GT -> (e, s) -> present(left.of(e, s)) > b;
      case GE -> (e, s) -> present(left.of(e, s)) >= b;
    };
  }

  private double present(double value) {
    if (value != value) {
      stats.missing++;
    }
    return value;
  }

  private boolean missing() {
    stats.missing++;
    return false;
  }

  private Test texts(Expr.Compare compare) {
    Text left = text(compare.left());
    Text right = text(compare.right());
    Comparison op = compare.op();
    if (op == Comparison.EQ || op == Comparison.NE) {
      boolean same = op == Comparison.EQ;
      return (e, s) -> {
        String a = left.of(e, s);
        String b = right.of(e, s);
        return a == null || b == null ? missing() : a.equals(b) == same;
      };
    }
    return (e, s) -> {
      String a = left.of(e, s);
      String b = right.of(e, s);
      return a == null || b == null ? missing() : ordered(op, a.compareTo(b));
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

  private Test in(Expr.In in) {
    if (in.left().type() == Type.TEXT) {
      Text left = text(in.left());
      Set<String> choices = new HashSet<>();
      in.choices().forEach(c -> choices.add((String) c.value()));
      return (e, s) -> {
        String a = left.of(e, s);
        return a == null ? missing() : choices.contains(a);
      };
    }
    if (in.left().type() == Type.TRUTH) {
      Test left = test(in.left());
      Set<Object> choices = new HashSet<>();
      in.choices().forEach(c -> choices.add(c.value()));
      boolean hasTrue = choices.contains(Boolean.TRUE);
      boolean hasFalse = choices.contains(Boolean.FALSE);
      return (e, s) -> left.test(e, s) ? hasTrue : hasFalse;
    }
    Number left = number(in.left());
    double[] choices = in.choices().stream().mapToDouble(c -> (Double) c.value()).toArray();
    Arrays.sort(choices);
    return (e, s) -> Arrays.binarySearch(choices, present(left.of(e, s))) >= 0;
  }

  private Text text(Expr expr) {
    if (expr instanceof Expr.FieldOf of) {
      Field field = of.field();
      return (e, s) -> field.text(e);
    }
    if (expr instanceof Expr.Label label) {
      String name = label.name();
      return (e, s) -> e.series().key().label(name);
    }
    if (expr instanceof Expr.Aggregate aggregate) {
      return Aggregates.text(aggregate);
    }
    String constant = (String) ((Const) expr).value();
    return (e, s) -> constant;
  }

  private Number number(Expr expr) {
    if (expr instanceof Expr.FieldOf of) {
      return number(of.field());
    }
    if (expr instanceof Expr.Aggregate aggregate) {
      return Aggregates.number(aggregate);
    }
    if (expr instanceof Expr.Arithmetic arithmetic) {
      Number[] args = arithmetic.args().stream().map(this::number).toArray(Number[]::new);
      return Arithmetics.compile(arithmetic.op(), args);
    }
    double constant = (Double) ((Const) expr).value();
    return (e, s) -> constant;
  }

  private static Number number(Field field) {
    return switch (field) {
      case VALUE -> (e, s) -> e.value();
      case Z -> (e, s) -> e.z();
      case REL -> (e, s) -> e.rel();
      default -> (e, s) -> field.number(e);
    };
  }
}
