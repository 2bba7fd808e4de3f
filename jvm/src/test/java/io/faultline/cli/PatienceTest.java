package io.faultline.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Which patterns a run gives up. */
class PatienceTest {
  private static final long SECOND = 1_000_000_000L;

  private static boolean isTooMuch(long seconds, long steps, long ofSeconds) {
    return Patience.isTooMuch(seconds * SECOND, steps, ofSeconds * SECOND);
  }

  @Test
  void whatTakesMostOfTheTimeAndMuchForEachEventIsGivenUp() {
    assertTrue(isTooMuch(9, 1000, 10));
  }

  @Test
  void aShortRunIsNotJudged() {
    assertFalse(isTooMuch(4, 10, 4));
  }

  @Test
  void whatIsCheapForEachEventMayTakeItsTime() {
    assertFalse(isTooMuch(60, 60_000_000, 61));
  }

  @Test
  void whatTakesAPartOfTheTimeMayBeDear() {
    assertFalse(isTooMuch(60, 1000, 100));
  }
}
