package io.faultline.cep;

import io.faultline.cep.PatternModel.Contiguity;
import io.faultline.cep.PatternModel.Group;
import io.faultline.cep.PatternModel.Part;
import io.faultline.cep.PatternModel.Repeat;
import io.faultline.cep.PatternModel.Step;
import io.faultline.cep.PatternModel.Times;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * Reads the steps and groups of a pattern. A condition may ask for the samples of the steps before
 * it and of its own, and inside a repeated group for those of all steps of the group.
 */
final class PartsReader {
  /** Each repetition is a state of the automaton. */
  static final int MAX_TIMES = 1000;

  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final int MAX_DEPTH = 20;

  private final Vocabulary vocabulary;
  private final Set<String> names = new HashSet<>();

  PartsReader(Vocabulary vocabulary) {
    this.vocabulary = vocabulary;
  }

  /** The parts of a pattern. */
  List<Part> read(List<JsonNode> json) throws PatternRefusedException {
    return parts(json, "steps", new LinkedHashSet<>(), 0);
  }

  /**
   * @param seen steps that may hold samples; gains those that are read
   */
  private List<Part> parts(List<JsonNode> json, String key, Set<String> seen, int depth)
      throws PatternRefusedException {
    if (json.isEmpty()) {
      throw new PatternRefusedException("'" + key + "' is empty");
    }
    if (depth > MAX_DEPTH) {
      throw new PatternRefusedException("groups nested deeper than " + MAX_DEPTH);
    }
    List<Part> out = new ArrayList<>();
    for (JsonNode node : json) {
      JsonFields fields = new JsonFields(node);
      out.add(fields.has("group") ? group(fields, seen, depth) : step(fields, seen));
    }
    return List.copyOf(out);
  }

  private Part group(JsonFields fields, Set<String> seen, int depth)
      throws PatternRefusedException {
    List<JsonNode> inside = fields.list("group");
    Set<String> all = new LinkedHashSet<>(seen);
    taking(inside, all);
    boolean again = fields.has("times") || fields.flag("one_or_more");
    List<Part> parts = parts(inside, "group", again ? new LinkedHashSet<>(all) : seen, depth + 1);
    seen.addAll(all);
    try {
      Repeat repeat = repeat(fields, new ExprReader(all, vocabulary));
      fields.done();
      return new Group(parts, repeat);
    } catch (PatternRefusedException e) {
      throw e.in("group");
    }
  }

  /** Adds the names of the steps that take samples. */
  private static void taking(List<JsonNode> parts, Set<String> names) {
    for (JsonNode part : parts) {
      if (part.path("group").isArray()) {
        List<JsonNode> inside = new ArrayList<>();
        part.get("group").forEach(inside::add);
        taking(inside, names);
      } else if (!part.path("contiguity").asText("").startsWith("not_")) {
        names.add(part.path("name").asText(""));
      }
    }
  }

  private Step step(JsonFields fields, Set<String> seen) throws PatternRefusedException {
    String name = name(fields);
    try {
      if (!names.add(name)) {
        throw new PatternRefusedException("there are two steps of this name");
      }
      if (!contiguity(fields).isNegative()) {
        seen.add(name);
      }
      ExprReader conditions = new ExprReader(seen, vocabulary);
      Step step =
          new Step(
              name,
              condition(fields, "where", conditions),
              fields.duration("within_ms"),
              repeat(fields, conditions));
      fields.done();
      return step;
    } catch (PatternRefusedException e) {
      throw e.in("step '" + name + "'");
    }
  }

  private static String name(JsonFields fields) throws PatternRefusedException {
    String name = fields.text("name");
    if (!NAME.matcher(name).matches()) {
      throw new PatternRefusedException(
          "step '" + name + "': a name is letters, digits and _, and begins with no digit");
    }
    return name;
  }

  private static Contiguity contiguity(JsonFields fields) throws PatternRefusedException {
    return fields.choice("contiguity", Contiguity.class, Contiguity.FOLLOWED_BY);
  }

  private static Repeat repeat(JsonFields fields, ExprReader conditions)
      throws PatternRefusedException {
    return new Repeat(
        contiguity(fields),
        times(fields.node("times")),
        fields.flag("one_or_more"),
        fields.flag("optional"),
        fields.flag("greedy"),
        fields.flag("consecutive"),
        fields.flag("combinations"),
        condition(fields, "until", conditions));
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
