package io.faultline.cli;

import io.faultline.cep.SampleEvent;
import io.faultline.config.Json;
import io.faultline.node.NodeState;
import io.faultline.node.Part;
import io.faultline.node.Resolved;
import io.faultline.records.Edge;
import io.faultline.records.Exemplar;
import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.Locale;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** The lines of {@link Decode}'s answer. */
final class DecodeLines {
  private DecodeLines() {}

  /** A sample as decoded; its kind as declared, else as the job will take it. */
  static ObjectNode sample(
      int record, String graph, String node, long time, SeriesKey key, Kind kind, double value) {
    return series(record, graph, node, key, kind, key.signal(), sentUnit(key))
        .put("value", value)
        .put("time", time);
  }

  /** A bucket carries the unit of its histogram, yet it counts. */
  @Nullable
  private static String sentUnit(SeriesKey key) {
    boolean bucket = key.metric().endsWith("_bucket") && key.label("le") != null;
    return bucket && key.unit() != null ? "1" : key.unit();
  }

  /** A sample after counters, units, signals and baseline; what is not known yet is null. */
  static ObjectNode normalised(
      int record, SampleEvent sample, Resolved resolved, @Nullable String rule) {
    SeriesKey key = sample.series().key();
    ObjectNode line =
        series(
                record,
                sample.series().graph(),
                sample.series().node(),
                key,
                key.kind() == Kind.UNSAID ? resolved.kind() : key.kind(),
                sample.series().signal(),
                sample.series().unit())
            .put("value", sample.value())
            .put("time", sample.time())
            .put("factor", resolved.factor())
            .put("rule", rule);
    put(line, "z", sample.z());
    put(line, "baseline", sample.baseline());
    put(line, "spread", sample.spread());
    return line;
  }

  /** What a series is taken for, and by which rule. */
  static ObjectNode series(
      int record, String graph, String node, SeriesKey key, Resolved resolved) {
    ObjectNode line =
        series(record, graph, node, key, resolved.kind(), resolved.signal(), resolved.unit());
    line.put("type", "series")
        .put("factor", resolved.factor())
        .put("unit_known", !resolved.unitUnknown())
        .put("rule", resolved.place())
        .put("mapped", resolved.known())
        .put("dropped", resolved.dropped());
    ArrayNode makes = line.putArray("makes");
    for (Part part : resolved.parts()) {
      SeriesKey total = part.total();
      makes
          .addObject()
          .put("metric", total.metric())
          .put("signal", total.signal() == null ? null : total.signal().wireName())
          .put("unit", total.unit())
          .put("term", lower(part.term()));
    }
    return line;
  }

  /**
   * A name of which no rule says what it measures.
   *
   * @param histogram the name of a histogram, not of one series
   */
  static ObjectNode unmapped(
      int record, String metric, boolean histogram, int series, int samples) {
    return line("unmapped")
        .put("record", record)
        .put("metric", metric)
        .put("histogram", histogram)
        .put("series", series)
        .put("samples", samples);
  }

  /** Adds an event with its trace to the line of the sample that counts it. */
  static void addExemplar(ObjectNode line, Exemplar exemplar) {
    ObjectNode one = line.withArray("exemplars").addObject().put("trace_id", exemplar.traceId());
    one.put("span_id", exemplar.spanId());
    put(one, "value", exemplar.value());
    one.put("time", exemplar.time() == 0 ? null : Long.valueOf(exemplar.time()));
  }

  private static void put(ObjectNode line, String name, double value) {
    if (Double.isFinite(value)) {
      line.put(name, value);
    } else {
      line.putNull(name);
    }
  }

  private static ObjectNode series(
      int record,
      String graph,
      String node,
      SeriesKey key,
      Kind kind,
      @Nullable Signal signal,
      @Nullable String unit) {
    ObjectNode line = line("sample").put("record", record).put("graph", graph).put("node", node);
    line.put("metric", key.metric())
        .put("kind", kind == Kind.UNSAID ? null : lower(kind))
        .put("unit", unit)
        .put("signal", signal == null ? null : signal.wireName())
        .put("peer", key.peer())
        .put("side", key.side() == Side.UNSAID ? null : lower(key.side()));
    ObjectNode labels = line.putObject("labels");
    key.labelMap().forEach(labels::put);
    return line;
  }

  static ObjectNode edge(int record, Edge edge) {
    ObjectNode line = line("edge").put("record", record).put("graph", edge.graph());
    line.put("source", edge.source()).put("target", edge.target()).put("time", edge.time());
    line.put("kind", edge.kind());
    return edge.ttlMs() < 0 ? line.putNull("ttl") : line.put("ttl", edge.ttlMs());
  }

  static ObjectNode deadLetter(int record, String reason, String detail) {
    return line("dead_letter").put("record", record).put("reason", reason).put("detail", detail);
  }

  static ObjectNode ignored(int record, String reason) {
    return line("ignored").put("record", record).put("reason", reason);
  }

  /** Something worth knowing befell a counter. */
  static ObjectNode note(int record, NodeState state, SeriesKey key, long time, String reason) {
    ObjectNode line = line("note").put("record", record).put("reason", reason);
    line.put("graph", state.graph()).put("node", state.node()).put("metric", key.metric());
    line.put("peer", key.peer()).put("time", time);
    ObjectNode labels = line.putObject("labels");
    key.labelMap().forEach(labels::put);
    return line;
  }

  private static ObjectNode line(String type) {
    return Json.mapper().createObjectNode().put("type", type);
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
