package io.faultline.cep;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonGenerator;

/** What the records of matches have in common, whatever the pattern looks at. */
final class MatchWriting {
  static final String DRY_RUN = "dry_run";

  private static final JsonFactory JSON = new JsonFactory();

  private MatchWriting() {}

  /** Writes a whole record. */
  @FunctionalInterface
  interface Body {
    void write(JsonGenerator json) throws IOException;
  }

  /** Writes one event that a step took. */
  @FunctionalInterface
  interface Taken {
    void write(JsonGenerator json, Event event) throws IOException;
  }

  static byte[] bytes(Body body) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(512);
    try (JsonGenerator json = JSON.createGenerator(out)) {
      body.write(json);
    } catch (IOException e) {
      throw new IllegalStateException("a match could not be written", e);
    }
    return out.toByteArray();
  }

  /** In the order of the pattern; steps that took nothing are left out. */
  static void steps(
      JsonGenerator json, PatternModel model, Map<String, List<Event>> seen, Taken one)
      throws IOException {
    json.writeArrayFieldStart("steps");
    for (PatternModel.Step step : model.steps()) {
      List<Event> taken = seen.get(step.name());
      if (taken == null) {
        continue;
      }
      json.writeStartObject();
      json.writeStringField("name", step.name());
      json.writeArrayFieldStart("samples");
      for (Event event : taken) {
        one.write(json, event);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** Says that a match opens no incident; one that may says nothing of it. */
  static void mark(JsonGenerator json, boolean dryRun) throws IOException {
    if (dryRun) {
      json.writeBooleanField(DRY_RUN, true);
    }
  }

  /** Null where it is not finite. */
  static void number(JsonGenerator json, String name, double value) throws IOException {
    if (Double.isFinite(value)) {
      json.writeNumberField(name, value);
    } else {
      json.writeNullField(name);
    }
  }
}
