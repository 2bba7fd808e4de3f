package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.faultline.decode.Decimals.Problem;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Times and numbers in text, against what the JDK makes of them. */
class TextValuesTest {
  private final Decimals decimals = new Decimals();

  private static long time(String text) {
    char[] around = ("##" + text + "##").toCharArray();
    return Rfc3339.parse(around, 2, text.length());
  }

  private Problem read(String text) {
    return decimals.read(("#" + text + "9").toCharArray(), 1, text.length());
  }

  @ParameterizedTest
  @CsvSource({
    "2026-01-01T00:00:00Z, 1767225600000",
    "2026-01-01T00:00:00.5Z, 1767225600500",
    "2026-01-01t00:00:00.123456789z, 1767225600123",
    "2026-01-01 00:00:00.07+00:00, 1767225600070",
    "2026-01-01T02:30:00+02:30, 1767225600000",
    "2025-12-31T19:00:00.009-05:00, 1767225600009",
    "2024-02-29T12:00:00Z, 1709208000000",
    "1970-01-01T00:00:10Z, 10000",
    "0001-01-01T00:00:00Z, -62135596800000"
  })
  void timesAreRead(String text, long ms) {
    assertEquals(ms, time(text));
  }

  @ParameterizedTest
  @CsvSource({
    "''",
    "2026-01-01",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00.5",
    "2026-01-01T00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T23:60:00Z",
    "2026-01-01T23:59:60Z",
    "2026-01-01T00:00:00+0100",
    "2026-01-01T00:00:00+25:00",
    "'2026-01-01T00:00:00Z '",
    "2026/01/01T00:00:00Z",
    "1767225600",
    "-026-01-01T00:00:00Z"
  })
  void whatIsNoTimeIsNone(String text) {
    assertEquals(Rfc3339.NONE, time(text));
  }

  @Test
  void anyTimeIsReadAsTheJdkReadsIt() {
    Random random = new Random(1);
    for (int i = 0; i < 50_000; i++) {
      long seconds = random.nextLong(-62_135_596_800L, 253_402_300_800L);
      Instant instant = Instant.ofEpochSecond(seconds, random.nextInt(1_000_000_000));
      ZoneOffset zone = ZoneOffset.ofTotalSeconds(60 * (random.nextInt(1081) - 540));
      OffsetDateTime shifted = instant.atOffset(zone);
      if (shifted.getYear() < 1 || shifted.getYear() > 9999 || shifted.getSecond() == 0) {
        continue;
      }
      assertEquals(instant.toEpochMilli(), time(shifted.toString()), shifted::toString);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "41, 41",
    "1.5e3, 1500",
    "-0, -0.0",
    "+7, 7",
    ".5, 0.5",
    "5., 5",
    "1E-2, 0.01",
    "007, 7",
    "9007199254740993, 9007199254740992",
    "1e22, 1e22",
    "1e23, 1e23",
    "4.9e-324, 4.9e-324",
    "1e-999, 0",
    "0e99999999999, 0",
    "123456789012345678901234567890, 1.2345678901234568e29"
  })
  void numbersAreRead(String text, double value) {
    assertEquals(Problem.NONE, read(text));
    assertEquals(value, decimals.value());
  }

  @ParameterizedTest
  @CsvSource({"NaN", "nan", "+Inf", "-Inf", "inf", "Infinity", "-infinity"})
  void wordsWithoutEndAreNotFinite(String text) {
    assertEquals(Problem.NOT_FINITE, read(text));
  }

  @ParameterizedTest
  @CsvSource({
    "''",
    "fast",
    "-",
    "+",
    ".",
    "e5",
    "1e",
    "1e+",
    "1e5x",
    "1.2.3",
    "1_000",
    "0x10",
    "1f",
    "1d",
    "' 1'",
    "'1 '",
    "--1",
    "infinite",
    "\u0661"
  })
  void whatIsNoNumberIsNone(String text) {
    assertEquals(Problem.NO_NUMBER, read(text));
  }

  @Test
  void aNumberOutOfRangeIsTooLarge() {
    assertEquals(Problem.TOO_LARGE, read("1e999"));
    assertEquals(Problem.TOO_LARGE, read("-" + "9".repeat(400)));
  }

  @Test
  void anyNumberIsReadAsTheJdkReadsIt() {
    Random random = new Random(2);
    for (int i = 0; i < 200_000; i++) {
      double wanted =
          switch (i % 4) {
            case 0 -> Double.longBitsToDouble(random.nextLong());
            case 1 -> random.nextInt(1_000_000) / 1000.0;
            case 2 -> random.nextLong();
            default -> random.nextDouble() * Math.pow(10, random.nextInt(40) - 20);
          };
      if (Double.isFinite(wanted)) {
        String text = Double.toString(wanted);
        assertEquals(Problem.NONE, read(text), text);
        assertEquals(Double.parseDouble(text), decimals.value(), text);
      }
    }
  }
}
