package io.faultline.cep;

import io.faultline.cep.Expr.TextOp;
import io.faultline.cep.ExprCompiler.Text;
import java.util.Locale;

/** Closures that make one text of another. */
final class Texts {
  private Texts() {}

  static Text form(TextOp op, Text text) {
    boolean lower = op == TextOp.LOWER;
    return (e, s) -> {
      String a = text.of(e, s);
      if (a == null) {
        return null;
      }
      return lower ? a.toLowerCase(Locale.ROOT) : a.toUpperCase(Locale.ROOT);
    };
  }
}
