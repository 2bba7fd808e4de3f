package io.faultline.cep;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import javax.annotation.Nullable;

/** What a condition can ask of a sample. */
enum SampleField implements Field {
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

  private static final Map<String, SampleField> BY_NAME = new HashMap<>();

  static {
    for (SampleField field : values()) {
      BY_NAME.put(field.wireName(), field);
    }
  }

  private final Expr.Type type;

  SampleField(Expr.Type type) {
    this.type = type;
  }

  @Override
  public Expr.Type type() {
    return type;
  }

  @Override
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The field of that name, or null where there is none. */
  @Nullable
  static SampleField ofWireName(String name) {
    return BY_NAME.get(name);
  }

  @Override
  public double number(Event event) {
    SampleEvent e = (SampleEvent) event;
    return switch (this) {
      case VALUE -> e.value();
      case TIME -> e.time();
      case Z -> e.z();
      case BASELINE -> e.baseline();
      case SPREAD -> e.spread();
      case DELTA -> e.delta();
      case REL -> e.rel();
      default -> Field.super.number(event);
    };
  }

  @Override
  @Nullable
  public String text(Event event) {
    SampleEvent e = (SampleEvent) event;
    return switch (this) {
      case SIGNAL -> e.series().signal().wireName();
      case METRIC -> e.series().key().metric();
      case NODE -> e.series().node();
      case GRAPH -> e.series().graph();
      case PEER -> e.series().key().peer();
      case UNIT -> e.series().unit();
      default -> Field.super.text(event);
    };
  }

  @Override
  public ExprCompiler.Number reader() {
    return switch (this) {
      case VALUE -> (e, s) -> ((SampleEvent) e).value();
      case Z -> (e, s) -> ((SampleEvent) e).z();
      case REL -> (e, s) -> ((SampleEvent) e).rel();
      default -> Field.super.reader();
    };
  }
}
