package io.faultline.cep;

import io.faultline.cep.Expr.Aggregate;
import io.faultline.cep.Expr.Fold;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * One value of a match of plain rows, such as {@code last(peak).value}: an expression over the rows
 * that the steps took. A field of a row comes out as it is; else numbers are doubles, counts longs.
 * What is missing is null.
 */
public final class MatchColumn {
  private final TypeInformation<?> type;
  private final Value value;

  private interface Value {
    @Nullable
    Object of(IterativeCondition.Context<Event> steps) throws Exception;
  }

  private MatchColumn(TypeInformation<?> type, Value value) {
    this.type = type;
    this.value = value;
  }

  /**
   * @param json the tree of an expression
   * @param types of the fields of the rows
   */
  public static MatchColumn read(
      JsonNode json, PatternModel pattern, Function<String, TypeInformation<?>> types)
      throws PatternRefusedException {
    List<String> steps =
        pattern.steps().stream()
            .filter(step -> !step.repeat().contiguity().isNegative())
            .map(PatternModel.Step::name)
            .toList();
    Expr expr = new ExprReader(steps, new RowVocabulary(pattern.fields())).value(json);
    if (Exprs.asksEvent(expr)) {
      throw new PatternRefusedException("a field without its step: " + json);
    }
    if (expr instanceof Aggregate end && (end.fold() == Fold.FIRST || end.fold() == Fold.LAST)) {
      return ofEnd(end, types);
    }
    return computed(expr);
  }

  private static MatchColumn ofEnd(Aggregate end, Function<String, TypeInformation<?>> types) {
    boolean first = end.fold() == Fold.FIRST;
    String step = end.step();
    if (end.field() == RowVocabulary.EventTime.INSTANCE) {
      return new MatchColumn(
          Types.LONG, steps -> mapped(Aggregates.end(steps, step, first), Event::time));
    }
    String field = end.field().wireName();
    return new MatchColumn(
        types.apply(field),
        steps -> mapped(Aggregates.end(steps, step, first), e -> ((RowEvent) e).value(field)));
  }

  @Nullable
  private static Object mapped(@Nullable Event event, Function<Event, Object> value) {
    return event == null ? null : value.apply(event);
  }

  private static MatchColumn computed(Expr expr) {
    ExprCompiler compiler = new ExprCompiler(new ConditionCounts());
    return switch (expr.type()) {
      case NUMBER -> {
        ExprCompiler.Number number = compiler.number(expr);
        yield expr instanceof Aggregate a && a.fold() == Fold.COUNT
            ? new MatchColumn(Types.LONG, steps -> (long) number.of(null, steps))
            : new MatchColumn(Types.DOUBLE, steps -> finite(number.of(null, steps)));
      }
      case TEXT -> {
        ExprCompiler.Text text = compiler.text(expr);
        yield new MatchColumn(Types.STRING, steps -> text.of(null, steps));
      }
      default -> {
        ExprCompiler.Test test = compiler.test(expr);
        yield new MatchColumn(Types.BOOLEAN, steps -> test.test(null, steps));
      }
    };
  }

  @Nullable
  private static Double finite(double number) {
    return Double.isFinite(number) ? number : null;
  }

  public TypeInformation<?> type() {
    return type;
  }

  /**
   * @param rows by step, in the order in which they were taken; steps that took none may be absent
   */
  @Nullable
  public Object of(Map<String, List<Event>> rows) {
    try {
      return value.of(new Taken(rows));
    } catch (Exception e) {
      throw new IllegalStateException("a column of a match could not be computed", e);
    }
  }

  /** The rows of a match as expressions ask for them. */
  private record Taken(Map<String, List<Event>> rows) implements IterativeCondition.Context<Event> {
    @Override
    public Iterable<Event> getEventsForPattern(String name) {
      return Objects.requireNonNullElse(rows.get(name), List.of());
    }

    @Override
    public long timestamp() {
      throw new IllegalStateException("a column asks for steps only");
    }

    @Override
    public long currentProcessingTime() {
      throw new IllegalStateException("a column asks for steps only");
    }
  }
}
