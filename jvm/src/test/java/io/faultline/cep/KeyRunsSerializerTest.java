package io.faultline.cep;

import static io.faultline.cep.Patterns.is;
import static io.faultline.cep.Patterns.pattern;
import static io.faultline.cep.Patterns.step;
import static io.faultline.cep.Patterns.within;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

/** The state of a node's runs, now and as earlier releases wrote it. */
class KeyRunsSerializerTest {
  private static final String GOLDEN = "golden/key_runs_v1.bin";
  private static final String SERIES =
      pattern(
          "series",
          within(60_000),
          step("up", is("value", ">", 5)),
          step("more", is("value", ">", 5), "'one_or_more':true"),
          step("down", is("value", "<", 1)));
  private static final String NODE =
      pattern(
              "node",
              within(60_000) + "," + Patterns.afterMatch("skip_past_last"),
              step("up", is("value", ">", 5)),
              step("down", is("value", "<", 1)))
          .replace("'series',", "'node',");

  private static Player half() throws Exception {
    return Player.of(SERIES, NODE).values(9, 7, 8);
  }

  private static byte[] bytes(KeyRuns runs) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    KeyRunsSerializer.INSTANCE.serialize(runs, out);
    return out.getCopyOfBuffer();
  }

  private static List<String> finish(Player player) {
    return player.sample("cart", 9000, 0).end();
  }

  @Test
  void whatWasWrittenGoesOnAsIfNothingHadHappened() throws Exception {
    Player whole = half();
    Player restored = half();
    restored.restore();
    assertEquals(2, restored.runs.get("cart").size());
    List<String> expected = finish(whole);
    assertTrue(expected.size() > 5, expected.toString());
    assertEquals(expected, finish(restored));
  }

  @Test
  void aCopySharesNothingThatChanges() throws Exception {
    Player player = half();
    KeyRuns runs = player.runs.get("cart");
    KeyRuns copy = KeyRunsSerializer.INSTANCE.copy(runs);
    byte[] before = bytes(copy);
    assertNotSame(runs, copy);
    finish(player);
    assertTrue(runs.isEmpty());
    assertArrayEquals(before, bytes(copy));
  }

  @Test
  void nothingActiveIsAFewBytes() throws Exception {
    assertEquals(5, bytes(new KeyRuns()).length);
    KeyRuns read =
        KeyRunsSerializer.INSTANCE.deserialize(new DataInputDeserializer(bytes(new KeyRuns())));
    assertTrue(read.isEmpty());
  }

  @Test
  void aSampleThatSeveralRunsHoldIsWrittenOnce() throws Exception {
    int one = bytes(Player.of(SERIES).values(9, 7, 8).runs.get("cart")).length;
    int both = bytes(half().runs.get("cart")).length;
    int other = bytes(Player.of(NODE).values(9, 7, 8).runs.get("cart")).length;
    assertTrue(both < one + other - 3 * 56, both + " of " + one + " and " + other);
  }

  @Test
  void bytesOfAnotherVersionAreRefused() {
    DataInputDeserializer in = new DataInputDeserializer(new byte[] {9, 0, 0, 0, 0});
    assertThrows(IOException.class, () -> KeyRunsSerializer.INSTANCE.deserialize(in));
  }

  @Test
  void theStateOfReleaseOneIsRead() throws Exception {
    if (Boolean.getBoolean("faultline.golden.write")) {
      Files.write(Path.of("src/test/resources", GOLDEN), bytes(half().runs.get("cart")));
    }
    byte[] golden;
    try (InputStream in = getClass().getClassLoader().getResourceAsStream(GOLDEN)) {
      golden = in.readAllBytes();
    }
    assertArrayEquals(golden, bytes(half().runs.get("cart")), "the form has changed");
    Player player = half();
    player.runs.put(
        "cart", KeyRunsSerializer.INSTANCE.deserialize(new DataInputDeserializer(golden)));
    assertEquals(finish(half()), finish(player));
  }
}
