package io.faultline.decode;

import io.faultline.records.Edge;
import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;

/**
 * One native object while it is read. The first thing that is wrong is kept; the object is read to
 * its end all the same, so that the next one can be read.
 */
final class NativeObject implements JsonRecords.Reader {
  private static final long NONE = Long.MIN_VALUE;
  private static final int SERIES_KEPT = 500_000;

  @Nullable private final String fixedGraph;
  private final Interner<SeriesKey> seriesKeys = new Interner<>(SERIES_KEPT);
  private final Interner<String> names = new Interner<>(SERIES_KEPT);
  private final NativePlain plain;
  private final Map<String, String> labels = new LinkedHashMap<>();

  private String graph;
  private String node;
  private String metric;
  private String peer;
  private String source;
  private String target;
  private String kind;
  private String unit;
  private Side side;
  private Signal signal;
  private double value;
  private boolean hasValue;
  private long time;
  private long ttl;
  private String reason;
  private String detail;

  NativeObject(@Nullable String fixedGraph) {
    this.fixedGraph = fixedGraph;
    this.plain = new NativePlain(fixedGraph, seriesKeys, names);
  }

  @Override
  public int readPlain(byte[] bytes, int from, Decoder.Output out) {
    return plain.read(bytes, from, out);
  }

  @Override
  public void read(JsonParser parser, JsonRecords at, Decoder.Output out) throws IOException {
    try {
      readFields(parser);
      String problem = emit(out);
      if (problem != null) {
        out.deadLetter(problem, at.place() + ": " + detail);
      }
    } finally {
      plain.forget();
    }
  }

