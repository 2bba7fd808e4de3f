package io.faultline.decode;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Damages payloads in the ways of the field and of an ill-wisher; the same seed, the same damage.
 */
final class FuzzMutator {
  private static final int LONGEST = 40_000;
  private static final int DEEP = 3_000;

  private final Random random;
  private final List<byte[]> corpus;
  private final List<byte[]> tokens = new ArrayList<>();

  FuzzMutator(List<byte[]> corpus, long seed) {
    this.corpus = corpus;
    this.random = new Random(seed);
    for (String token :
        List.of(
            "\"",
            "\\",
            "\\\"",
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "=",
            " ",
            "\n",
            "\r\n",
            "\t",
            "#",
            "\\,",
            "\\ ",
            "\\=",
            "null",
            "true",
            "false",
            "NaN",
            "Infinity",
            "-",
            "-0",
            "0",
            "1e999",
            "1e-999",
            "9223372036854775808",
            "18446744073709551616",
            "-9223372036854775808",
            "1.5",
            "1i",
            "2u",
            "\"\"",
            "{}",
            "[]",
            "[[]]",
            "\u0000",
            "\u001e",
            "\u001f",
            "\\u0000",
            "\\ud800",
            "\\u12",
            "\u00e9",
            "\u20ac",
            "\ud83d\ude00",
            "1970-01-01T00:00:00Z",
            "2026-01-01T00:00:00.5+01:00",
            "user",
            "unknown")) {
      tokens.add(token.getBytes(StandardCharsets.UTF_8));
    }
    tokens.add("9".repeat(400).getBytes(StandardCharsets.UTF_8));
    tokens.add(("0." + "0".repeat(1_100) + "1").getBytes(StandardCharsets.UTF_8));
    tokens.add(new byte[] {(byte) 0xff});
    tokens.add(new byte[] {(byte) 0xc0, (byte) 0xaf});
    tokens.add(new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80});
    tokens.add(new byte[] {(byte) 0xef, (byte) 0xbb, (byte) 0xbf});
  }

  /** One of the payloads, damaged once or a few times over. */
  byte[] next() {
    byte[] bytes = any();
    int most = random.nextInt(5);
    for (int left = 1 + random.nextInt(1 + most); left > 0; left--) {
      bytes = damage(bytes);
    }
    return bytes.length <= LONGEST ? bytes : Arrays.copyOf(bytes, LONGEST);
  }

  /** One of the payloads as it is. */
  byte[] any() {
    return corpus.get(random.nextInt(corpus.size()));
  }

  private int place(byte[] bytes) {
    return random.nextInt(bytes.length + 1);
  }

  private byte[] damage(byte[] bytes) {
    return switch (random.nextInt(12)) {
      case 0 -> flip(bytes);
      case 1 -> splice(bytes, place(bytes), place(bytes), randomBytes(1 + random.nextInt(4)));
      case 2 -> splice(bytes, place(bytes), place(bytes), new byte[0]);
      case 3 -> Arrays.copyOf(bytes, place(bytes));
      case 4 -> join(bytes, any());
      case 5 -> lengthEdit(bytes);
      case 6, 7 -> insert(bytes, token());
      case 8 -> swap(bytes);
      case 9 -> repeat(bytes);
      case 10 -> random.nextInt(20) == 0 ? insert(bytes, nested()) : flip(bytes);
      default -> number(bytes);
    };
  }

  private byte[] token() {
    return tokens.get(random.nextInt(tokens.size()));
  }

  private byte[] randomBytes(int length) {
    byte[] out = new byte[length];
    random.nextBytes(out);
    return out;
  }

  private byte[] flip(byte[] bytes) {
    byte[] out = bytes.clone();
    for (int left = 1 + random.nextInt(6); left > 0 && out.length > 0; left--) {
      out[random.nextInt(out.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return out;
  }

  /** The bytes with those between two places replaced; a range is mostly short. */
  private byte[] splice(byte[] bytes, int from, int other, byte[] with) {
    int to = random.nextInt(4) == 0 ? Math.max(from, other) : Math.min(bytes.length, from + 2);
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length + with.length);
    out.write(bytes, 0, from);
    out.writeBytes(with);
    out.write(bytes, to, bytes.length - to);
    return out.toByteArray();
  }

  private byte[] insert(byte[] bytes, byte[] what) {
    int at = place(bytes);
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length + what.length);
    out.write(bytes, 0, at);
    out.writeBytes(what);
    out.write(bytes, at, bytes.length - at);
    return out.toByteArray();
  }

  /** The beginning of one and the end of the other. */
  private byte[] join(byte[] bytes, byte[] other) {
    int end = place(bytes);
    int begin = place(other);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(bytes, 0, end);
    out.write(other, begin, other.length - begin);
    return out.toByteArray();
  }

  /** A byte that may be a length, a little or much too large or small. */
  private byte[] lengthEdit(byte[] bytes) {
    byte[] out = bytes.clone();
    if (out.length > 0) {
      int at = random.nextInt(out.length);
      int[] values = {out[at] + 1, out[at] - 1, 0, 0x7f, 0x80, 0xff, out[at] * 2};
      out[at] = (byte) values[random.nextInt(values.length)];
    }
    return out;
  }

  /** A word or number in the text, replaced by a token. */
  private byte[] swap(byte[] bytes) {
    int from = place(bytes);
    while (from < bytes.length && !isWord(bytes[from])) {
      from++;
    }
    int to = from;
    while (to < bytes.length && isWord(bytes[to])) {
      to++;
    }
    return replaced(bytes, from, to, token());
  }

  private static boolean isWord(byte b) {
    return (b >= '0' && b <= '9') || (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || b == '.';
  }

  private static byte[] replaced(byte[] bytes, int from, int to, byte[] with) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length + with.length);
    out.write(bytes, 0, from);
    out.writeBytes(with);
    out.write(bytes, to, bytes.length - to);
    return out.toByteArray();
  }

  /** Digits in the text, replaced by other numbers. */
  private byte[] number(byte[] bytes) {
    int from = place(bytes);
    while (from < bytes.length && (bytes[from] < '0' || bytes[from] > '9')) {
      from++;
    }
    int to = from;
    while (to < bytes.length && bytes[to] >= '0' && bytes[to] <= '9') {
      to++;
    }
    String[] numbers = {
      "0",
      "-1",
      "1e5",
      "1767225600",
      "1767225600000",
      "1767225600000000000",
      Long.toString(random.nextLong()),
      Double.toString(random.nextGaussian()),
      "00",
      "1e"
    };
    String number = numbers[random.nextInt(numbers.length)];
    return replaced(bytes, from, to, number.getBytes(StandardCharsets.UTF_8));
  }

  /** A part of the bytes, many times. */
  private byte[] repeat(byte[] bytes) {
    int from = place(bytes);
    int length = Math.min(bytes.length - from, 1 + random.nextInt(64));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int left = 2 + random.nextInt(20); left > 0; left--) {
      out.write(bytes, from, length);
    }
    return insert(bytes, out.toByteArray());
  }

  private byte[] nested() {
    String[] openings = {"[", "{\"a\":", "[{\"labels\":", "{\"metrics\":["};
    String opening = openings[random.nextInt(openings.length)];
    return opening.repeat(DEEP / opening.length()).getBytes(StandardCharsets.UTF_8);
  }
}
