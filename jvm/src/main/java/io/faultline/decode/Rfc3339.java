package io.faultline.decode;

/**
 * Times such as {@code 2026-01-01T00:00:00.123456789+01:00}, as RFC 3339 has them: any fraction of
 * a second (what is less than a millisecond is dropped), any offset, {@code T} and {@code Z} in
 * either case, a blank for the {@code T}. A leap second is no time that can be told apart: refused.
 */
final class Rfc3339 {
  /** No time. */
  static final long NONE = Long.MIN_VALUE;

  private static final int SECONDS_END = 19;
  private static final int[] DAYS = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  private static final long DAY_MS = 86_400_000L;

  private Rfc3339() {}

  /** Milliseconds since 1970 UTC, or {@link #NONE}. */
  static long parse(char[] text, int from, int length) {
    if (length <= SECONDS_END || !separated(text, from)) {
      return NONE;
    }
    int year = number(text, from, 4);
    int month = number(text, from + 5, 2);
    int day = number(text, from + 8, 2);
    int hour = number(text, from + 11, 2);
    int minute = number(text, from + 14, 2);
    int second = number(text, from + 17, 2);
    if (year < 0 || !isDay(year, month, day) || !isClock(hour, minute, second)) {
      return NONE;
    }
    int at = from + SECONDS_END;
    int end = from + length;
    int ms = 0;
    if (text[at] == '.') {
      int digits = at + 1;
      at = digits;
      while (at < end && isDigit(text[at])) {
        ms +=
            at - digits < 3
                ? (text[at] - '0') * (at == digits ? 100 : at == digits + 1 ? 10 : 1)
                : 0;
        at++;
      }
      if (at == digits) {
        return NONE;
      }
    }
    long offset = offset(text, at, end);
    return offset == NONE
        ? NONE
        : epochDay(year, month, day) * DAY_MS
            + ((hour * 60L + minute) * 60L + second) * 1000L
            + ms
            - offset;
  }

  private static boolean separated(char[] text, int from) {
    char between = text[from + 10];
    return text[from + 4] == '-'
        && text[from + 7] == '-'
        && (between == 'T' || between == 't' || between == ' ')
        && text[from + 13] == ':'
        && text[from + 16] == ':';
  }

  private static boolean isDay(int year, int month, int day) {
    if (month < 1 || month > 12 || day < 1) {
      return false;
    }
    boolean leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return day <= DAYS[month - 1] + (leap && month == 2 ? 1 : 0);
  }

  private static boolean isClock(int hour, int minute, int second) {
    return hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
  }

  /** Milliseconds ahead of UTC, or {@link #NONE} where the rest is no offset. */
  private static long offset(char[] text, int at, int end) {
    int left = end - at;
    if (left == 1) {
      return text[at] == 'Z' || text[at] == 'z' ? 0L : NONE;
    }
    if (left != 6 || (text[at] != '+' && text[at] != '-') || text[at + 3] != ':') {
      return NONE;
    }
    int hour = number(text, at + 1, 2);
    int minute = number(text, at + 4, 2);
    if (!isClock(hour, minute, 0)) {
      return NONE;
    }
    long ms = (hour * 60L + minute) * 60_000L;
    return text[at] == '-' ? -ms : ms;
  }

  /** That many digits as a number; negative where there is another character. */
  private static int number(char[] text, int from, int digits) {
    int value = 0;
    for (int i = from; i < from + digits; i++) {
      if (!isDigit(text[i])) {
        return -1;
      }
      value = value * 10 + text[i] - '0';
    }
    return value;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Days since 1970, counting years from March so that a leap day is a year's last. */
  private static long epochDay(int year, int month, int day) {
    int y = month <= 2 ? year - 1 : year;
    int era = Math.floorDiv(y, 400);
    int yearOfEra = y - era * 400;
    int dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
    return era * 146_097L + dayOfEra - 719_468L;
  }
}
