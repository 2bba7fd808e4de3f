package io.faultline.decode;

import io.faultline.decode.LineProtocol.LineException;
import java.util.Arrays;

/**
 * Fields and time of one line of influx line protocol, gathered before any of them is handed on: a
 * line is legal as a whole or not at all.
 */
final class LineFields {
  /** What a field's value is. */
  enum Type {
    NUMBER,
    /** Text. */
    TEXT,
    /** A number that cannot be held. */
    TOO_LARGE
  }

  private static final int LONGEST_EXACT = 18;

  private final Decimals decimals = new Decimals();
  private int[] keys = new int[32];
  private Type[] types = new Type[16];
  private double[] values = new double[16];
  private char[] token = new char[64];
  private int count;
  private boolean timed;
  private long nanos;
  private byte[] bytes;
  private int end;
  private int at;

  int count() {
    return count;
  }

  int keyFrom(int field) {
    return keys[2 * field];
  }

  int keyTo(int field) {
    return keys[2 * field + 1];
  }

  Type type(int field) {
    return types[field];
  }

  double value(int field) {
    return values[field];
  }

  boolean timed() {
    return timed;
  }

  /** Nanoseconds since 1970; the least where they are beyond what can be held. */
  long nanos() {
    return nanos;
  }

  /** Reads from the first field to the line's end, which is returned. */
  int read(byte[] bytes, int from, int end) throws LineException {
    this.bytes = bytes;
    this.end = end;
    at = from;
    count = 0;
    timed = false;
    readField();
    while (at < end && bytes[at] == ',') {
      at++;
      readField();
    }
    skipBlanks();
    if (at < end && bytes[at] != '\n' && bytes[at] != '\r') {
      readTime();
      skipBlanks();
    }
    if (at < end && bytes[at] == '\r') {
      at++;
    }
    if (at < end && bytes[at] != '\n') {
      throw new LineException("more than fields and a timestamp");
    }
    return at;
  }

  private void skipBlanks() {
    while (at < end && bytes[at] == ' ') {
      at++;
    }
  }

  private void readField() throws LineException {
    int from = at;
    at = LineProtocol.keyEnd(bytes, at, end, true);
    if (at == from) {
      throw new LineException("a field is wanted");
    }
    if (at == end || bytes[at] != '=') {
      throw new LineException("a field without a value");
    }
    if (count == types.length) {
      keys = Arrays.copyOf(keys, 4 * count);
      types = Arrays.copyOf(types, 2 * count);
      values = Arrays.copyOf(values, 2 * count);
    }
    keys[2 * count] = from;
    keys[2 * count + 1] = at;
    at++;
    types[count] = at < end && bytes[at] == '"' ? readText() : readToken();
    count++;
    if (at < end && bytes[at] != ',' && bytes[at] != ' ' && !LineProtocol.isControl(bytes[at])) {
      throw new LineException("text behind a field's value");
    }
  }

  private Type readText() throws LineException {
    at++;
    while (at < end && bytes[at] != '"') {
      at += bytes[at] == '\\' ? 2 : 1;
    }
    if (at >= end) {
      throw new LineException("text without its closing quote");
    }
    at++;
    return Type.TEXT;
  }

  private Type readToken() throws LineException {
    int from = at;
    while (at < end && bytes[at] != ',' && bytes[at] != ' ' && !LineProtocol.isControl(bytes[at])) {
      at++;
    }
    int length = at - from;
    if (length == 0) {
      throw new LineException("a field without a value");
    }
    if (token.length < length) {
      token = new char[2 * length];
    }
    for (int i = 0; i < length; i++) {
      token[i] = (char) (bytes[from + i] & 0xff);
    }
    char last = token[length - 1];
    if (last == 'i' || last == 'u') {
      return readInteger(length - 1, last == 'i');
    }
    return token[0] > '9' ? readBoolean(length) : readFloat(length);
  }

  private Type readBoolean(int length) throws LineException {
    String word = new String(token, 0, Math.min(length, 6));
    values[count] =
        switch (word) {
          case "t", "T", "true", "True", "TRUE" -> 1.0;
          case "f", "F", "false", "False", "FALSE" -> 0.0;
          default -> throw new LineException("a value that is no number, text or truth");
        };
    return Type.NUMBER;
  }

  private Type readFloat(int length) throws LineException {
    Decimals.Problem problem = decimals.read(token, 0, length);
    values[count] = decimals.value();
    return switch (problem) {
      case NONE -> Type.NUMBER;
      case TOO_LARGE -> Type.TOO_LARGE;
      default -> throw new LineException("a value that is no number");
    };
  }

  private Type readInteger(int length, boolean signed) throws LineException {
    int from = signed && length > 0 && token[0] == '-' ? 1 : 0;
    requireDigits(from, length);
    if (length - from <= LONGEST_EXACT) {
      long value = 0;
      for (int i = from; i < length; i++) {
        value = value * 10 + token[i] - '0';
      }
      values[count] = from == 1 ? -value : value;
      return Type.NUMBER;
    }
    try {
      String text = new String(token, 0, length);
      long value = signed ? Long.parseLong(text) : Long.parseUnsignedLong(text);
      values[count] = signed || value >= 0 ? value : (value >>> 1 | value & 1) * 2.0;
      return Type.NUMBER;
    } catch (NumberFormatException e) {
      return Type.TOO_LARGE;
    }
  }

  private void requireDigits(int from, int to) throws LineException {
    for (int i = from; i < to; i++) {
      if (token[i] < '0' || token[i] > '9') {
        throw new LineException("a value that is no integer");
      }
    }
    if (from == to) {
      throw new LineException("a value that is no integer");
    }
  }

  private void readTime() throws LineException {
    boolean negative = bytes[at] == '-';
    at += negative ? 1 : 0;
    int from = at;
    long value = 0;
    boolean held = true;
    while (at < end && bytes[at] >= '0' && bytes[at] <= '9') {
      held &= value <= (Long.MAX_VALUE - 9) / 10;
      value = value * 10 + bytes[at++] - '0';
    }
    if (at == from) {
      throw new LineException("a timestamp that is no integer");
    }
    timed = true;
    nanos = !held ? Long.MIN_VALUE : negative ? -value : value;
  }
}
