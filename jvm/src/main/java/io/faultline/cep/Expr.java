package io.faultline.cep;

import java.io.Serializable;
import java.util.List;
import javax.annotation.Nullable;

/** A condition as a typed tree: what {@link ExprReader} has read and checked. */
public sealed interface Expr extends Serializable {
  /** What an expression is worth. */
  enum Type {
    NUMBER,
    TEXT,
    TRUTH,
    NOTHING
  }

  Type type();

  /**
   * @param value Double, String, Boolean or null
   */
  record Const(@Nullable Serializable value) implements Expr {
    @Override
    public Type type() {
      if (value == null) {
        return Type.NOTHING;
      }
      if (value instanceof String) {
        return Type.TEXT;
      }
      return value instanceof Boolean ? Type.TRUTH : Type.NUMBER;
    }
  }

  /** A field of the sample at hand. */
  record FieldOf(Field field) implements Expr {
    @Override
    public Type type() {
      return field.type();
    }
  }

  /** A label of the sample's series. */
  record Label(String name) implements Expr {
    @Override
    public Type type() {
      return Type.TEXT;
    }
  }

  /** How the samples of an earlier step become one value. */
  enum Fold {
    FIRST,
    LAST,
    COUNT,
    AVG,
    MIN,
    MAX,
    SUM,
    STDDEV
  }

  /**
   * @param field null for a count
   */
  record Aggregate(Fold fold, String step, @Nullable Field field) implements Expr {
    @Override
    public Type type() {
      return fold == Fold.FIRST || fold == Fold.LAST ? field.type() : Type.NUMBER;
    }
  }

  /** Operators and functions from numbers to a number. */
  enum Op {
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    REMAINDER,
    NEGATE,
    ABS,
    MIN,
    MAX,
    LOG,
    SQRT
  }

  /** A number computed from numbers. */
  record Arithmetic(Op op, List<Expr> args) implements Expr {
    @Override
    public Type type() {
      return Type.NUMBER;
    }
  }

  /** Operators on texts. */
  enum TextOp {
    STARTSWITH,
    ENDSWITH,
    CONTAINS,
    LOWER,
    UPPER;

    boolean isTest() {
      return this != LOWER && this != UPPER;
    }
  }

  /**
   * A text made of another, or a test of one.
   *
   * @param wanted what is looked for; null where nothing is
   */
  record OfText(TextOp op, Expr text, @Nullable Expr wanted) implements Expr {
    @Override
    public Type type() {
      return op.isTest() ? Type.TRUTH : Type.TEXT;
    }
  }

  /**
   * Whether one node calls another by the live topology.
   *
   * @param direct without others in between
   */
  record Reaches(boolean direct, Expr caller, Expr callee) implements Expr {
    @Override
    public Type type() {
      return Type.TRUTH;
    }
  }

  /** Comparisons. */
  enum Comparison {
    EQ,
    NE,
    LT,
    LE,
    GT,
    GE
  }

  /** Both sides have the same type, or one of them is nothing. */
  record Compare(Comparison op, Expr left, Expr right) implements Expr {
    @Override
    public Type type() {
      return Type.TRUTH;
    }
  }

  /** The choices have the type of the left side. */
  record In(Expr left, List<Const> choices) implements Expr {
    @Override
    public Type type() {
      return Type.TRUTH;
    }
  }

  /** True where all are. */
  record And(List<Expr> args) implements Expr {
    @Override
    public Type type() {
      return Type.TRUTH;
    }
  }

  /** True where one is. */
  record Or(List<Expr> args) implements Expr {
    @Override
    public Type type() {
      return Type.TRUTH;
    }
  }

  /** True where its argument is not. */
  record Not(Expr arg) implements Expr {
    @Override
    public Type type() {
      return Type.TRUTH;
    }
  }
}