  private void readFields(JsonParser parser) throws IOException {
    reset();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      JsonToken token = parser.nextToken();
      if (token == JsonToken.VALUE_NULL) {
        continue;
      }
      readField(field, token, parser);
      parser.skipChildren();
    }
  }

  private void reset() {
    graph = fixedGraph;
    node = metric = peer = source = target = kind = unit = reason = detail = null;
    side = Side.UNSAID;
    signal = null;
    hasValue = false;
    time = NONE;
    ttl = -1L;
    labels.clear();
  }

  private void readField(String field, JsonToken token, JsonParser parser) throws IOException {
    switch (field) {
      case "graph" ->
          graph = fixedGraph != null ? fixedGraph : Names.graph(text(field, token, parser));
      case "node" -> node = text(field, token, parser);
      case "metric" -> metric = text(field, token, parser);
      case "value" -> readValue(token, parser);
      case "time" -> time = readTime(token, parser);
      case "peer" -> peer = text(field, token, parser);
      case "unit" -> unit = text(field, token, parser);
      case "kind" -> kind = text(field, token, parser);
      case "side" -> readSide(text(field, token, parser));
      case "signal" -> readSignal(text(field, token, parser));
      case "labels" -> readLabels(token, parser);
      case "source" -> source = text(field, token, parser);
      case "target" -> target = text(field, token, parser);
      case "ttl" -> readTtl(token, parser);
      default -> {
        // Fields of later versions are none of ours.
      }
    }
  }

  @Nullable
  private String text(String field, JsonToken token, JsonParser parser) throws IOException {
    if (token != JsonToken.VALUE_STRING) {
      wrong(Reasons.BAD_VALUE, field + ": a string is wanted");
      return null;
    }
    return names.intern(parser.getText());
  }

  private void readValue(JsonToken token, JsonParser parser) throws IOException {
    hasValue = true;
    if (!token.isNumeric()) {
      wrong(Reasons.BAD_VALUE, "value: a number is wanted");
      return;
    }
    value = parser.getDoubleValue();
    if (!Double.isFinite(value)) {
      wrong(Reasons.BAD_VALUE, "value: a finite number is wanted");
    }
  }

  private long readTime(JsonToken token, JsonParser parser) throws IOException {
    long ms = readLong(token, parser);
    if (ms == NONE || !Times.isValid(ms)) {
      wrong(Reasons.BAD_TIME, "time: integer milliseconds since 1970 are wanted");
      return 0L;
    }
    return ms;
  }

  private static long readLong(JsonToken token, JsonParser parser) throws IOException {
    if (token != JsonToken.VALUE_NUMBER_INT
        || parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
      return NONE;
    }
    return parser.getLongValue();
  }

  private void readTtl(JsonToken token, JsonParser parser) throws IOException {
    ttl = readLong(token, parser);
    if (ttl < 1) {
      wrong(Reasons.BAD_VALUE, "ttl: positive integer milliseconds are wanted");
    }
  }

  private void readSide(@Nullable String name) {
    if ("server".equals(name)) {
      side = Side.SERVER;
    } else if ("client".equals(name)) {
      side = Side.CLIENT;
    } else {
      wrong(Reasons.BAD_VALUE, "side: server or client is wanted");
    }
  }

  private void readSignal(@Nullable String name) {
    signal = name == null ? null : Signal.ofWireName(name);
    if (signal == null) {
      wrong(Reasons.BAD_VALUE, "signal: " + name + " is none");
    }
  }

  private void readLabels(JsonToken token, JsonParser parser) throws IOException {
    if (token != JsonToken.START_OBJECT) {
      wrong(Reasons.BAD_VALUE, "labels: an object is wanted");
      return;
    }
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      if (parser.nextToken() != JsonToken.VALUE_STRING) {
        wrong(Reasons.BAD_VALUE, "labels." + name + ": a string is wanted");
        parser.skipChildren();
        continue;
      }
      String text = parser.getText();
      if (Labels.isClean(name) && Labels.isClean(text)) {
        labels.put(name, text);
      } else {
        wrong(Reasons.BAD_VALUE, "labels: a name or a value has a separator character in it");
      }
    }
  }

  private void wrong(String why, String what) {
    if (reason == null) {
      reason = why;
      detail = what;
    }
  }

  /** Hands the object on; returns the reason where it is a dead letter, else null. */
  @Nullable
  private String emit(Decoder.Output out) {
    boolean edge =
        (source != null || target != null) && node == null && metric == null && !hasValue;
    if (reason == null) {
      requireFields(edge);
    }
    if (reason != null) {
      return reason;
    }
    if (edge) {
      emitEdge(out);
    } else {
      emitSample(out);
    }
    return reason;
  }

  private void requireFields(boolean edge) {
    require(graph != null, "graph");
    require(time != NONE, "time");
    if (edge) {
      require(source != null, "source");
      require(target != null, "target");
    } else {
      require(node != null, "node");
      require(metric != null && !metric.isBlank(), "metric");
      require(hasValue, "value");
    }
  }

  private void require(boolean present, String field) {
    if (!present) {
      wrong(Reasons.MISSING_FIELD, field + ": is missing");
    }
  }

  private void emitEdge(Decoder.Output out) {
    String from = Names.node(source);
    String to = Names.node(target);
    if (from == null || to == null) {
      out.ignored(Reasons.UNNAMED_NODE);
    } else if (from.equals(to)) {
      out.ignored(Reasons.SELF_EDGE);
    } else {
      out.edge(new Edge(graph, names.intern(from), names.intern(to), time, kind, ttl));
    }
  }

  private void emitSample(Decoder.Output out) {
    Kind declared = kindOf(kind);
    if (declared == null) {
      wrong(Reasons.BAD_VALUE, "kind: gauge or counter is wanted");
      return;
    }
    String name = Names.node(node);
    if (name == null) {
      out.ignored(Reasons.UNNAMED_NODE);
      return;
    }
    String caller = peer == null ? null : Names.node(peer);
    if (peer != null && caller == null) {
      out.ignored(Reasons.UNNAMED_NODE);
      labels.putIfAbsent("peer", peer);
    }
    SeriesKey key =
        seriesKeys.intern(
            new SeriesKey(
                metric, SeriesKey.canonical(labels), caller, side, declared, signal, unit));
    if (peer == null || caller != null) {
      plain.learn(key);
    }
    out.sample(graph, names.intern(name), time, key, value, 0L);
  }

  @Nullable
  private static Kind kindOf(@Nullable String kind) {
    if (kind == null) {
      return Kind.UNSAID;
    }
    return switch (kind) {
      case "gauge" -> Kind.GAUGE;
      case "counter" -> Kind.COUNTER;
      default -> null;
    };
  }
}
