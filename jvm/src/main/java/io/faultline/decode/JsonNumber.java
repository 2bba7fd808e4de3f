package io.faultline.decode;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;

/**
 * Numbers of protobuf's JSON form: a JSON number, or text with one in it. Integers of 64 bits are
 * exact, with a fraction or an exponent too if their value is whole. Reused from value to value.
 */
final class JsonNumber {
  private static final int LONGEST = 64;
  private static final int DIGITS = 20;
  private static final long TENTH = Long.divideUnsigned(-1L, 10);

  /** The integer read last, as bits. */
  long bits;

  /** The real number read last. */
  double real;

  private boolean negative;

  /** Reads an integer without sign of so many bits; false where there is none. */
  boolean readUnsigned(JsonParser parser, int size) throws IOException {
    return read(parser) && (!negative || bits == 0) && (size == Long.SIZE || bits >>> size == 0);
  }

  /** Reads an integer with sign of so many bits; false where there is none. */
  boolean readSigned(JsonParser parser, int size) throws IOException {
    if (!read(parser)) {
      return false;
    }
    long most = 1L << (size - 1);
    if (negative) {
      bits = -bits;
      return bits <= 0 && bits >= -most;
    }
    return bits >= 0 && bits <= most - 1;
  }

  /** Reads magnitude and sign of the parser's current token. */
  private boolean read(JsonParser parser) throws IOException {
    JsonToken token = parser.currentToken();
    int length = token.isNumeric() || token == JsonToken.VALUE_STRING ? parser.getTextLength() : 0;
    if (length == 0 || length > LONGEST) {
      return false;
    }
    char[] text = parser.getTextCharacters();
    int from = parser.getTextOffset();
    int end = from + length;
    negative = text[from] == '-';
    int at = negative ? from + 1 : from;
    bits = 0;
    for (int digits = at; at < end; at++) {
      int digit = text[at] - '0';
      if (digit < 0 || digit > 9) {
        return at > digits && readScaled(new String(text, from, length));
      }
      if (!append(digit)) {
        return false;
      }
    }
    return at > from + (negative ? 1 : 0);
  }

  private boolean append(int digit) {
    if (Long.compareUnsigned(bits, TENTH) > 0) {
      return false;
    }
    long next = bits * 10 + digit;
    boolean fits = Long.compareUnsigned(next, bits * 10) >= 0;
    bits = next;
    return fits;
  }

  /** A whole number that is written with a fraction or an exponent. */
  private boolean readScaled(String text) {
    if (!isDecimal(text)) {
      return false;
    }
    BigDecimal value;
    try {
      value = new BigDecimal(text);
    } catch (NumberFormatException e) {
      return false;
    }
    if ((long) value.precision() - value.scale() > DIGITS) {
      return false;
    }
    value = value.stripTrailingZeros();
    if (value.scale() > 0) {
      return false;
    }
    BigInteger whole = value.toBigIntegerExact().abs();
    bits = whole.longValue();
    return whole.bitLength() <= Long.SIZE;
  }

  /**
   * Reads a real number, {@code "NaN"}, {@code "Infinity"} or {@code "-Infinity"}; false where
   * there is none or no double is as large.
   */
  boolean readReal(JsonParser parser) throws IOException {
    JsonToken token = parser.currentToken();
    if (token.isNumeric()) {
      real = parser.getDoubleValue();
      return Double.isFinite(real);
    }
    return token == JsonToken.VALUE_STRING && readReal(parser.getText());
  }

  private boolean readReal(String text) {
    switch (text) {
      case "NaN" -> real = Double.NaN;
      case "Infinity" -> real = Double.POSITIVE_INFINITY;
      case "-Infinity" -> real = Double.NEGATIVE_INFINITY;
      default -> {
        if (!isDecimal(text)) {
          return false;
        }
        try {
          real = Double.parseDouble(text);
        } catch (NumberFormatException e) {
          return false;
        }
        return Double.isFinite(real);
      }
    }
    return true;
  }

  /** Java also reads hexadecimal numbers, type suffixes and white space; JSON does not. */
  private static boolean isDecimal(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E') {
        return false;
      }
    }
    return true;
  }
}
