package io.faultline.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.MethodSource;

class UnitsTest {
  private static final Map<String, Double> ATOMS =
      Map.of("s", 1.0, "By", 1.0, "bit", 0.125, "Hz", 1.0);
  private static final Map<String, Double> PREFIXES =
      Map.ofEntries(
          Map.entry("", 1.0),
          Map.entry("n", 1e-9),
          Map.entry("u", 1e-6),
          Map.entry("m", 1e-3),
          Map.entry("k", 1e3),
          Map.entry("M", 1e6),
          Map.entry("G", 1e9),
          Map.entry("T", 1e12),
          Map.entry("Ki", 1024.0),
          Map.entry("Mi", 1048576.0),
          Map.entry("Gi", 1073741824.0));
  private static final List<String> OTHERS =
      List.of("1", "%", "min", "h", "d", "{request}", "m{cpu}", "[ppm]", "seconds", "furlongs");

  /** Every prefix with every atom, and what takes none. */
  static List<String> units() {
    List<String> units = new ArrayList<>(OTHERS);
    PREFIXES.keySet().forEach(p -> ATOMS.keySet().forEach(a -> units.add(p + a)));
    return units;
  }

  static List<String> ucum() {
    return units().stream().filter(u -> !u.equals("seconds") && !u.equals("furlongs")).toList();
  }

  private static void assertFactor(double expected, String unit) {
    assertEquals(expected, Units.factor(unit), Math.abs(expected) * 1e-12, unit);
    assertFalse(Units.unknown(unit), unit);
  }

  /** The table that holds both languages to the same factors. */
  @ParameterizedTest
  @CsvFileSource(resources = "/units.csv")
  void unitsHaveTheirFactor(String unit, @Nullable Double factor) {
    assertEquals(factor == null, Units.unknown(unit), unit);
    assertEquals(factor == null ? 1.0 : factor, Units.factor(unit), 1e-12 * Units.factor(unit));
  }

  @Test
  void noUnitIsNotAnUnknownOne() {
    assertEquals(1.0, Units.factor(null));
    assertFalse(Units.unknown(null));
    assertFalse(Units.unknown(""));
  }

  @Test
  void aPrefixMultipliesItsAtom() {
    PREFIXES.forEach(
        (prefix, times) -> ATOMS.forEach((atom, one) -> assertFactor(times * one, prefix + atom)));
  }

  @ParameterizedTest
  @MethodSource("ucum")
  void aQuotientHasTheQuotientOfTheFactors(String unit) {
    for (String other : ucum()) {
      assertFactor(Units.factor(unit) / Units.factor(other), unit + "/" + other);
      assertFactor(Units.factor(unit) * Units.factor(other), unit + "." + other);
    }
  }

  @ParameterizedTest
  @MethodSource("units")
  void theRatePerSecondHasTheFactorOfItsCounter(String unit) {
    assertEquals(Units.factor(unit), Units.factor(Units.perSecond(unit)), unit);
  }

  @Test
  void anyTextHasAFiniteFactor() {
    Random random = new Random(7);
    String alphabet = "smBykMGKi%10*^{}/.-+ hdn[p]";
    for (int i = 0; i < 200_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int length = random.nextInt(8); length > 0; length--) {
        text.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      double factor = Units.factor(text.toString());
      assertTrue(Double.isFinite(factor) && factor > 0, () -> "'" + text + "' " + factor);
    }
  }

  @Test
  void aRateOfSecondsIsAShareOfTime() {
    assertEquals("1", Units.perSecond("s"));
    assertEquals("By/s", Units.perSecond("By"));
    assertEquals("1/s", Units.perSecond("{request}"));
    assertEquals("1/s", Units.perSecond("1/s"));
    assertEquals("{a}.{b}/s", Units.perSecond("{a}.{b}"));
    assertNull(Units.perSecond(null));
  }
}
