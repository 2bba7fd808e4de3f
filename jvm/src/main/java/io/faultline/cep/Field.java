package io.faultline.cep;

import java.io.Serializable;
import javax.annotation.Nullable;

/** What a condition can ask of an event. */
public interface Field extends Serializable {
  String wireName();

  Expr.Type type();

  /** The value of a numeric field; NaN = missing. */
  default double number(Event e) {
    throw new IllegalStateException(wireName() + " is not a number");
  }

  /** The value of a text field; null = missing. */
  @Nullable
  default String text(Event e) {
    throw new IllegalStateException(wireName() + " is not text");
  }

  /** The value of a field that is true or false; null = missing. */
  @Nullable
  default Boolean truth(Event e) {
    throw new IllegalStateException(wireName() + " is neither true nor false");
  }

  /** Reads a numeric field without a look at which it is. */
  default ExprCompiler.Number reader() {
    return (e, s) -> number(e);
  }
}
