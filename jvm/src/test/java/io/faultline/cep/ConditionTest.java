package io.faultline.cep;

import static io.faultline.cep.Patterns.agg;
import static io.faultline.cep.Patterns.and;
import static io.faultline.cep.Patterns.constant;
import static io.faultline.cep.Patterns.count;
import static io.faultline.cep.Patterns.field;
import static io.faultline.cep.Patterns.is;
import static io.faultline.cep.Patterns.json;
import static io.faultline.cep.Patterns.math;
import static io.faultline.cep.Patterns.op;
import static io.faultline.cep.Patterns.or;
import static io.faultline.cep.Patterns.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What conditions mean, and which are refused. */
class ConditionTest {
  private static final SeriesRef SERIES =
      new SeriesRef(
          "shop",
          "cart",
          new SeriesKey(
              "cpu_usage",
              SeriesKey.canonical(Map.of("pod", "cart-1")),
              null,
              Side.UNSAID,
              Kind.GAUGE,
              null,
              null),
          Signal.CPU,
          "%");
  private static final double NONE = Double.NaN;

  private final ConditionCounts counts = new ConditionCounts();
  private final List<Event> earlier = new ArrayList<>();

  /** value 7, z missing, baseline 5, spread 2, delta 2, rel 0.3. */
  private final SampleEvent event = new SampleEvent().set(SERIES, 1000, 7, NONE, 5, 2, 2, 0.3);

  private boolean holds(String condition) throws Exception {
    Expr expr = new ExprReader(List.of("s"), Vocabulary.SAMPLE).condition(json(condition));
    return new ExprCondition(expr, counts, null).filter(event, new Earlier());
  }

  /** The samples of step s. */
  private final class Earlier implements IterativeCondition.Context<Event> {
    @Override
    public Iterable<Event> getEventsForPattern(String name) {
      assertEquals("s", name);
      return earlier;
    }

    @Override
    public long timestamp() {
      return 0;
    }

    @Override
    public long currentProcessingTime() {
      return 0;
    }
  }

  private void earlier(double... values) {
    for (int i = 0; i < values.length; i++) {
      earlier.add(new SampleEvent().set(SERIES, i, values[i]));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "==,7,true",
    "==,8,false",
    "!=,7,false",
    "!=,8,true",
    "<,7,false",
    "<,8,true",
    "<=,7,true",
    "<=,6,false",
    ">,7,false",
    ">,6,true",
    ">=,7,true",
    ">=,8,false"
  })
  void numbersCompare(String op, double other, boolean expected) throws Exception {
    assertEquals(expected, holds(op(op, field("value"), constant(other))));
    assertEquals(expected, holds(op(op, field("value"), math("+", constant(other), constant(0)))));
    assertEquals(0, counts.missing);
  }

  @ParameterizedTest
  @ValueSource(strings = {"==", "!=", "<", "<=", ">", ">="})
  void aComparisonWithSomethingMissingIsFalseAndCounted(String op) throws Exception {
    assertFalse(holds(op(op, field("z"), constant(1))));
    assertFalse(holds(op(op, constant(1), field("z"))));
    assertFalse(holds(op(op, field("peer"), text("frontend"))));
    assertFalse(holds(op(op, agg("first", "s", "value"), constant(1))));
    assertEquals(4, counts.missing);
  }

  @Test
  void presenceIsAskedByNull() throws Exception {
    assertTrue(holds(op("==", field("peer"), "{'const':null}")));
    assertFalse(holds(op("!=", field("peer"), "{'const':null}")));
    assertTrue(holds(op("!=", "{'const':null}", field("unit"))));
    assertTrue(holds(op("==", field("z"), "{'const':null}")));
    assertEquals(0, counts.missing);
  }

  @Test
  void textsAndLabels() throws Exception {
    assertTrue(holds(op("==", field("signal"), text("cpu"))));
    assertTrue(holds(op("==", "{'label':'pod'}", text("cart-1"))));
    assertFalse(holds(op("!=", "{'label':'zone'}", text("a"))));
    assertTrue(holds("{'op':'in','left':{'field':'signal'},'right':['cpu','memory']}"));
    assertFalse(holds("{'op':'in','left':{'field':'signal'},'right':['memory']}"));
    assertTrue(holds("{'op':'in','left':{'field':'value'},'right':[1,7]}"));
    assertTrue(holds(and(op("==", field("graph"), text("shop")), is("time", "==", 1000))));
    assertTrue(holds("{'op':'not','arg':" + op("==", field("node"), text("x")) + "}"));
    assertTrue(holds(or(is("value", "<", 0), is("rel", ">", 0.2), is("delta", "==", 9))));
  }

