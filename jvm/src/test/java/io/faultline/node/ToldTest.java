package io.faultline.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ToldTest {
  private final Told told = new Told();

  @Test
  void theFirstAndEachTenfoldAreTold() {
    List<Long> found = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      long count = told.count("shop", "node_refused");
      if (count > 0) {
        found.add(count);
      }
    }
    assertEquals(List.of(1L, 10L, 100L, 1_000L), found);
    assertEquals(1, told.count("store", "node_refused"));
    assertEquals(1, told.count("shop", "match_refused"));
  }

  @Test
  void endlesslyManyGraphsTakeNoEndlessMemory() {
    for (int i = 0; i < 10_000; i++) {
      assertEquals(1, told.count("g" + i, "node_refused"));
    }
    assertEquals(0, told.count("one more", "node_refused"));
    assertEquals(0, told.count("g1", "node_refused"));
  }
}
