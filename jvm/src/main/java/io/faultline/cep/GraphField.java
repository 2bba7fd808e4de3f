package io.faultline.cep;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import javax.annotation.Nullable;

/** What a condition can ask of a match, an edge or a silent node of a graph. */
enum GraphField implements Field {
  KIND(Expr.Type.TEXT),
  GRAPH(Expr.Type.TEXT),
  NODE(Expr.Type.TEXT),
  PEER(Expr.Type.TEXT),
  PATTERN(Expr.Type.TEXT),
  VERSION(Expr.Type.NUMBER),
  SEVERITY(Expr.Type.TEXT),
  SIGNAL(Expr.Type.TEXT),
  METRIC(Expr.Type.TEXT),
  VALUE(Expr.Type.NUMBER),
  Z(Expr.Type.NUMBER),
  TIME(Expr.Type.NUMBER),
  START(Expr.Type.NUMBER),
  END(Expr.Type.NUMBER);

  static final Vocabulary VOCABULARY =
      new Vocabulary() {
        @Override
        @Nullable
        public Field field(String name) {
          return BY_NAME.get(name);
        }

        @Override
        public boolean hasTopology() {
          return true;
        }
      };

  private static final Map<String, GraphField> BY_NAME = new HashMap<>();

  static {
    for (GraphField field : values()) {
      BY_NAME.put(field.wireName(), field);
    }
  }

  private final Expr.Type type;

  GraphField(Expr.Type type) {
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

  @Override
  public double number(Event event) {
    GraphSight e = (GraphSight) event;
    GraphSight.Source source = e.source();
    if (this == TIME) {
      return e.time();
    }
    if (source == null) {
      return Double.NaN;
    }
    return switch (this) {
      case VERSION -> source.pattern() == null ? Double.NaN : source.version();
      case VALUE -> source.value();
      case Z -> source.z();
      case START -> source.start();
      case END -> source.end();
      default -> Field.super.number(event);
    };
  }

  @Override
  @Nullable
  public String text(Event event) {
    GraphSight e = (GraphSight) event;
    return switch (this) {
      case KIND -> e.kind().name().toLowerCase(Locale.ROOT);
      case GRAPH -> e.graph();
      case NODE -> e.node();
      case PEER -> e.peer();
      default -> e.source() == null ? null : text(e.source());
    };
  }

  @Nullable
  private String text(GraphSight.Source source) {
    return switch (this) {
      case PATTERN -> source.pattern();
      case SEVERITY -> source.severity();
      case SIGNAL -> source.signal();
      case METRIC -> source.metric();
      default -> throw new IllegalStateException(wireName() + " is not text");
    };
  }
}
