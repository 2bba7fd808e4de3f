package io.faultline.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnitsTest {
  @ParameterizedTest
  @CsvSource({
    "ms, 0.001",
    "us, 1e-6",
    "min, 60",
    "%, 0.01",
    "MBy, 1e6",
    "KiBy, 1024",
    "1/min, 0.016666666666666666",
    "MBy/s, 1e6",
    "mcpu, 0.001",
    "m{cpu}, 0.001",
    "ms/s, 0.001",
    "{request}, 1",
    "By/{request}, 1",
    "1/s, 1"
  })
  void unitsHaveTheirFactor(String unit, double factor) {
    assertEquals(factor, Units.factor(unit), factor * 1e-12);
  }

  @Test
  void aRateOfSecondsIsAShareOfTime() {
    assertEquals("1", Units.perSecond("s"));
    assertEquals("By/s", Units.perSecond("By"));
    assertEquals("1/s", Units.perSecond("{request}"));
    assertEquals("1/s", Units.perSecond("1/s"));
    assertNull(Units.perSecond(null));
  }
}
