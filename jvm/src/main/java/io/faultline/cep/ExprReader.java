package io.faultline.cep;

import io.faultline.cep.Expr.Comparison;
import io.faultline.cep.Expr.Const;
import io.faultline.cep.Expr.Fold;
import io.faultline.cep.Expr.Op;
import io.faultline.cep.Expr.TextOp;
import io.faultline.cep.Expr.Type;
import io.faultline.records.Signal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * Reads a condition from its JSON tree and checks its types: what would be false for ever, such as
 * a misspelt field or a text compared with a number, is refused.
 */
final class ExprReader {
  private static final int MAX_DEPTH = 200;
  private static final Map<String, Comparison> COMPARISONS =
      Map.of(
          "==", Comparison.EQ,
          "!=", Comparison.NE,
          "<", Comparison.LT,
          "<=", Comparison.LE,
          ">", Comparison.GT,
          ">=", Comparison.GE);
  private static final Map<String, Op> OPERATORS =
      Map.of(
          "+", Op.ADD,
          "-", Op.SUBTRACT,
          "*", Op.MULTIPLY,
          "/", Op.DIVIDE,
          "%", Op.REMAINDER,
          "neg", Op.NEGATE);
  private static final Map<String, Op> FUNCTIONS =
      Map.of("abs", Op.ABS, "min", Op.MIN, "max", Op.MAX, "log", Op.LOG, "sqrt", Op.SQRT);

  private static final Map<String, TextOp> TEXT_FUNCTIONS =
      Map.of(
          "startswith", TextOp.STARTSWITH,
          "endswith", TextOp.ENDSWITH,
          "contains", TextOp.CONTAINS,
          "lower", TextOp.LOWER,
          "upper", TextOp.UPPER);

  private final Collection<String> steps;
  private final Vocabulary vocabulary;
  private int depth;

  /**
   * @param steps names that aggregates may use
   */
  ExprReader(Collection<String> steps, Vocabulary vocabulary) {
    this.steps = List.copyOf(steps);
    this.vocabulary = vocabulary;
  }

  /** A whole condition: worth true or false. */
  Expr condition(JsonNode json) throws PatternRefusedException {
    depth = 0;
    return typed(json, Type.TRUTH, "a condition");
  }

  /** An expression that is worth something. */
  Expr value(JsonNode json) throws PatternRefusedException {
    depth = 0;
    Expr expr = expr(json);
    if (expr.type() == Type.NOTHING) {
      throw new PatternRefusedException("null is no value to ask for");
    }
    return expr;
  }

  private Expr typed(JsonNode json, Type type, String what) throws PatternRefusedException {
    Expr expr = expr(json);
    if (expr.type() != type) {
      throw new PatternRefusedException(
          what + " must be " + word(type) + ", not " + word(expr.type()) + ": " + json);
    }
    return expr;
  }

  private Expr expr(JsonNode json) throws PatternRefusedException {
    if (++depth > MAX_DEPTH) {
      throw new PatternRefusedException("nested deeper than " + MAX_DEPTH);
    }
    JsonFields fields = new JsonFields(json);
    Expr expr = shape(json, fields);
    fields.done();
    depth--;
    return expr;
  }

  private Expr shape(JsonNode json, JsonFields fields) throws PatternRefusedException {
    if (json.has("const")) {
      fields.node("const");
      return constant(json.get("const"));
    }
    if (json.has("agg")) {
      return aggregate(fields);
    }
    if (json.has("field")) {
      return new Expr.FieldOf(field(fields));
    }
    if (json.has("label") && vocabulary.hasLabels()) {
      return new Expr.Label(fields.text("label"));
    }
    return operation(fields.text("op"), fields);
  }

  private Expr operation(String op, JsonFields fields) throws PatternRefusedException {
    if (COMPARISONS.containsKey(op)) {
      return compare(
          COMPARISONS.get(op), expr(fields.required("left")), expr(fields.required("right")));
    }
    if (OPERATORS.containsKey(op)) {
      return arithmetic(op, OPERATORS.get(op), fields);
    }
    return switch (op) {
      case "and" -> new Expr.And(args(fields, Type.TRUTH, "'and'"));
      case "or" -> new Expr.Or(args(fields, Type.TRUTH, "'or'"));
      case "not" -> new Expr.Not(typed(fields.required("arg"), Type.TRUTH, "'not'"));
      case "in" -> in(expr(fields.required("left")), fields.list("right"));
      case "call" -> call(fields);
      default -> throw new PatternRefusedException("unknown operator '" + op + "'");
    };
  }

  private Expr call(JsonFields fields) throws PatternRefusedException {
    String name = fields.text("name");
    if (TEXT_FUNCTIONS.containsKey(name)) {
      TextOp op = TEXT_FUNCTIONS.get(name);
      List<Expr> args = args(fields, Type.TEXT, name, op.isTest() ? 2 : 1);
      return new Expr.OfText(op, args.get(0), op.isTest() ? args.get(1) : null);
    }
    if (vocabulary.hasTopology() && (name.equals("calls") || name.equals("reaches"))) {
      List<Expr> args = args(fields, Type.TEXT, name, 2);
      return new Expr.Reaches(name.equals("calls"), args.get(0), args.get(1));
    }
    Op op = FUNCTIONS.get(name);
    if (op == null) {
      throw new PatternRefusedException("unknown function '" + name + "'");
    }
    return arithmetic(name, op, fields);
  }

