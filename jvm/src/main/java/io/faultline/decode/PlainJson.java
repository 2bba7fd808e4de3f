package io.faultline.decode;

import java.util.Arrays;

/**
 * Reads JSON of the plainest form straight from bytes: names and texts of ASCII without escapes,
 * numbers that a double or a long holds exactly. Anything else is left to the parser: a method then
 * says false, and nothing that was read counts. What is read here, the parser reads in the same
 * way.
 */
final class PlainJson {
  private static final int MOST_DIGITS = 18;
  private static final long EXACT_MANTISSA = 1L << 53;

  /** Powers of ten that a double holds exactly. */
  private static final double[] EXACT = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22
  };

  private byte[] bytes;
  private int at;
  private long key;
  private int from;
  private int to;
  private long mantissa;
  private double real;
  private boolean closed;

  /** A name as {@link #key} gives it; at most seven letters. */
  static long key(String name) {
    long packed = 0;
    for (int i = 0; i < name.length(); i++) {
      packed = packed << 8 | name.charAt(i);
    }
    return packed;
  }

  /** Behind the brace of an object. */
  void begin(byte[] bytes, int brace) {
    this.bytes = bytes;
    this.at = brace + 1;
    this.closed = false;
  }

  /** Moves to the value of the next field; false at the object's end, and where it is not plain. */
  boolean next() {
    if (peek() != '"' || !text()) {
      return false;
    }
    pack();
    if (peek() != ':') {
      return false;
    }
    at++;
    return true;
  }

  /** Behind a value: true where another field follows or the object ends. */
  boolean more() {
    int b = peek();
    if (b == '}') {
      closed = true;
      at++;
      return true;
    }
    if (b != ',') {
      return false;
    }
    at++;
    return peek() == '"';
  }

  /** Whether the object has ended. */
  boolean closed() {
    return closed;
  }

  /** Behind what was read. */
  int position() {
    return at;
  }

  /** The field's name, packed; 0 where it is longer than seven letters. */
  long key() {
    return key;
  }

  /** Whether the field that {@link #next} moved to has this name. */
  boolean isNamed(byte[] name) {
    return Arrays.equals(bytes, from, to, name, 0, name.length);
  }

  /** Where the text, number or object read last begins. */
  int from() {
    return from;
  }

  /** Where it ends. */
  int to() {
    return to;
  }

  /** The integer read last. */
  long integer() {
    return mantissa;
  }

  /** The number read last. */
  double real() {
    return real;
  }

  /** The next byte that is no blank; -1 at the end. */
  private int peek() {
    while (at < bytes.length) {
      byte b = bytes[at];
      if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
        return b;
      }
      at++;
    }
    return -1;
  }

  private void pack() {
    long packed = 0;
    if (to - from < Long.BYTES) {
      for (int i = from; i < to; i++) {
        packed = packed << 8 | bytes[i];
      }
    }
    key = packed;
  }

  /** Whether the value begins with that byte. */
  boolean starts(char with) {
    return peek() == with;
  }

  /** Reads a text. */
  boolean readText() {
    return peek() == '"' && text();
  }

  private boolean text() {
    int i = at + 1;
    from = i;
    while (i < bytes.length) {
      byte b = bytes[i];
      if (b == '"') {
        to = i;
        at = i + 1;
        return true;
      }
      if (b < ' ' || b == '\\') {
        return false;
      }
      i++;
    }
    return false;
  }

  /**
   * Finds the end of an object without objects or lists in it, whatever its texts are. It may be no
   * JSON: only the bytes of an object that the parser has read before can be relied on.
   */
  boolean readFlatObject() {
    if (peek() != '{') {
      return false;
    }
    from = at;
    boolean quoted = false;
    for (int i = at + 1; i < bytes.length; i++) {
      byte b = bytes[i];
      if (b == '"') {
        quoted = !quoted;
      } else if (b == '\\') {
        i++;
      } else if (!quoted && b == '}') {
        to = i + 1;
        at = to;
        return true;
      } else if (!quoted && (b == '{' || b == '[')) {
        return false;
      }
    }
    return false;
  }

  /** Reads an integer that is not negative. */
  boolean readInteger() {
    if (peek() < '0') {
      return false;
    }
    int start = at;
    return digits() && end() && (at - start == 1 || bytes[start] != '0');
  }

  private boolean digits() {
    from = at;
    mantissa = 0;
    while (at < bytes.length && bytes[at] >= '0' && bytes[at] <= '9') {
      mantissa = mantissa * 10 + bytes[at++] - '0';
    }
    to = at;
    return to > from && to - from <= MOST_DIGITS;
  }

  /** Whether nothing that belongs to a number follows. */
  private boolean end() {
    if (at == bytes.length) {
      return false;
    }
    byte b = bytes[at];
    return b == ',' || b == '}' || b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }

  /** Reads a number. */
  boolean readNumber() {
    boolean negative = peek() == '-';
    at += negative ? 1 : 0;
    int start = at;
    if (!digits() || (bytes[start] == '0' && at - start > 1)) {
      return false;
    }
    int scale = 0;
    if (at < bytes.length && bytes[at] == '.') {
      at++;
      int point = at;
      while (at < bytes.length && bytes[at] >= '0' && bytes[at] <= '9') {
        mantissa = mantissa * 10 + bytes[at++] - '0';
      }
      scale = at - point;
      if (scale == 0 || at - start > MOST_DIGITS) {
        return false;
      }
    }
    boolean exact = mantissa <= EXACT_MANTISSA && scale < EXACT.length;
    if (!exact || !end() || (negative && mantissa == 0)) {
      return false;
    }
    double plain = mantissa / EXACT[scale];
    real = negative ? -plain : plain;
    return true;
  }
}
