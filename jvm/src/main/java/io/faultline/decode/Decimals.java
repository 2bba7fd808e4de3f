package io.faultline.decode;

/** Numbers in text, by the decimal grammar that JSON, Prometheus and line protocol share. */
final class Decimals {
  /** What a text is, beside a number. */
  enum Problem {
    NONE,
    /** No number at all. */
    NO_NUMBER,
    /** Not a number or without end, said in words. */
    NOT_FINITE,
    /** A number too large to be held. */
    TOO_LARGE
  }

  /** Powers of ten that a double holds exactly. */
  private static final double[] EXACT = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22
  };

  private static final long EXACT_MANTISSA = 1L << 53;
  private static final int EXACT_DIGITS = 18;
  private static final int LONGEST = 1000;

  private double value;

  /** The number read last. */
  double value() {
    return value;
  }

  /**
   * Reads the whole range as Prometheus writes values: a decimal number, or {@code NaN}, {@code
   * Inf}, {@code Infinity} in any case with or without a sign.
   */
  Problem read(char[] text, int from, int length) {
    int end = from + length;
    int at = from;
    boolean negative = at < end && text[at] == '-';
    at += at < end && (negative || text[at] == '+') ? 1 : 0;
    if (at < end && text[at] > '9') {
      return isWord(text, at, end) ? Problem.NOT_FINITE : Problem.NO_NUMBER;
    }
    return number(text, from, at, end, negative);
  }

  private Problem number(char[] text, int from, int digitsFrom, int end, boolean negative) {
    long mantissa = 0;
    int significant = 0;
    int scale = 0;
    int digits = 0;
    boolean point = false;
    int at = digitsFrom;
    for (; at < end; at++) {
      char c = text[at];
      if (c == '.' && !point) {
        point = true;
      } else if (c >= '0' && c <= '9') {
        digits++;
        significant += significant > 0 || c != '0' ? 1 : 0;
        mantissa = mantissa * 10 + c - '0';
        scale -= point ? 1 : 0;
      } else {
        break;
      }
    }
    if (digits == 0) {
      return Problem.NO_NUMBER;
    }
    if (at < end) {
      int exponent = exponent(text, at, end);
      if (exponent == Integer.MIN_VALUE) {
        return Problem.NO_NUMBER;
      }
      scale += exponent;
    }
    boolean exact = significant <= EXACT_DIGITS && mantissa <= EXACT_MANTISSA;
    if (exact && scale > -EXACT.length && scale < EXACT.length) {
      double plain = scale < 0 ? mantissa / EXACT[-scale] : mantissa * EXACT[scale];
      value = negative ? -plain : plain;
      return Problem.NONE;
    }
    return slow(text, from, end);
  }

  private Problem slow(char[] text, int from, int end) {
    if (end - from > LONGEST) {
      return Problem.TOO_LARGE;
    }
    value = Double.parseDouble(new String(text, from, end - from));
    return Double.isInfinite(value) ? Problem.TOO_LARGE : Problem.NONE;
  }

  /** The exponent that fills the range, bounded; the least integer where it is none. */
  private static int exponent(char[] text, int from, int end) {
    int at = from + 1;
    if ((text[from] != 'e' && text[from] != 'E') || at == end) {
      return Integer.MIN_VALUE;
    }
    boolean negative = text[at] == '-';
    at += negative || text[at] == '+' ? 1 : 0;
    if (at == end) {
      return Integer.MIN_VALUE;
    }
    int value = 0;
    for (; at < end; at++) {
      if (text[at] < '0' || text[at] > '9') {
        return Integer.MIN_VALUE;
      }
      value = Math.min(100_000, value * 10 + text[at] - '0');
    }
    return negative ? -value : value;
  }

  private static boolean isWord(char[] text, int from, int end) {
    String word = end - from > 8 ? "" : new String(text, from, end - from);
    return word.equalsIgnoreCase("nan")
        || word.equalsIgnoreCase("inf")
        || word.equalsIgnoreCase("infinity");
  }
}
