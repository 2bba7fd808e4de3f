package io.faultline.cep;

import io.faultline.cep.PatternModel.AfterMatch;
import io.faultline.cep.PatternModel.Contiguity;
import io.faultline.cep.PatternModel.Key;
import io.faultline.cep.PatternModel.Skip;
import io.faultline.cep.PatternModel.Step;
import io.faultline.cep.PatternModel.Times;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** Reads a {@link PatternModel} from JSON. Unknown keys and constructs are refused by name. */
public final class PatternReader {
  /** Each repetition is a state of the automaton. */
  static final int MAX_TIMES = 1000;

  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final Set<String> SEVERITIES = Set.of("critical", "warning", "info");

  private PatternReader() {}

  /**
   * The patterns of a JSON list, without those that are refused: one bad pattern stops no other.
   *
   * @param refused gains a line for each that is left out
   */
  public static List<PatternModel> readAll(JsonNode list, Collection<Refusal> refused) {
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
    Key key = key(fields);
    String maturity = fields.optionalText("maturity");
    String severity = severity(fields);
    String runbook = fields.optionalText("runbook");
    long withinMs = within(fields);
    AfterMatch afterMatch = afterMatch(fields.node("after_match"));
    List<Step> steps = steps(fields.list("steps"));
    select(fields.node("select"));
    fields.done();
    checkSkip(afterMatch, steps);
    return new PatternModel(
        id, version, key, maturity, severity, runbook, withinMs, afterMatch, steps);
  }

  private static Key key(JsonFields fields) throws PatternRefusedException {
    if ("graph".equals(fields.text("key"))) {
      throw new PatternRefusedException(
          "'key' is 'graph': patterns over a whole graph are not supported in this version");
    }
    return fields.choice("key", Key.class, null);
  }

  private static String severity(JsonFields fields) throws PatternRefusedException {
    String severity = fields.node("severity") == null ? "warning" : fields.text("severity");
    if (!SEVERITIES.contains(severity)) {
      throw new PatternRefusedException(
          "'severity' is '" + severity + "', not one of critical, warning, info");
    }
    return severity;
  }

  private static long within(JsonFields fields) throws PatternRefusedException {
    if (fields.node("within_ms") == null) {
      return 0;
    }
    long within = fields.integer("within_ms");
    if (within <= 0) {
      throw new PatternRefusedException(
          "'within_ms' is " + within + ": no match fits into it; leave it out for no limit");
    }
    return within;
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

  private static void checkSkip(AfterMatch skip, List<Step> steps) throws PatternRefusedException {
    if (skip.step() != null && steps.stream().noneMatch(s -> s.name().equals(skip.step()))) {
      throw new PatternRefusedException("after_match: there is no step '" + skip.step() + "'");
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

  private static List<Step> steps(List<JsonNode> json) throws PatternRefusedException {
    if (json.isEmpty()) {
      throw new PatternRefusedException("'steps' is empty");
    }
    Map<String, Step> steps = new LinkedHashMap<>();
    List<String> takes = new ArrayList<>();
    for (JsonNode node : json) {
      JsonFields fields = new JsonFields(node);
      if (fields.has("group")) {
        throw new PatternRefusedException(
            "'group': groups of steps are not supported in this version");
      }
      String name = stepName(fields);
      try {
        Step step = step(name, fields, takes);
        if (steps.putIfAbsent(name, step) != null) {
          throw new PatternRefusedException("there are two steps of this name");
        }
      } catch (PatternRefusedException e) {
        throw e.in("step '" + name + "'");
      }
    }
    return List.copyOf(steps.values());
  }

  private static String stepName(JsonFields fields) throws PatternRefusedException {
    String name = fields.text("name");
    if (!NAME.matcher(name).matches()) {
      throw new PatternRefusedException(
          "step '" + name + "': a name is letters, digits and _, and begins with no digit");
    }
    return name;
  }

  /**
   * @param takes steps so far that hold samples: what a condition may ask for; gains this one
   */
  private static Step step(String name, JsonFields fields, List<String> takes)
      throws PatternRefusedException {
    Contiguity contiguity = fields.choice("contiguity", Contiguity.class, Contiguity.FOLLOWED_BY);
    if (!contiguity.isNegative()) {
      takes.add(name);
    }
    ExprReader conditions = new ExprReader(takes);
    Step step =
        new Step(
            name,
            condition(fields, "where", conditions),
            contiguity,
            times(fields.node("times")),
            fields.flag("one_or_more"),
            fields.flag("optional"),
            fields.flag("greedy"),
            fields.flag("consecutive"),
            fields.flag("combinations"),
            condition(fields, "until", conditions));
    fields.done();
    return step;
  }

  @Nullable
  private static Expr condition(JsonFields fields, String name, ExprReader reader)
      throws PatternRefusedException {
    JsonNode json = fields.node(name);
    try {
      return json == null ? null : reader.condition(json);
    } catch (PatternRefusedException e) {
      throw e.in(name);
    }
  }

  @Nullable
  private static Times times(@Nullable JsonNode json) throws PatternRefusedException {
    if (json == null) {
      return null;
    }
    try {
      JsonFields fields = new JsonFields(json);
      int from = fields.count("from");
      int to = fields.node("to") == null ? -1 : fields.count("to");
      fields.done();
      if (to == 0 || (to >= 0 && to < from) || (to < 0 && from == 0)) {
        throw new PatternRefusedException(
            "a step repeats at least once, and 'to' is not below 'from': from "
                + from
                + " to "
                + to);
      }
      if (Math.max(from, to) > MAX_TIMES) {
        throw new PatternRefusedException("at most " + MAX_TIMES + " repetitions");
      }
      return new Times(from, to);
    } catch (PatternRefusedException e) {
      throw e.in("times");
    }
  }
}
