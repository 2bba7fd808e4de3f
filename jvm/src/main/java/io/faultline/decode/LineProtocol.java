package io.faultline.decode;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Keys of influx line protocol: measurement, tags, names of fields. A backslash makes a comma, an
 * equals sign or a blank part of a key; before anything else it is a character like others. No key
 * is empty or holds a control character.
 */
final class LineProtocol {
  private static final char DELETE = 0x7f;

  private LineProtocol() {}

  /** A line that has no legal reading; the message says why. */
  static final class LineException extends Exception {
    LineException(String message) {
      super(message, null, false, false);
    }
  }

  /** Behind the key that begins there: at a separator that is not escaped, or at the end. */
  static int keyEnd(byte[] bytes, int from, int to, boolean equalsEnds) throws LineException {
    int at = from;
    while (at < to) {
      byte b = bytes[at];
      if (b == '\\') {
        at = escaped(bytes, at, to);
      } else if (b == ',' || b == ' ' || (equalsEnds && b == '=')) {
        return at;
      } else if (isControl(b)) {
        return controlEnd(bytes, at, to);
      } else {
        at++;
      }
    }
    return at;
  }

  /** A line's end ends a key; no other control character stands in one. */
  private static int controlEnd(byte[] bytes, int at, int to) throws LineException {
    boolean end =
        bytes[at] == '\n' || (bytes[at] == '\r' && (at + 1 == to || bytes[at + 1] == '\n'));
    if (!end) {
      throw new LineException("a control character in a name");
    }
    return at;
  }

  /** Behind the character that the backslashes there stand before. */
  private static int escaped(byte[] bytes, int from, int to) throws LineException {
    int at = from;
    while (at < to && bytes[at] == '\\') {
      at++;
    }
    if (at == to || isControl(bytes[at])) {
      throw new LineException("a backslash with nothing behind it");
    }
    return at + 1;
  }

  static boolean isControl(byte b) {
    return (b >= 0 && b < ' ') || b == DELETE;
  }

  /** The key in that range as it is meant; throws where it is empty or no UTF-8. */
  static String key(byte[] bytes, int from, int to, boolean measurement) throws LineException {
    if (from == to) {
      throw new LineException("an empty name");
    }
    String raw = utf8(bytes, from, to);
    if (raw.indexOf('\\') < 0) {
      return raw;
    }
    StringBuilder out = new StringBuilder(raw.length());
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      char next = i + 1 < raw.length() ? raw.charAt(i + 1) : 0;
      boolean special = next == ',' || next == ' ' || (next == '=' && !measurement);
      if (c != '\\' || !special) {
        out.append(c);
      }
    }
    return out.toString();
  }

  private static String utf8(byte[] bytes, int from, int to) throws LineException {
    try {
      ByteBuffer range = ByteBuffer.wrap(bytes, from, to - from);
      return StandardCharsets.UTF_8.newDecoder().decode(range).toString();
    } catch (CharacterCodingException e) {
      throw new LineException("a name that is no UTF-8");
    }
  }

  /** Reads {@code measurement,tag=value,...} of that range; returns the measurement. */
  static String head(byte[] bytes, int from, int to, Map<String, String> tags)
      throws LineException {
    tags.clear();
    int at = keyEnd(bytes, from, to, false);
    String measurement = key(bytes, from, at, true);
    while (at < to) {
      int equals = keyEnd(bytes, at + 1, to, true);
      if (equals == to || bytes[equals] != '=') {
        throw new LineException("a tag without a value");
      }
      String tag = key(bytes, at + 1, equals, false);
      at = keyEnd(bytes, equals + 1, to, true);
      if (at < to && bytes[at] != ',') {
        throw new LineException("tag " + tag + ": an equals sign in the value");
      }
      String value = key(bytes, equals + 1, at, false);
      if (tags.put(Labels.clean(tag), Labels.clean(value)) != null) {
        throw new LineException("tag " + tag + " stands twice");
      }
    }
    return measurement;
  }
}
