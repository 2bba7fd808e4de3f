package io.faultline.cep;

import io.faultline.records.SeriesKey;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonGenerator;

/** A match as UTF-8 JSON: the record of topic faultline.matches.v1. What is missing is null. */
public final class MatchJson {
  /** How a partial match ended. */
  public enum Kind {
    MATCH,
    TIMEOUT
  }

  private MatchJson() {}

  /**
   * @param dryRun whether the match is marked as one that opens no incident
   * @param samples by step, as the engine tells them; at least one
   * @param readyAt when event time decided it, ms UTC
   */
  public static byte[] render(
      PatternModel model,
      boolean dryRun,
      Kind kind,
      Map<String, List<Event>> samples,
      long readyAt) {
    return MatchWriting.bytes(json -> write(json, model, dryRun, kind, samples, readyAt));
  }

  private static void write(
      JsonGenerator json,
      PatternModel model,
      boolean dryRun,
      Kind kind,
      Map<String, List<Event>> samples,
      long readyAt)
      throws IOException {
    SeriesRef series = ((SampleEvent) samples.values().iterator().next().get(0)).series();
    json.writeStartObject();
    json.writeStringField("graph", series.graph());
    json.writeStringField("node", series.node());
    json.writeStringField("peer", commonPeer(samples));
    writeSeries(json, model.key() == PatternModel.Key.SERIES ? series : null);
    json.writeStringField("pattern", model.id());
    json.writeNumberField("version", model.version());
    json.writeStringField("key", model.key().name().toLowerCase(Locale.ROOT));
    json.writeStringField("severity", model.severity());
    json.writeStringField("kind", kind.name().toLowerCase(Locale.ROOT));
    json.writeNumberField("time", readyAt);
    json.writeNumberField("start", edge(samples, true));
    json.writeNumberField("end", edge(samples, false));
    MatchWriting.steps(json, model, samples, (out, event) -> writeSample(out, (SampleEvent) event));
    json.writeStringField("runbook", model.runbook());
    MatchWriting.mark(json, dryRun);
    json.writeEndObject();
  }

  /** The caller that all samples have in common, or null. */
  @Nullable
  private static String commonPeer(Map<String, List<Event>> samples) {
    List<String> peers =
        samples.values().stream()
            .flatMap(List::stream)
            .map(e -> ((SampleEvent) e).series().key().peer())
            .map(peer -> Objects.requireNonNullElse(peer, ""))
            .distinct()
            .toList();
    return peers.size() == 1 && !peers.get(0).isEmpty() ? peers.get(0) : null;
  }

  private static long edge(Map<String, List<Event>> samples, boolean first) {
    var times = samples.values().stream().flatMap(List::stream).mapToLong(Event::time);
    return (first ? times.min() : times.max()).orElseThrow();
  }

  private static void writeSeries(JsonGenerator json, @Nullable SeriesRef ref) throws IOException {
    if (ref == null) {
      json.writeNullField("series");
      return;
    }
    SeriesKey key = ref.key();
    json.writeObjectFieldStart("series");
    json.writeStringField("metric", key.metric());
    json.writeObjectFieldStart("labels");
    for (Map.Entry<String, String> label : key.labelMap().entrySet()) {
      json.writeStringField(label.getKey(), label.getValue());
    }
    json.writeEndObject();
    json.writeStringField("signal", ref.signal().wireName());
    json.writeStringField("unit", ref.unit());
    json.writeStringField("peer", key.peer());
    json.writeEndObject();
  }

  private static void writeSample(JsonGenerator json, SampleEvent e) throws IOException {
    json.writeStartObject();
    json.writeNumberField("time", e.time());
    MatchWriting.number(json, "value", e.value());
    MatchWriting.number(json, "z", e.z());
    json.writeStringField("metric", e.series().key().metric());
    json.writeStringField("signal", e.series().signal().wireName());
    MatchWriting.number(json, "baseline", e.baseline());
    json.writeStringField("unit", e.series().unit());
    json.writeStringField("peer", e.series().key().peer());
    json.writeEndObject();
  }
}
