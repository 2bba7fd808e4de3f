package io.faultline.cep;

import io.faultline.records.Signal;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * The series on which a condition can be true at all: an index hint, never too narrow.
 *
 * @param metrics null = any
 * @param signals wire names, null = any
 */
record Selector(@Nullable Set<String> metrics, @Nullable Set<String> signals) {
  static final Selector ANY = new Selector(null, null);

  /** Derived from the conjuncts and alternatives of a condition; null = no condition. */
  static Selector of(@Nullable Expr expr) {
    if (expr instanceof Expr.And and) {
      return and.args().stream().map(Selector::of).reduce(ANY, Selector::and);
    }
    if (expr instanceof Expr.Or or) {
      return or.args().stream().map(Selector::of).reduce(Selector::or).orElse(ANY);
    }
    if (expr instanceof Expr.Compare compare && compare.op() == Expr.Comparison.EQ) {
      Selector left = named(compare.left(), List.of(compare.right()));
      return left == ANY ? named(compare.right(), List.of(compare.left())) : left;
    }
    if (expr instanceof Expr.In in) {
      return named(in.left(), List.copyOf(in.choices()));
    }
    return ANY;
  }

  private static Selector named(Expr side, List<Expr> values) {
    if (!(side instanceof Expr.FieldOf of)) {
      return ANY;
    }
    Set<String> names = new HashSet<>();
    for (Expr value : values) {
      if (!(value instanceof Expr.Const constant) || !(constant.value() instanceof String name)) {
        return ANY;
      }
      names.add(name);
    }
    return switch (of.field()) {
      case METRIC -> new Selector(names, null);
      case SIGNAL -> new Selector(null, names);
      default -> ANY;
    };
  }

  Selector and(Selector other) {
    return new Selector(both(metrics, other.metrics), both(signals, other.signals));
  }

  Selector or(Selector other) {
    return new Selector(either(metrics, other.metrics), either(signals, other.signals));
  }

  @Nullable
  private static Set<String> both(@Nullable Set<String> a, @Nullable Set<String> b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    Set<String> out = new HashSet<>(a);
    out.retainAll(b);
    return out;
  }

  @Nullable
  private static Set<String> either(@Nullable Set<String> a, @Nullable Set<String> b) {
    if (a == null || b == null) {
      return null;
    }
    Set<String> out = new HashSet<>(a);
    out.addAll(b);
    return out;
  }

  boolean accepts(String metric, Signal signal) {
    return (metrics == null || metrics.contains(metric))
        && (signals == null || signals.contains(signal.wireName()));
  }
}
