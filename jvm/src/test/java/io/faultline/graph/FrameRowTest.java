package io.faultline.graph;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class FrameRowTest {
  /** The same bytes are written and read by records/frames.py. */
  private static final Path GOLDEN = Path.of("../tests/golden/frame_row_v2.bin");

  /** A row with a node of each presence, two edges, and a figure of its own in every cell. */
  private static FrameRow literal() {
    float[] frames = new float[3 * FrameRow.NODE_FLOATS];
    for (int c = 0; c < frames.length; c++) {
      frames[c] = c / 77 + c / 7 % 11 / 16f + c % 7 / 64f;
    }
    float[] edgeFrames = new float[2 * FrameRow.EDGE_FLOATS];
    for (int c = 0; c < edgeFrames.length; c++) {
      edgeFrames[c] = -(c / 15 + c / 3 % 5 / 8f + c % 3 / 32f);
    }
    return new FrameRow(
        "shop",
        60_000,
        1_767_225_660_000L,
        3,
        new String[] {"cart", "frontend", "redis"},
        new byte[] {FrameRow.FRAMED, FrameRow.SILENT, FrameRow.NEVER_SEEN},
        new int[] {0, 4, -1},
        new int[] {0, 2, 1, 0},
        frames,
        edgeFrames);
  }

  @Test
  void theBytesAreThoseOfTheGoldenFile() throws IOException {
    assertArrayEquals(Files.readAllBytes(GOLDEN), literal().encode());
  }

  @Test
  void theGoldenFileIsRead() throws IOException {
    FrameRow read = FrameRow.decode(Files.readAllBytes(GOLDEN));
    FrameRow expected = literal();
    assertEquals("shop", read.graph());
    assertEquals(3, read.topologyVersion());
    assertArrayEquals(expected.nodes(), read.nodes());
    assertArrayEquals(expected.presence(), read.presence());
    assertArrayEquals(expected.age(), read.age());
    assertArrayEquals(expected.edges(), read.edges());
    assertArrayEquals(expected.frames(), read.frames());
    assertArrayEquals(expected.edgeFrames(), read.edgeFrames());
  }

  @Test
  void otherBytesAreRefused() {
    byte[] magic = literal().encode();
    magic[0] = 'X';
    assertThrows(IOException.class, () -> FrameRow.decode(magic));
    byte[] version = literal().encode();
    version[4] = 3;
    assertThrows(IOException.class, () -> FrameRow.decode(version));
    byte[] signals = literal().encode();
    signals[36] = 12;
    assertThrows(IOException.class, () -> FrameRow.decode(signals));
  }

  @Test
  void aRowWithoutAnythingIsARow() throws IOException {
    FrameRow empty =
        new FrameRow(
            "ü",
            1,
            2,
            0,
            new String[0],
            new byte[0],
            new int[0],
            new int[0],
            new float[0],
            new float[0]);
    assertEquals("ü", FrameRow.decode(empty.encode()).graph());
  }
}
