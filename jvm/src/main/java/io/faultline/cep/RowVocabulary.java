package io.faultline.cep;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * The declared fields of plain rows, and {@code time}, a row's event time in ms UTC, unless a field
 * of that name is declared. An instant is a number: ms UTC.
 *
 * @param fields name to type
 */
record RowVocabulary(Map<String, Expr.Type> fields) implements Vocabulary {
  /** The field that every row has, unless it is declared. */
  static final String TIME = "time";

  @Override
  @Nullable
  public Field field(String name) {
    Expr.Type type = fields.get(name);
    if (type == null) {
      return name.equals(TIME) ? EventTime.INSTANCE : null;
    }
    return new RowField(name, type);
  }

  /** When a row happened. */
  enum EventTime implements Field {
    INSTANCE;

    @Override
    public String wireName() {
      return TIME;
    }

    @Override
    public Expr.Type type() {
      return Expr.Type.NUMBER;
    }

    @Override
    public double number(Event e) {
      return e.time();
    }
  }

  /** A field of a row; null and a value of another type are missing. */
  record RowField(String wireName, Expr.Type type) implements Field {
    @Override
    public double number(Event e) {
      Object value = ((RowEvent) e).value(wireName);
      if (value instanceof Number n) {
        return n.doubleValue();
      }
      if (value instanceof Instant instant) {
        return instant.toEpochMilli();
      }
      return value instanceof Timestamp timestamp ? timestamp.getTime() : Double.NaN;
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
