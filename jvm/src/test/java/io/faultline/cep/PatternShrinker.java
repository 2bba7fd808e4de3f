package io.faultline.cep;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Makes a pattern smaller as long as something still holds of it: steps go, groups become their
 * steps, quantifiers and halves of conditions go. Its window stays, since without one a pattern may
 * not end.
 */
final class PatternShrinker {
  private static final List<String> EXTRAS =
      List.of(
          "times",
          "one_or_more",
          "optional",
          "greedy",
          "consecutive",
          "combinations",
          "until",
          "within_ms",
          "contiguity");

  /** What must go on holding. */
  interface Property {
    boolean holds(String pattern) throws Exception;
  }

  private final Property property;
  private int tries;

  /**
   * @param tries how often the property may be asked
   */
  PatternShrinker(Property property, int tries) {
    this.property = property;
    this.tries = tries;
  }

  /** The smallest pattern found of which the property holds, at least the given one. */
  String shrink(String pattern) throws Exception {
    JsonNode best = Patterns.json(pattern);
    boolean smaller = true;
    while (smaller && tries > 0) {
      smaller = false;
      for (JsonNode candidate : smallerOnes(best)) {
        if (tries-- > 0 && isPattern(candidate) && property.holds(candidate.toString())) {
          best = candidate;
          smaller = true;
          break;
        }
      }
    }
    return best.toString();
  }

  private static boolean isPattern(JsonNode candidate) {
    try {
      CompiledPattern.of(PatternReader.read(candidate), true);
      return true;
    } catch (PatternRefusedException refused) {
      return false;
    }
  }

  /** Each a step smaller, the largest steps first. */
  private static List<JsonNode> smallerOnes(JsonNode pattern) {
    List<JsonNode> out = new ArrayList<>();
    parts(pattern, "steps", out, changed -> changed);
    if (!"no_skip".equals(pattern.path("after_match").path("kind").asText("no_skip"))) {
      ObjectNode plain = pattern.deepCopy();
      plain.remove("after_match");
      out.add(plain);
    }
    return out;
  }

  /** Puts a smaller piece in its place. */
  private interface Within {
    JsonNode put(JsonNode piece);
  }

  private static void parts(JsonNode owner, String key, List<JsonNode> out, Within within) {
    ArrayNode list = (ArrayNode) owner.get(key);
    Within here =
        changed -> {
          ObjectNode copy = owner.deepCopy();
          copy.set(key, changed);
          return within.put(copy);
        };
    for (int i = 0; i < list.size() && list.size() > 1; i++) {
      ArrayNode fewer = list.deepCopy();
      fewer.remove(i);
      out.add(here.put(fewer));
    }
    for (int i = 0; i < list.size(); i++) {
      int at = i;
      Within part =
          changed -> {
            ArrayNode copy = list.deepCopy();
            copy.set(at, changed);
            return here.put(copy);
          };
      part((ObjectNode) list.get(i), list, at, out, here, part);
    }
  }

  private static void part(
      ObjectNode part, ArrayNode list, int at, List<JsonNode> out, Within whole, Within own) {
    if (part.has("group")) {
      ArrayNode flat = list.arrayNode();
      for (int i = 0; i < list.size(); i++) {
        if (i == at) {
          flat.addAll((ArrayNode) part.get("group").deepCopy());
        } else {
          flat.add(list.get(i));
        }
      }
      out.add(whole.put(flat));
      parts(part, "group", out, own);
    }
    for (String extra : EXTRAS) {
      if (part.has(extra)) {
        ObjectNode without = part.deepCopy();
        without.remove(extra);
        out.add(own.put(without));
      }
    }
    if (part.has("where")) {
      for (JsonNode half : halves(part.get("where"))) {
        ObjectNode simpler = part.deepCopy();
        simpler.set("where", half);
        out.add(own.put(simpler));
      }
    }
  }

  /** What a condition is made of. */
  private static List<JsonNode> halves(JsonNode where) {
    List<JsonNode> out = new ArrayList<>();
    String op = where.path("op").asText();
    if (op.equals("and") || op.equals("or")) {
      where.get("args").forEach(out::add);
    } else if (op.equals("not")) {
      out.add(where.get("arg"));
    }
    return out;
  }
}
