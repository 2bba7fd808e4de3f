package io.faultline.source;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.faultline.records.DeadLetter;
import io.faultline.records.Header;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

/** The bytes of a dead letter in a channel; written anew with -Dgolden.write=true. */
class DecodedGoldenTest {
  private static final String GOLDEN = "/golden/dead_letter_v1.bin";
  private static final DeadLetter LETTER =
      new DeadLetter(
          "in",
          3,
          7L,
          1_767_225_600_000L,
          null,
          new byte[] {(byte) 0xff, 0},
          "prometheus",
          "bad_value",
          "line 1: why",
          List.of(new Header("traceparent", new byte[] {1}), new Header("none", null)));

  @Test
  void theBytesAreThoseOfTheFirstVersion() throws Exception {
    DataOutputSerializer out = new DataOutputSerializer(64);
    DecodedSerializer.INSTANCE.serialize(Decoded.of(LETTER), out);
    if (Boolean.getBoolean("golden.write")) {
      Files.write(Path.of("src/test/resources" + GOLDEN), out.getCopyOfBuffer());
    }
    byte[] golden;
    try (InputStream in = getClass().getResourceAsStream(GOLDEN)) {
      golden = in.readAllBytes();
    }
    assertArrayEquals(golden, out.getCopyOfBuffer());
    DeadLetter back =
        DecodedSerializer.INSTANCE.deserialize(new DataInputDeserializer(golden)).deadLetter();
    assertEquals(LETTER.topic(), back.topic());
    assertEquals(LETTER.detail(), back.detail());
    assertArrayEquals(LETTER.value(), back.value());
    assertEquals(
        List.of("traceparent", "none"), back.headers().stream().map(Header::name).toList());
    assertArrayEquals(new byte[] {1}, back.headers().get(0).value());
  }
}
