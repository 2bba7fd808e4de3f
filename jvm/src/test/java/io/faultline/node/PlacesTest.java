package io.faultline.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

class PlacesTest {
  @Test
  void whatIsInTheRangeMovesAndNothingElse() {
    Random random = new Random(1);
    for (int trial = 0; trial < 5_000; trial++) {
      byte[] places = new byte[8 * (1 + random.nextInt(16))];
      for (int i = 0; i < places.length; i++) {
        places[i] = (byte) random.nextInt(128);
      }
      boolean up = random.nextBoolean();
      int from = up ? random.nextInt(128) : 1 + random.nextInt(127);
      int to = from + random.nextInt((up ? 127 : 128) - from + 1);
      byte[] expected = places.clone();
      for (int i = 0; i < expected.length; i++) {
        if (expected[i] >= from && expected[i] < to) {
          expected[i] += (byte) (up ? 1 : -1);
        }
      }
      Places.shift(places, from, to, up ? 1 : -1);
      assertArrayEquals(expected, places);
    }
  }
}
