package io.faultline.cep;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import javax.annotation.Nullable;

/** What a condition can ask of a sample. */
public enum Field {
  VALUE(Expr.Type.NUMBER),
  SIGNAL(Expr.Type.TEXT),
  METRIC(Expr.Type.TEXT),
  NODE(Expr.Type.TEXT),
  GRAPH(Expr.Type.TEXT),
  PEER(Expr.Type.TEXT),
  UNIT(Expr.Type.TEXT),
  TIME(Expr.Type.NUMBER),
  Z(Expr.Type.NUMBER),
  BASELINE(Expr.Type.NUMBER),
  SPREAD(Expr.Type.NUMBER),
  DELTA(Expr.Type.NUMBER),
  REL(Expr.Type.NUMBER);

  private static final Map<String, Field> BY_NAME = new HashMap<>();

  static {
    for (Field field : values()) {
      BY_NAME.put(field.wireName(), field);
    }
  }

  private final Expr.Type type;

  Field(Expr.Type type) {
    this.type = type;
  }

  Expr.Type type() {
    return type;
  }

  String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The field of that name, or null where there is none. */
  @Nullable
  static Field ofWireName(String name) {
    return BY_NAME.get(name);
  }

  /** The value of a numeric field; NaN = missing. */
  double number(SampleEvent e) {
    return switch (this) {
      case VALUE -> e.value();
      case TIME -> e.time();
      case Z -> e.z();
      case BASELINE -> e.baseline();
      case SPREAD -> e.spread();
      case DELTA -> e.delta();
      case REL -> e.rel();
      default -> throw new IllegalStateException(wireName() + " is not a number");
    };
  }

  /** The value of a text field; null = missing. */
  @Nullable
  String text(SampleEvent e) {
    return switch (this) {
      case SIGNAL -> e.series().signal().wireName();
      case METRIC -> e.series().key().metric();
      case NODE -> e.series().node();
      case GRAPH -> e.series().graph();
      case PEER -> e.series().key().peer();
      case UNIT -> e.series().unit();
      default -> throw new IllegalStateException(wireName() + " is not text");
    };
  }
}
