package io.faultline.cep;

import static io.faultline.cep.Comparisons.missing;

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
 * Turns a condition into closures over primitive values. What is missing (NaN, or a text that is
 * null) makes a comparison neither true nor false: the condition is false, whether or not a {@code
 * not} is around it, and it is counted. Nothing throws.
 */
final class ExprCompiler implements Serializable {
  /** A condition. */
  interface Test extends Serializable {
    boolean test(Event e, IterativeCondition.Context<Event> steps) throws Exception;
  }

  /** A number; NaN = missing. */
  interface Number extends Serializable {
    double of(Event e, IterativeCondition.Context<Event> steps) throws Exception;
  }

  /** A text; null = missing. */
  interface Text extends Serializable {
    @Nullable
    String of(Event e, IterativeCondition.Context<Event> steps) throws Exception;
  }

  private final ConditionCounts counts;

  /**
   * @param counts what was missing or could not be computed
   */
  ExprCompiler(ConditionCounts counts) {
    this.counts = counts;
  }

  Test test(Expr expr) {
    return test(expr, true);
  }

  /**
   * @param wanted false = where the condition is false, for what stands under a {@code not}
   */
  private Test test(Expr expr, boolean wanted) {
    if (expr instanceof Expr.Compare compare) {
      return compare(compare, wanted);
    }
    if (expr instanceof Expr.And and) {
      return wanted ? all(tests(and.args(), true)) : any(tests(and.args(), false));
    }
    if (expr instanceof Expr.Or or) {
      return wanted ? any(tests(or.args(), true)) : all(tests(or.args(), false));
    }
    if (expr instanceof Expr.Not not) {
      return test(not.arg(), !wanted);
    }
    if (expr instanceof Expr.In in) {
      return in(in, wanted);
    }
    if (expr instanceof Expr.OfText of) {
      return ofText(of, wanted);
    }
    if (expr instanceof Expr.Reaches reaches) {
      return reaches(reaches, wanted);
    }
    return truth(expr, wanted);
  }

  /** A field, a step's field, or a constant that is true or false by itself. */
  private Test truth(Expr expr, boolean wanted) {
    if (expr instanceof Expr.FieldOf of) {
      Field field = of.field();
      return (e, s) -> is(field.truth(e), wanted);
    }
    if (expr instanceof Expr.Aggregate aggregate) {
      return Aggregates.truth(aggregate, wanted, counts);
    }
    boolean constant = (Boolean) ((Const) expr).value() == wanted;
    return (e, s) -> constant;
  }

  private boolean is(@Nullable Boolean value, boolean wanted) {
    return value == null ? missing(counts) : value == wanted;
  }

  private Test[] tests(List<Expr> args, boolean wanted) {
    return args.stream().map(arg -> test(arg, wanted)).toArray(Test[]::new);
  }

  private static Test all(Test[] all) {
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

  private static Test any(Test[] any) {
    return (e, s) -> {
      for (Test one : any) {
        if (one.test(e, s)) {
          return true;
        }
      }
      return false;
    };
  }

  private Test compare(Expr.Compare compare, boolean wanted) {
    Type left = compare.left().type();
    Type right = compare.right().type();
    Comparison op = wanted ? compare.op() : Comparisons.contrary(compare.op());
    if (left == Type.NOTHING || right == Type.NOTHING) {
      return presence(left == Type.NOTHING ? compare.right() : compare.left(), op);
    }
    return switch (left) {
      case NUMBER -> numbers(compare, op);
      case TEXT -> Comparisons.texts(op, text(compare.left()), text(compare.right()), counts);
      default -> truths(compare, op);
    };
  }

  private Test numbers(Expr.Compare compare, Comparison op) {
    Number left = number(compare.left());
    return compare.right() instanceof Const constant
        ? Comparisons.withConstant(op, left, (Double) constant.value(), counts)
        : Comparisons.numbers(op, left, number(compare.right()), counts);
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
      case TRUTH -> {
        Field field = expr instanceof Expr.FieldOf of ? of.field() : null;
        yield (e, s) -> (field != null && field.truth(e) == null) == wanted;
      }
      case NOTHING -> (e, s) -> wanted;
    };
  }

