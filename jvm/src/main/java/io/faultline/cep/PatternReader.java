package io.faultline.cep;

import io.faultline.cep.PatternModel.AfterMatch;
import io.faultline.cep.PatternModel.Key;
import io.faultline.cep.PatternModel.Part;
import io.faultline.cep.PatternModel.Skip;
import io.faultline.cep.PatternModel.Step;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** Reads a {@link PatternModel} from JSON. Unknown keys and constructs are refused by name. */
public final class PatternReader {
  private static final Set<String> SEVERITIES = Set.of("critical", "warning", "info");

  private enum OnTimeout {
    NOTHING,
    MATCH
  }

  private PatternReader() {}

  /**
   * The patterns of a JSON list, without those that are refused: one bad pattern stops no other.
   *
   * @param refused gains a line for each that is left out
   */
  public static List<PatternModel> readAll(Iterable<JsonNode> list, Collection<Refusal> refused) {
    Map<String, PatternModel> models = new LinkedHashMap<>();
    for (JsonNode json : list) {
      try {
        PatternModel model = read(json);
        if (models.putIfAbsent(model.id(), model) != null) {
          throw new PatternRefusedException("there are two patterns of this id");
        }
      } catch (PatternRefusedException e) {
        refused.add(
            new Refusal(json.path("id").asText(""), json.path("version").asInt(0), e.getMessage()));
      }
    }
    return List.copyOf(models.values());
  }

  /** The pattern of one JSON object. */
  public static PatternModel read(JsonNode json) throws PatternRefusedException {
    JsonFields fields = new JsonFields(json);
    String id = fields.text("id");
    int version = fields.count("version");
    Key key = fields.choice("key", Key.class, null);
    String maturity = fields.optionalText("maturity");
    String severity = severity(fields);
    String runbook = fields.optionalText("runbook");
    long withinMs = fields.duration("within_ms");
    AfterMatch afterMatch = afterMatch(fields.node("after_match"));
    OnTimeout onTimeout = fields.choice("on_timeout", OnTimeout.class, OnTimeout.NOTHING);
    Map<String, Expr.Type> row = fields(key, fields.node("fields"));
    List<Part> parts = new PartsReader(vocabulary(key, row)).read(fields.list("steps"));
    select(fields.node("select"));
    fields.done();
    checkSkip(afterMatch, parts);
    return new PatternModel(
        id,
        version,
        key,
        maturity,
        severity,
        runbook,
        withinMs,
        afterMatch,
        onTimeout == OnTimeout.MATCH,
        row,
        parts);
  }

  /** The declared fields of a row. */
  private static Map<String, Expr.Type> fields(Key key, @Nullable JsonNode json)
      throws PatternRefusedException {
    if (key != Key.ROW || json == null) {
      if (key == Key.ROW || json != null) {
        throw new PatternRefusedException("'fields' is for patterns with key row, which need it");
      }
      return Map.of();
    }
    JsonFields fields = new JsonFields(json);
    Map<String, Expr.Type> out = new LinkedHashMap<>();
    for (Iterator<String> names = json.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      out.put(name, fields.choice(name, Expr.Type.class, null));
    }
    if (out.containsValue(Expr.Type.NOTHING)) {
      throw new PatternRefusedException("'fields': a type is number, text or truth");
    }
    return out;
  }

  private static Vocabulary vocabulary(Key key, Map<String, Expr.Type> fields) {
    return switch (key) {
      case SERIES, NODE -> Vocabulary.SAMPLE;
      case GRAPH -> GraphField.VOCABULARY;
      case ROW -> new RowVocabulary(fields);
    };
  }

  private static String severity(JsonFields fields) throws PatternRefusedException {
    String severity = fields.node("severity") == null ? "warning" : fields.text("severity");
    if (!SEVERITIES.contains(severity)) {
      throw new PatternRefusedException(
          "'severity' is '" + severity + "', not one of critical, warning, info");
    }
    return severity;
  }

  private static AfterMatch afterMatch(@Nullable JsonNode json) throws PatternRefusedException {
    if (json == null) {
      return AfterMatch.NO_SKIP;
    }
    try {
      JsonFields fields = new JsonFields(json);
      Skip kind = fields.choice("kind", Skip.class, null);
      String step = fields.optionalText("step");
      fields.done();
      if (kind.namesStep() == (step == null)) {
        throw new PatternRefusedException(
            step == null ? "'step' is missing" : "'step' is not for this kind");
      }
      return new AfterMatch(kind, step);
    } catch (PatternRefusedException e) {
      throw e.in("after_match");
    }
  }

  private static void checkSkip(AfterMatch skip, List<Part> parts) throws PatternRefusedException {
    if (skip.step() != null
        && parts.stream().noneMatch(p -> p instanceof Step s && s.name().equals(skip.step()))) {
      throw new PatternRefusedException(
          "after_match: there is no step '" + skip.step() + "' outside groups");
    }
  }

  /** The index hint of the sender; the engine derives its own. */
  private static void select(@Nullable JsonNode json) throws PatternRefusedException {
    if (json == null) {
      return;
    }
    JsonFields fields = new JsonFields(json);
    fields.node("signals");
    fields.node("metrics");
    try {
      fields.done();
    } catch (PatternRefusedException e) {
      throw e.in("select");
    }
  }
}
