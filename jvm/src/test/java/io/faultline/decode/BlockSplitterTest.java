package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.records.Block;
import io.faultline.records.SeriesKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BlockSplitterTest {
  private final BlockSplitter splitter = new BlockSplitter();

  private List<Block> flush() {
    List<Block> out = new ArrayList<>();
    splitter.flush(out::add);
    return out;
  }

  /** Equal but never the same strings, as a decoder without interning gives them. */
  private static String fresh(String text) {
    return new String(text.toCharArray());
  }

  @Test
  void interleavedNodesGiveWholeBlocks() {
    int nodes = 200;
    int metrics = 30;
    for (int m = 0; m < metrics; m++) {
      for (int n = 0; n < nodes; n++) {
        splitter.add(fresh("g"), fresh("n" + n), 1_000L, SeriesKey.of("m" + m), n * 100.0 + m, 0L);
      }
    }
    List<Block> blocks = flush();
    assertEquals(nodes, blocks.size());
    for (int n = 0; n < nodes; n++) {
      Block block = blocks.get(n);
      assertEquals("n" + n, block.node());
      assertEquals(metrics, block.size());
      assertNull(block.starts());
      for (int m = 0; m < metrics; m++) {
        assertEquals("m" + m, block.layout().series(m).metric());
        assertEquals(n * 100.0 + m, block.values()[m]);
      }
    }
  }

  @Test
  void graphNodeAndTimeSeparateBlocks() {
    SeriesKey key = SeriesKey.of("m");
    splitter.add("g", "n", 1L, key, 1, 0L);
    splitter.add("g", "n", 2L, key, 2, 7L);
    splitter.add("h", "n", 1L, key, 3, 0L);
    splitter.add("g", "n", 1L, SeriesKey.of("k"), 4, 0L);
    List<Block> blocks = flush();
    assertEquals(3, blocks.size());
    assertEquals(2, blocks.get(0).size());
    assertArrayEquals(new long[] {7L}, blocks.get(1).starts());
    assertEquals("h", blocks.get(2).graph());
  }

  @Test
  void nothingStaysFromOnePayloadToTheNext() {
    SeriesKey key = SeriesKey.of("m");
    splitter.add("g", "n", 1L, key, 1, 5L);
    Block first = flush().get(0);
    assertTrue(splitter.isEmpty());
    assertEquals(List.of(), flush());
    splitter.add("g", "n", 1L, key, 2, 0L);
    Block second = flush().get(0);
    assertArrayEquals(new double[] {1}, first.values());
    assertArrayEquals(new double[] {2}, second.values());
    assertNull(second.starts());
    assertSame(first.layout(), second.layout());
  }

  @Test
  void manyBlocksOfOnePayload() {
    for (int i = 0; i < 10_000; i++) {
      splitter.add("g", "n" + i, 1L, SeriesKey.of("m"), i, 0L);
    }
    assertEquals(10_000, flush().size());
    splitter.add("g", "n", 1L, SeriesKey.of("m"), 1, 0L);
    assertEquals(1, flush().size());
  }
}
