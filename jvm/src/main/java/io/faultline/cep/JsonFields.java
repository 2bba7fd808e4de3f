package io.faultline.cep;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** One JSON object, read key by key; {@link #done} refuses the keys nobody asked for. */
final class JsonFields {
  /** Longer windows are refused: with the time of a sample they must fit into 64 bits. */
  private static final long LONGEST_MS = 36_525L * 86_400_000;

  private final JsonNode object;
  private final Set<String> asked = new LinkedHashSet<>();

  JsonFields(JsonNode node) throws PatternRefusedException {
    if (node == null || !node.isObject()) {
      throw new PatternRefusedException("expected an object, found " + node);
    }
    this.object = node;
  }

  boolean has(String name) {
    return object.hasNonNull(name);
  }

  /** The value of a key, or null where it is absent or null. */
  @Nullable
  JsonNode node(String name) {
    asked.add(name);
    return object.hasNonNull(name) ? object.get(name) : null;
  }

  JsonNode required(String name) throws PatternRefusedException {
    JsonNode node = node(name);
    if (node == null) {
      throw new PatternRefusedException("'" + name + "' is missing");
    }
    return node;
  }

  String text(String name) throws PatternRefusedException {
    JsonNode node = required(name);
    if (!node.isTextual() || node.textValue().isEmpty()) {
      throw new PatternRefusedException("'" + name + "' must be a text, not " + node);
    }
    return node.textValue();
  }

  /** Null where the key is absent, null or empty. */
  @Nullable
  String optionalText(String name) throws PatternRefusedException {
    JsonNode node = node(name);
    return node == null || node.asText("?").isEmpty() ? null : text(name);
  }

  boolean flag(String name) throws PatternRefusedException {
    JsonNode node = node(name);
    if (node != null && !node.isBoolean()) {
      throw new PatternRefusedException("'" + name + "' must be true or false, not " + node);
    }
    return node != null && node.booleanValue();
  }

  long integer(String name) throws PatternRefusedException {
    JsonNode node = required(name);
    if (!node.isIntegralNumber() || !node.canConvertToLong()) {
      throw new PatternRefusedException("'" + name + "' must be a whole number, not " + node);
    }
    return node.longValue();
  }

  int count(String name) throws PatternRefusedException {
    long value = integer(name);
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw new PatternRefusedException("'" + name + "' is out of range: " + value);
    }
    return (int) value;
  }

  /** Milliseconds; 0 where the key is absent. */
  long duration(String name) throws PatternRefusedException {
    if (node(name) == null) {
      return 0;
    }
    long ms = integer(name);
    if (ms <= 0) {
      throw new PatternRefusedException(
          "'" + name + "' is " + ms + ": no match fits into it; leave it out for no limit");
    }
    if (ms > LONGEST_MS) {
      throw new PatternRefusedException(
          "'" + name + "' is " + ms + ": longer than a hundred years");
    }
    return ms;
  }

  List<JsonNode> list(String name) throws PatternRefusedException {
    JsonNode node = required(name);
    if (!node.isArray()) {
      throw new PatternRefusedException("'" + name + "' must be a list, not " + node);
    }
    List<JsonNode> out = new ArrayList<>(node.size());
    node.forEach(out::add);
    return out;
  }

  /** The constant of that name in lower case, or the default where the key is absent. */
  <E extends Enum<E>> E choice(String name, Class<E> type, @Nullable E absent)
      throws PatternRefusedException {
    if (absent != null && node(name) == null) {
      return absent;
    }
    String word = text(name);
    List<String> known = new ArrayList<>();
    for (E constant : type.getEnumConstants()) {
      String wire = constant.name().toLowerCase(Locale.ROOT);
      if (wire.equals(word)) {
        return constant;
      }
      known.add(wire);
    }
    throw new PatternRefusedException(
        "'" + name + "' is '" + word + "', not one of " + String.join(", ", known));
  }

  /** Refuses keys that were not asked for. */
  void done() throws PatternRefusedException {
    for (Iterator<String> names = object.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!asked.contains(name)) {
        throw new PatternRefusedException(
            "unknown key '" + name + "'; known are " + String.join(", ", asked));
      }
    }
  }
}
