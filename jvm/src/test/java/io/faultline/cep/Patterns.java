package io.faultline.cep;

import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/** Patterns and conditions for tests, written short: what Python would ship as JSON. */
final class Patterns {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Patterns() {}

  static JsonNode json(String text) {
    try {
      return JSON.readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  static PatternModel read(String text) throws PatternRefusedException {
    return PatternReader.read(json(text));
  }

  /**
   * @param extra keys after the usual ones, such as {@code 'within_ms':30000}; may be empty
   */
  static String pattern(String id, String extra, String... steps) {
    return "{'id':'%s','version':1,'key':'series'%s,'steps':[%s]}"
        .formatted(id, extra.isEmpty() ? "" : "," + extra, String.join(",", steps));
  }

  static String step(String name, String where, String... extra) {
    String more = Arrays.stream(extra).map(e -> "," + e).collect(Collectors.joining());
    return "{'name':'%s','where':%s%s}".formatted(name, where, more);
  }

  static String times(int from, int to) {
    return "'times':{'from':%d,'to':%d}".formatted(from, to);
  }

  static String contiguity(String word) {
    return "'contiguity':'%s'".formatted(word);
  }

  static String afterMatch(String kind) {
    return "'after_match':{'kind':'%s'}".formatted(kind);
  }

  static String afterMatch(String kind, String step) {
    return "'after_match':{'kind':'%s','step':'%s'}".formatted(kind, step);
  }

  static String within(long ms) {
    return "'within_ms':" + ms;
  }

  /** {@code field op number} */
  static String is(String field, String op, double number) {
    return op(op, field(field), constant(number));
  }

  static String op(String op, String left, String right) {
    return "{'op':'%s','left':%s,'right':%s}".formatted(op, left, right);
  }

  static String and(String... args) {
    return "{'op':'and','args':[%s]}".formatted(String.join(",", args));
  }

  static String or(String... args) {
    return "{'op':'or','args':[%s]}".formatted(String.join(",", args));
  }

  static String math(String op, String... args) {
    return "{'op':'%s','args':[%s]}".formatted(op, String.join(",", args));
  }

  static String field(String name) {
    return "{'field':'%s'}".formatted(name);
  }

  static String constant(double number) {
    return "{'const':%s}".formatted(number);
  }

  static String text(String text) {
    return "{'const':'%s'}".formatted(text);
  }

  static String agg(String fold, String step, String field) {
    return "{'agg':'%s','step':'%s','field':'%s'}".formatted(fold, step, field);
  }

  static String count(String step) {
    return "{'agg':'count','step':'%s'}".formatted(step);
  }
}