  private Test truths(Expr.Compare compare, Comparison op) {
    Test left = test(compare.left());
    Test notLeft = test(compare.left(), false);
    Test right = test(compare.right(), op == Comparison.EQ);
    Test notRight = test(compare.right(), op != Comparison.EQ);
    return (e, s) ->
        (left.test(e, s) && right.test(e, s)) || (notLeft.test(e, s) && notRight.test(e, s));
  }

  private Test in(Expr.In in, boolean wanted) {
    if (in.left().type() == Type.TEXT) {
      Text left = text(in.left());
      Set<String> choices = new HashSet<>();
      in.choices().forEach(c -> choices.add((String) c.value()));
      return (e, s) -> {
        String a = left.of(e, s);
        return a == null ? missing(counts) : choices.contains(a) == wanted;
      };
    }
    if (in.left().type() == Type.TRUTH) {
      List<Expr> same =
          in.choices().stream()
              .map(c -> (Expr) new Expr.Compare(Comparison.EQ, in.left(), c))
              .toList();
      return test(new Expr.Or(same), wanted);
    }
    Number left = number(in.left());
    double[] choices = in.choices().stream().mapToDouble(c -> (Double) c.value()).toArray();
    Arrays.sort(choices);
    return (e, s) -> {
      double a = left.of(e, s);
      return a != a ? missing(counts) : (Arrays.binarySearch(choices, a) >= 0) == wanted;
    };
  }

  private Test ofText(Expr.OfText of, boolean wanted) {
    Text text = text(of.text());
    Text looked = text(of.wanted());
    Expr.TextOp op = of.op();
    return (e, s) -> {
      String a = text.of(e, s);
      String b = looked.of(e, s);
      if (a == null || b == null) {
        return missing(counts);
      }
      return switch (op) {
        case STARTSWITH -> a.startsWith(b) == wanted;
        case ENDSWITH -> a.endsWith(b) == wanted;
        default -> a.contains(b) == wanted;
      };
    };
  }

  private Test reaches(Expr.Reaches reaches, boolean wanted) {
    Text caller = text(reaches.caller());
    Text callee = text(reaches.callee());
    boolean direct = reaches.direct();
    return (e, s) -> {
      String a = caller.of(e, s);
      String b = callee.of(e, s);
      if (a == null || b == null) {
        return missing(counts);
      }
      Calls calls = ((GraphSight) e).calls();
      return (direct ? calls.calls(a, b) : calls.reaches(a, b)) == wanted;
    };
  }

  Text text(Expr expr) {
    if (expr instanceof Expr.FieldOf of) {
      Field field = of.field();
      return (e, s) -> field.text(e);
    }
    if (expr instanceof Expr.Label label) {
      String name = label.name();
      return (e, s) -> ((SampleEvent) e).series().key().label(name);
    }
    if (expr instanceof Expr.Aggregate aggregate) {
      return Aggregates.text(aggregate);
    }
    if (expr instanceof Expr.OfText of) {
      return Texts.form(of.op(), text(of.text()));
    }
    String constant = (String) ((Const) expr).value();
    return (e, s) -> constant;
  }

  Number number(Expr expr) {
    if (expr instanceof Expr.FieldOf of) {
      return of.field().reader();
    }
    if (expr instanceof Expr.Aggregate aggregate) {
      return Aggregates.number(aggregate);
    }
    if (expr instanceof Expr.Arithmetic arithmetic) {
      Number[] args = arithmetic.args().stream().map(this::number).toArray(Number[]::new);
      return Arithmetics.compile(arithmetic.op(), args, counts);
    }
    double constant = (Double) ((Const) expr).value();
    return (e, s) -> constant;
  }
}
