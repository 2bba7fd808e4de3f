package io.faultline.cep;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonGenerator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/**
 * Matches of patterns keyed by graph: reads the matches that they look at, and writes their own, a
 * record of topic faultline.matches.v1. What such a match "took" are matches and edges; its node is
 * that of the last.
 */
public final class GraphMatchJson {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private GraphMatchJson() {}

  /**
   * @param json a match as {@link MatchJson} writes it
   * @param time when it was ready, ms UTC
   * @param calls the topology at that time
   * @return null for a match of a pattern that is only tried: it makes no other pattern match
   */
  @Nullable
  public static GraphSight read(byte[] json, long time, Calls calls) {
    try {
      JsonNode match = MAPPER.readTree(json);
      return match.path(MatchWriting.DRY_RUN).asBoolean() ? null : read(match, time, calls);
    } catch (IOException e) {
      throw new IllegalStateException("a match could not be read", e);
    }
  }

  private static GraphSight read(JsonNode match, long time, Calls calls) {
    JsonNode steps = match.path("steps");
    JsonNode samples = steps.path(steps.size() - 1).path("samples");
    JsonNode last = samples.path(samples.size() - 1);
    boolean timeout = "timeout".equals(match.path("kind").asText());
    GraphSight.Source source =
        new GraphSight.Source(
            match.path("pattern").asText(),
            match.path("version").asInt(),
            match.path("severity").asText(),
            last.path("signal").textValue(),
            last.path("metric").textValue(),
            last.path("unit").textValue(),
            last.path("value").asDouble(Double.NaN),
            last.path("z").asDouble(Double.NaN),
            match.path("start").asLong(),
            match.path("end").asLong());
    return new GraphSight(
        timeout ? GraphSight.Kind.TIMEOUT : GraphSight.Kind.MATCH,
        time,
        match.path("graph").asText(),
        match.path("node").asText(),
        match.path("peer").textValue(),
        source,
        calls);
  }

  /**
   * @param dryRun whether the match is marked as one that opens no incident
   * @param seen by step, as the engine tells them; at least one
   * @param readyAt when event time decided it, ms UTC
   */
  public static byte[] render(
      PatternModel model,
      boolean dryRun,
      MatchJson.Kind kind,
      Map<String, List<Event>> seen,
      long readyAt) {
    return MatchWriting.bytes(json -> write(json, model, dryRun, kind, seen, readyAt));
  }

  private static void write(
      JsonGenerator json,
      PatternModel model,
      boolean dryRun,
      MatchJson.Kind kind,
      Map<String, List<Event>> seen,
      long readyAt)
      throws IOException {
    List<GraphSight> all =
        seen.values().stream().flatMap(List::stream).map(e -> (GraphSight) e).toList();
    GraphSight last = all.get(all.size() - 1);
    json.writeStartObject();
    json.writeStringField("graph", last.graph());
    json.writeStringField("node", last.node());
    json.writeNullField("peer");
    json.writeNullField("series");
    json.writeStringField("pattern", model.id());
    json.writeNumberField("version", model.version());
    json.writeStringField("key", "graph");
    json.writeStringField("severity", model.severity());
    json.writeStringField("kind", kind.name().toLowerCase(Locale.ROOT));
    json.writeNumberField("time", readyAt);
    json.writeNumberField(
        "start", all.stream().mapToLong(GraphMatchJson::start).min().orElseThrow());
    json.writeNumberField("end", all.stream().mapToLong(GraphMatchJson::end).max().orElseThrow());
    MatchWriting.steps(json, model, seen, (out, event) -> writeSight(out, (GraphSight) event));
    json.writeStringField("runbook", model.runbook());
    MatchWriting.mark(json, dryRun);
    json.writeEndObject();
  }

  private static long start(GraphSight sight) {
    return sight.source() == null ? sight.time() : sight.source().start();
  }

  private static long end(GraphSight sight) {
    return sight.source() == null ? sight.time() : sight.source().end();
  }

  private static void writeSight(JsonGenerator json, GraphSight sight) throws IOException {
    GraphSight.Source source = sight.source();
    json.writeStartObject();
    json.writeNumberField("time", sight.time());
    MatchWriting.number(json, "value", source == null ? Double.NaN : source.value());
    MatchWriting.number(json, "z", source == null ? Double.NaN : source.z());
    json.writeStringField("metric", source == null ? null : source.metric());
    json.writeStringField("signal", source == null ? null : source.signal());
    MatchWriting.number(json, "baseline", Double.NaN);
    json.writeStringField("unit", source == null ? null : source.unit());
    json.writeStringField("peer", sight.peer());
    json.writeStringField("node", sight.node());
    json.writeStringField("pattern", source == null ? null : source.pattern());
    json.writeEndObject();
  }
}