  @ParameterizedTest
  @CsvSource({"-,5", "*,14", "/,3.5", "%,1"})
  void arithmeticOfTwo(String op, double expected) throws Exception {
    assertTrue(holds(op("==", math(op, field("value"), constant(2)), constant(expected))));
  }

  @Test
  void arithmeticIsPythons() throws Exception {
    assertTrue(holds(op("==", math("%", math("neg", field("value")), constant(3)), constant(2))));
    assertTrue(holds(op("==", call("max", field("value"), constant(9)), constant(9))));
    assertTrue(holds(op("==", call("abs", math("-", constant(2), field("value"))), constant(5))));
    assertTrue(holds(op("==", call("sqrt", constant(49)), field("value"))));
    assertTrue(holds(op("<", call("log", field("value")), constant(2))));
  }

  private static String call(String name, String... args) {
    return "{'op':'call','name':'%s','args':[%s]}".formatted(name, String.join(",", args));
  }

  @Test
  void whatCannotBeComputedIsMissing() throws Exception {
    assertFalse(holds(op(">", math("/", field("value"), constant(0)), constant(0))));
    assertFalse(holds(op(">=", math("%", field("value"), constant(0)), constant(0))));
    assertFalse(holds(op("<", call("log", constant(0)), constant(0))));
    assertFalse(holds(op("<", call("sqrt", constant(-1)), constant(9))));
    assertEquals(4, counts.missing);
  }

  @ParameterizedTest
  @CsvSource({"first,2", "last,9", "avg,5", "min,2", "max,9", "sum,20"})
  void aggregates(String fold, double expected) throws Exception {
    earlier(2, 4, 5, 9);
    assertTrue(holds(op("==", agg(fold, "s", "value"), constant(expected))));
  }

  @Test
  void moreAggregates() throws Exception {
    earlier(2, 4, 4, 4, 5, 5, 7, 9);
    assertTrue(holds(op("==", agg("stddev", "s", "value"), constant(2))));
    assertTrue(holds(op("==", count("s"), constant(8))));
    assertTrue(holds(op("==", agg("last", "s", "time"), constant(7))));
    assertTrue(holds(op("==", agg("first", "s", "metric"), field("metric"))));
    assertFalse(holds(op(">", agg("max", "s", "z"), constant(-99))), "z is missing in all");
  }

  @Test
  void overNothingOnlyCountAndSumAreKnown() throws Exception {
    assertTrue(holds(op("==", count("s"), constant(0))));
    assertTrue(holds(op("==", agg("sum", "s", "value"), constant(0))));
    assertFalse(holds(op("<", agg("min", "s", "value"), constant(1e9))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'field':'value'}",
        "{'const':1}",
        "{'op':'>','left':{'field':'valeu'},'right':{'const':1}}",
        "{'op':'>','left':{'field':'value'},'right':{'const':'x'}}",
        "{'op':'==','left':{'field':'signal'},'right':{'const':'cpus'}}",
        "{'op':'in','left':{'field':'signal'},'right':['cpus']}",
        "{'op':'in','left':{'field':'value'},'right':['x']}",
        "{'op':'>','left':{'field':'value'},'right':{'const':null}}",
        "{'op':'>','left':{'field':'value'},'right':{'const':1},'extra':1}",
        "{'op':'**','left':{'field':'value'},'right':{'const':1}}",
        "{'op':'and','args':[]}",
        "{'op':'and','args':[{'field':'value'}]}",
        "{'op':'not','arg':{'field':'value'}}",
        "{'op':'==','left':{'op':'call','name':'exec','args':[{'const':1}]},'right':{'const':1}}",
        "{'op':'==','left':{'op':'/','args':[{'const':1}]},'right':{'const':1}}",
        "{'op':'==','left':{'agg':'first','step':'t','field':'value'},'right':{'const':1}}",
        "{'op':'==','left':{'agg':'avg','step':'s','field':'metric'},'right':{'const':'a'}}",
        "{'op':'==','left':{'agg':'median','step':'s','field':'value'},'right':{'const':1}}",
        "[]"
      })
  void refused(String condition) {
    ExprReader reader = new ExprReader(List.of("s"), Vocabulary.SAMPLE);
    assertThrows(PatternRefusedException.class, () -> reader.condition(json(condition)));
  }

  @Test
  void deepNestingIsRefused() {
    String condition = is("value", ">", 1);
    for (int i = 0; i < 300; i++) {
      condition = "{'op':'not','arg':" + condition + "}";
    }
    String deep = condition;
    ExprReader reader = new ExprReader(List.of(), Vocabulary.SAMPLE);
    assertThrows(PatternRefusedException.class, () -> reader.condition(json(deep)));
  }
}
