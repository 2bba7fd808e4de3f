package io.faultline.config;

import java.io.IOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.StreamReadFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.DeserializationFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonMappingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.MapperFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.PropertyNamingStrategies;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.json.JsonMapper;

/** JSON to typed records (snake_case keys) with errors that a person can act on. */
public final class Json {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
          .build();

  private Json() {}

  /** The shared mapper; its configuration must not be changed. */
  public static ObjectMapper mapper() {
    return MAPPER;
  }

  /** Reads text as a typed record; throws {@link ConfigException} naming place, key and mend. */
  public static <T> T read(String text, Class<T> type, String what) {
    try {
      return require(MAPPER.readValue(text, type), what);
    } catch (JsonProcessingException e) {
      throw explained(e, what);
    }
  }

  /** As {@link #read(String, Class, String)} from bytes. */
  public static <T> T read(byte[] text, Class<T> type, String what) {
    try {
      return require(MAPPER.readValue(text, type), what);
    } catch (JsonProcessingException e) {
      throw explained(e, what);
    } catch (IOException e) {
      throw new ConfigException(what + ": cannot be read: " + e.getMessage());
    }
  }

  private static <T> T require(T value, String what) {
    if (value == null) {
      throw new ConfigException(what + ": a JSON object is wanted, found null");
    }
    return value;
  }

  private static ConfigException explained(JsonProcessingException e, String what) {
    if (e instanceof UnrecognizedPropertyException unknown) {
      return unknownKey(unknown, what);
    }
    Throwable cause = e.getCause();
    String place = e instanceof JsonMappingException m ? place(m) : "";
    String message = cause instanceof ConfigException ? cause.getMessage() : e.getOriginalMessage();
    return new ConfigException(what + place + ": " + message);
  }

  private static ConfigException unknownKey(UnrecognizedPropertyException e, String what) {
    String key = e.getPropertyName();
    Collection<Object> known = e.getKnownPropertyIds();
    String nearest =
        known.stream()
            .map(Object::toString)
            .min(Comparator.comparingInt((String k) -> distance(key, k)).thenComparing(k -> k))
            .orElse("nothing");
    return new ConfigException(
        what
            + place(e)
            + ": unknown key '"
            + key
            + "', the nearest known key is '"
            + nearest
            + "'");
  }

  private static String place(JsonMappingException e) {
    return e.getPath().stream()
        .map(r -> r.getFieldName() == null ? "[" + r.getIndex() + "]" : "." + r.getFieldName())
        .collect(Collectors.joining());
  }

  /** Levenshtein distance. */
  static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substituted, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }

  /** The whole numbers of an object by name, in its order; none of what is no object. */
  public static Map<String, Long> longs(JsonNode object) {
    Map<String, Long> longs = new LinkedHashMap<>();
    object.fields().forEachRemaining(e -> longs.put(e.getKey(), e.getValue().asLong()));
    return longs;
  }
}
