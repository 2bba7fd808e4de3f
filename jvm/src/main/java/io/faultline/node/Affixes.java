package io.faultline.node;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Texts of which a name must have one as its beginning, or as its end, to match a regular
 * expression: most expressions can be ruled out by them, at a small part of the cost. What is not
 * understood of an expression rules nothing out.
 */
final class Affixes {
  private static final int MOST = 128;

  private final String[] texts;
  private final boolean atEnd;

  private Affixes(String[] texts, boolean atEnd) {
    this.texts = texts;
    this.atEnd = atEnd;
  }

  /** The beginnings of an expression, or its ends where it may begin with anything. */
  static Affixes of(String regex) {
    List<Part> parts = new Reader(regex).alternatives();
    if (parts == null) {
      return new Affixes(new String[] {""}, false);
    }
    Affixes beginnings = new Affixes(texts(parts, false), false);
    return beginnings.rulesOut() ? beginnings : new Affixes(texts(parts, true), true);
  }

  private boolean rulesOut() {
    for (String text : texts) {
      if (text.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /** The texts, one of which a name must have; the empty one where nothing is ruled out. */
  List<String> texts() {
    return List.of(texts);
  }

  /** Whether a name must end with them, and not begin with them. */
  boolean atEnd() {
    return atEnd;
  }

  /**
   * A part of an expression.
   *
   * @param literal one character, or null
   * @param alternatives of a group, or null; with neither it is anything
   * @param optional whether it may be absent
   * @param repeated whether more of it may follow
   */
  private record Part(
      @Nullable String literal,
      @Nullable List<List<Part>> alternatives,
      boolean optional,
      boolean repeated) {}

  /** Each text with whether it is complete, so that more can be added to it. */
  private static String[] texts(List<Part> parts, boolean atEnd) {
    return grown(parts, atEnd).keySet().toArray(new String[0]);
  }

  private static Map<String, Boolean> grown(List<Part> parts, boolean atEnd) {
    Map<String, Boolean> all = new LinkedHashMap<>(Map.of("", true));
    for (int i = 0; i < parts.size(); i++) {
      Part part = parts.get(atEnd ? parts.size() - 1 - i : i);
      Map<String, Boolean> next = new LinkedHashMap<>();
      all.forEach((text, complete) -> grow(text, complete, part, atEnd, next));
      if (next.size() > MOST) {
        all.replaceAll((text, complete) -> false);
        return all;
      }
      all = next;
    }
    return all;
  }

  private static void grow(
      String text, boolean complete, Part part, boolean atEnd, Map<String, Boolean> into) {
    if (!complete || part.optional()) {
      put(into, text, complete);
    }
    if (!complete) {
      return;
    }
    if (part.literal() != null) {
      put(into, joined(text, part.literal(), atEnd), !part.repeated());
    } else if (part.alternatives() == null) {
      put(into, text, false);
    } else {
      for (List<Part> alternative : part.alternatives()) {
        grown(alternative, atEnd)
            .forEach(
                (inner, whole) -> put(into, joined(text, inner, atEnd), whole && !part.repeated()));
      }
    }
  }

  private static void put(Map<String, Boolean> into, String text, boolean complete) {
    into.merge(text, complete, Boolean::logicalAnd);
  }

  private static String joined(String text, String more, boolean atEnd) {
    return atEnd ? more + text : text + more;
  }

  /** Reads an expression; gives up, with null, at what it does not know. */
  private static final class Reader {
    private final String regex;
    private int at;

    Reader(String regex) {
      this.regex = regex;
    }

    /** The whole expression as one part. */
    @Nullable
    List<Part> alternatives() {
      List<List<Part>> read = group();
      return read == null || at < regex.length()
          ? null
          : List.of(new Part(null, read, false, false));
    }

    @Nullable
    private List<List<Part>> group() {
      List<List<Part>> all = new ArrayList<>();
      List<Part> parts = new ArrayList<>();
      while (at < regex.length() && regex.charAt(at) != ')') {
        if (regex.charAt(at) == '|') {
          at++;
          all.add(parts);
          parts = new ArrayList<>();
        } else {
          Part part = part();
          if (part == null) {
            return null;
          }
          parts.add(part);
        }
      }
      all.add(parts);
      return all;
    }

    @Nullable
    private Part part() {
      char c = regex.charAt(at++);
      switch (c) {
        case '(':
          return parenthesis();
        case '[':
          return charClass();
        case '.':
          return quantified(null, null);
        case '\\':
          return escaped();
        case '^', '$', '{', '?', '*', '+':
          return null;
        default:
          return quantified(String.valueOf(c), null);
      }
    }

    @Nullable
    private Part parenthesis() {
      if (regex.startsWith("?", at)) {
        return null;
      }
      List<List<Part>> inner = group();
      if (inner == null || at >= regex.length()) {
        return null;
      }
      at++;
      return quantified(null, inner);
    }

    @Nullable
    private Part charClass() {
      int end = regex.indexOf(']', at + 1);
      boolean plain = end > 0 && regex.indexOf('[', at) != at && regex.indexOf('\\', at) != at;
      at = end + 1;
      return plain ? quantified(null, null) : null;
    }

    @Nullable
    private Part escaped() {
      if (at >= regex.length()) {
        return null;
      }
      char c = regex.charAt(at++);
      if ("dwsDWS".indexOf(c) >= 0) {
        return quantified(null, null);
      }
      return Character.isLetterOrDigit(c) ? null : quantified(String.valueOf(c), null);
    }

    @Nullable
    private Part quantified(@Nullable String literal, @Nullable List<List<Part>> alternatives) {
      boolean optional = false;
      boolean repeated = false;
      if (at < regex.length() && "?*+".indexOf(regex.charAt(at)) >= 0) {
        char quantifier = regex.charAt(at++);
        optional = quantifier != '+';
        repeated = quantifier != '?';
        boolean more = at < regex.length() && "?*+{".indexOf(regex.charAt(at)) >= 0;
        return more ? null : new Part(literal, alternatives, optional, repeated);
      }
      return at < regex.length() && regex.charAt(at) == '{'
          ? null
          : new Part(literal, alternatives, false, false);
    }
  }
}
