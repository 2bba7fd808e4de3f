package io.faultline.sink;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.records.DeadLetter;
import io.faultline.records.Header;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileRowWriterTest {
  @TempDir Path dir;

  private static Row row(String topic, String value) {
    return OutRow.of(topic, null, value.getBytes(StandardCharsets.UTF_8), Map.of("h", "v"));
  }

  private void write(Row... rows) throws Exception {
    try (FileRowWriter writer = new FileRowWriter(dir)) {
      for (Row row : rows) {
        writer.write(row, null);
      }
    }
  }

  @Test
  void oneLinePerRowAndOneFilePerTopic() throws Exception {
    write(
        row("faultline.incidents.v1", "{\"a\":\n 1}"),
        row("faultline.incidents.v1", "{\"a\":2}"),
        row("faultline.matches.v1", "{}"),
        row("my/../topic", "{}"));
    assertEquals(
        List.of("{\"a\":  1}", "{\"a\":2}"), Files.readAllLines(dir.resolve("incidents.ndjson")));
    assertEquals(List.of("{}"), Files.readAllLines(dir.resolve("matches.ndjson")));
    assertTrue(Files.exists(dir.resolve("my_.._topic.ndjson")));
  }

  @Test
  void framesAreLengthPrefixed() throws Exception {
    write(
        OutRow.of("faultline.frames.v1", null, new byte[] {1, 10}, Map.of()),
        OutRow.of("faultline.frames.v1", null, new byte[300], Map.of()));
    byte[] bytes = Files.readAllBytes(dir.resolve("frames/frames.bin"));
    assertEquals(310, bytes.length);
    assertArrayEquals(new byte[] {2, 0, 0, 0, 1, 10, 44, 1, 0, 0}, Arrays.copyOf(bytes, 10));
  }

  @Test
  void rowsAreThereAfterAFlushAndKeptByTheNextRun() throws Exception {
    try (FileRowWriter writer = new FileRowWriter(dir)) {
      writer.write(row("faultline.audit.v1", "{\"n\":1}"), null);
      writer.flush(false);
      assertEquals(List.of("{\"n\":1}"), Files.readAllLines(dir.resolve("audit.ndjson")));
    }
    write(row("faultline.audit.v1", "{\"n\":2}"));
    assertEquals(
        List.of("{\"n\":1}", "{\"n\":2}"), Files.readAllLines(dir.resolve("audit.ndjson")));
  }

  @Test
  void whatAKilledWriterLeftHalfWrittenIsCutBeforeTheNextRow() throws Exception {
    write(row("faultline.audit.v1", "{\"n\":1}"));
    Files.writeString(dir.resolve("audit.ndjson"), "{\"n\":2,", StandardOpenOption.APPEND);
    Files.writeString(dir.resolve("matches.ndjson"), "x".repeat(20_000));
    write(row("faultline.audit.v1", "{\"n\":2}"), row("faultline.matches.v1", "{}"));
    assertEquals(
        List.of("{\"n\":1}", "{\"n\":2}"), Files.readAllLines(dir.resolve("audit.ndjson")));
    assertEquals(List.of("{}"), Files.readAllLines(dir.resolve("matches.ndjson")));
  }

  @Test
  void aFrameThatIsNotWholeIsCutToo() throws Exception {
    Path frames = dir.resolve("frames/frames.bin");
    Row frame = OutRow.of("faultline.frames.v1", null, new byte[] {7, 8}, Map.of());
    byte[] whole = {2, 0, 0, 0, 7, 8, 2, 0, 0, 0, 7, 8};
    write(frame);
    for (byte[] torn : List.of(new byte[] {2, 0}, new byte[] {3, 0, 0, 0, 7, 8})) {
      Files.write(frames, torn, StandardOpenOption.APPEND);
      write(frame);
      byte[] found = Files.readAllBytes(frames);
      assertArrayEquals(whole, Arrays.copyOf(found, 12));
      assertEquals(0, found.length % 6);
    }
    assertEquals(18, Files.size(frames));
  }

  @Test
  void deadLettersKeepEveryByte() throws Exception {
    byte[] binary = {(byte) 0xff, 0, 10};
    List<Header> originals =
        List.of(
            new Header("traceparent", "00-1".getBytes()),
            new Header("faultline.error.reason", binary),
            new Header("traceparent", null));
    write(
        DeadLetters.row(
            new DeadLetter(
                "in", 2, 9, 5, null, binary, "otlp_proto", "malformed", "why", originals)),
        DeadLetters.row(
            new DeadLetter(
                "in",
                2,
                10,
                5,
                "k".getBytes(),
                "{bad\n".getBytes(),
                "native",
                "empty",
                "",
                List.of())));
    List<String> lines = Files.readAllLines(dir.resolve("dead-letters.ndjson"));
    assertEquals(2, lines.size());
    JsonNode first = new ObjectMapper().readTree(lines.get(0));
    assertEquals("faultline.dead-letters.v1", first.get("topic").asText());
    assertTrue(first.get("key").isNull());
    assertArrayEquals(binary, Base64.getDecoder().decode(first.get("value_base64").asText()));
    assertEquals("in", first.get("headers").get("faultline.error.topic").asText());
    assertEquals("2", first.get("headers").get("faultline.error.partition").asText());
    assertEquals("9", first.get("headers").get("faultline.error.offset").asText());
    assertEquals("5", first.get("headers").get("faultline.error.timestamp").asText());
    assertEquals("otlp_proto", first.get("headers").get("faultline.error.format").asText());
    assertEquals("malformed", first.get("headers").get("faultline.error.reason").asText());
    assertEquals("why", first.get("headers").get("faultline.error.detail").asText());
    JsonNode second = new ObjectMapper().readTree(lines.get(1));
    assertEquals("k", second.get("key").asText());
    assertFalse(second.has("original_headers"));
    JsonNode kept = first.get("original_headers");
    assertEquals(3, kept.size());
    assertEquals("traceparent", kept.get(0).get("name").asText());
    assertEquals("00-1", kept.get(0).get("value").asText());
    assertEquals("original.faultline.error.reason", kept.get(1).get("name").asText());
    assertArrayEquals(binary, Base64.getDecoder().decode(kept.get(1).get("value_base64").asText()));
    assertTrue(kept.get(2).get("value").isNull());
    assertEquals(7, first.get("headers").size());
    assertEquals("{bad\n", second.get("value").asText());
  }

  @Test
  void aRowWithoutTopicOrValueIsRefused() {
    assertThrows(
        IllegalArgumentException.class,
        () -> write(OutRow.of("faultline.incidents.v1", null, null, Map.of())));
    assertThrows(
        IllegalArgumentException.class, () -> write(OutRow.of(null, null, null, Map.of())));
  }
}