  private List<Expr> args(JsonFields fields, Type type, String name, int wanted)
      throws PatternRefusedException {
    List<Expr> args = args(fields, type, "'" + name + "'");
    if (args.size() != wanted) {
      throw new PatternRefusedException("'" + name + "' has " + args.size() + " arguments");
    }
    return args;
  }

  private Expr arithmetic(String name, Op op, JsonFields fields) throws PatternRefusedException {
    List<Expr> args = args(fields, Type.NUMBER, "'" + name + "'");
    int least = 1;
    int most = 1;
    switch (op) {
      case ADD, MULTIPLY, MIN, MAX -> {
        least = 2;
        most = Integer.MAX_VALUE;
      }
      case SUBTRACT, DIVIDE, REMAINDER -> {
        least = 2;
        most = 2;
      }
      default -> {}
    }
    if (args.size() < least || args.size() > most) {
      throw new PatternRefusedException("'" + name + "' has " + args.size() + " arguments");
    }
    return new Expr.Arithmetic(op, args);
  }

  private List<Expr> args(JsonFields fields, Type type, String what)
      throws PatternRefusedException {
    List<Expr> out = new ArrayList<>();
    for (JsonNode arg : fields.list("args")) {
      out.add(typed(arg, type, what));
    }
    if (out.isEmpty()) {
      throw new PatternRefusedException(what + " has no arguments");
    }
    return List.copyOf(out);
  }

  private Expr compare(Comparison op, Expr left, Expr right) throws PatternRefusedException {
    boolean equality = op == Comparison.EQ || op == Comparison.NE;
    boolean nothing = left.type() == Type.NOTHING || right.type() == Type.NOTHING;
    if (nothing ? !equality : left.type() != right.type()) {
      throw new PatternRefusedException(
          word(left.type()) + " cannot be compared with " + word(right.type()));
    }
    if (!equality && left.type() == Type.TRUTH) {
      throw new PatternRefusedException("true and false have no order");
    }
    checkSignal(left, right);
    checkSignal(right, left);
    return new Expr.Compare(op, left, right);
  }

  private Expr in(Expr left, List<JsonNode> right) throws PatternRefusedException {
    List<Const> choices = new ArrayList<>();
    for (JsonNode json : right) {
      Const choice = constant(json.isObject() ? new JsonFields(json).required("const") : json);
      if (choice.type() != left.type()) {
        throw new PatternRefusedException(
            word(left.type()) + " cannot be in a list with " + word(choice.type()));
      }
      checkSignal(left, choice);
      choices.add(choice);
    }
    return new Expr.In(left, List.copyOf(choices));
  }

  private static void checkSignal(Expr side, Expr other) throws PatternRefusedException {
    if (side instanceof Expr.FieldOf of
        && of.field() == SampleField.SIGNAL
        && other instanceof Const constant
        && constant.value() instanceof String name
        && Signal.ofWireName(name) == null) {
      throw new PatternRefusedException("there is no signal '" + name + "'");
    }
  }

  private static Const constant(JsonNode json) throws PatternRefusedException {
    if (json.isNull()) {
      return new Const(null);
    }
    if (json.isTextual()) {
      return new Const(json.textValue().intern());
    }
    if (json.isBoolean()) {
      return new Const(json.booleanValue());
    }
    if (json.isNumber() && Double.isFinite(json.doubleValue())) {
      return new Const(json.doubleValue());
    }
    throw new PatternRefusedException("not a constant: " + json);
  }

  private Expr aggregate(JsonFields fields) throws PatternRefusedException {
    Fold fold = fields.choice("agg", Fold.class, null);
    String step = fields.text("step");
    if (!steps.contains(step)) {
      throw new PatternRefusedException(
          "'" + step + "' is no step up to here that holds samples: " + steps);
    }
    if (fold == Fold.COUNT) {
      return new Expr.Aggregate(fold, step, null);
    }
    Field field = field(fields);
    if (fold != Fold.FIRST && fold != Fold.LAST && field.type() != Type.NUMBER) {
      throw new PatternRefusedException(
          "'" + field.wireName() + "' is no number: " + fold.name().toLowerCase(Locale.ROOT));
    }
    return new Expr.Aggregate(fold, step, field);
  }

  private Field field(JsonFields fields) throws PatternRefusedException {
    String name = fields.text("field");
    Field field = vocabulary.field(name);
    if (field == null) {
      throw new PatternRefusedException("unknown field '" + name + "'");
    }
    return field;
  }

  private static String word(Type type) {
    return switch (type) {
      case NUMBER -> "a number";
      case TEXT -> "a text";
      case TRUTH -> "true or false";
      case NOTHING -> "null";
    };
  }
}
