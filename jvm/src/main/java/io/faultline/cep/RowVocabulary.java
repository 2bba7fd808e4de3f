package io.faultline.cep;

import java.util.Map;
import javax.annotation.Nullable;

/**
 * The declared fields of plain rows.
 *
 * @param fields name to type
 */
record RowVocabulary(Map<String, Expr.Type> fields) implements Vocabulary {
  @Override
  @Nullable
  public Field field(String name) {
    Expr.Type type = fields.get(name);
    return type == null ? null : new RowField(name, type);
  }

  /** A field of a row; null and a value of another type are missing. */
  private record RowField(String wireName, Expr.Type type) implements Field {
    @Override
    public double number(Event e) {
      return ((RowEvent) e).value(wireName) instanceof Number n ? n.doubleValue() : Double.NaN;
    }

    @Override
    @Nullable
    public String text(Event e) {
      return ((RowEvent) e).value(wireName) instanceof String text ? text : null;
    }

    @Override
    @Nullable
    public Boolean truth(Event e) {
      return ((RowEvent) e).value(wireName) instanceof Boolean truth ? truth : null;
    }
  }
}
