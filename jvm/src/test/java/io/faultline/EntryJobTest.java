package io.faultline;

import static io.faultline.source.Recordings.T0;
import static io.faultline.source.Recordings.edge;
import static io.faultline.source.Recordings.sample;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.sink.OutRow;
import io.faultline.source.Recordings;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The whole JVM half as a Flink job: recordings in, files out. */
class EntryJobTest {
  private static final long TICK_MS = 10_000L;
  private static final int TICKS = 20;

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(2)
              .build());

  @TempDir Path dir;
  private String recording;
  private Path out;

  @BeforeEach
  void write() throws Exception {
    List<String> samples = new ArrayList<>();
    for (int tick = 0; tick < TICKS; tick++) {
      long time = T0 + tick * TICK_MS;
      double cpu = tick == TICKS - 1 ? 99 : 20 + tick % 3;
      samples.add(sample("cart", "cpu", cpu, time));
      samples.add(sample("web", "cpu", 10 + tick % 2, time));
    }
    samples.add(2, "{\"graph\":\"shop\",\"no");
    samples.add(sample("cart", "cpu", 5, T0));
    recording =
        Recordings.write(dir.resolve("rec"), samples, List.of(edge("web", "cart", T0))).toString();
    out = dir.resolve("out");
  }

  private String config(String... paths) throws Exception {
    ObjectMapper json = new ObjectMapper();
    String pattern =
        "{\"id\":\"high\",\"version\":1,\"key\":\"series\",\"maturity\":\"production\","
            + "\"severity\":\"critical\",\"runbook\":null,\"within_ms\":null,"
            + "\"after_match\":{\"kind\":\"no_skip\",\"step\":null},\"steps\":[{\"name\":\"s\","
            + "\"where\":{\"op\":\">\",\"left\":{\"field\":\"value\"},\"right\":{\"const\":90}},"
            + "\"contiguity\":\"followed_by\",\"times\":null,\"one_or_more\":false,"
            + "\"optional\":false,\"greedy\":false,\"consecutive\":false,"
            + "\"combinations\":false,\"until\":null}],\"select\":null}";
    return "{\"sources\":[{\"type\":\"recordings\",\"paths\":"
        + json.writeValueAsString(paths)
        + ",\"names\":"
        + json.writeValueAsString(names(paths))
        + "}],\"tick_ms\":"
        + TICK_MS
        + ",\"patterns\":["
        + pattern
        + "],\"name\":\"test\"}";
  }

  private static List<String> names(String... paths) {
    return paths.length == 1 ? List.of("shop") : List.of("one", "two");
  }

  private void run(String config) throws Exception {
    Configuration flink = new Configuration();
    flink.setString("pipeline.object-reuse", "true");
    flink.setString("pipeline.generic-types", "false");
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(flink);
    env.setParallelism(2);
    Map<String, DataStream<Row>> streams = Entry.sources(env, config);
    DataStream<Row> published =
        streams
            .get(Entry.OBSERVATIONS)
            .map(EntryJobTest::publish, OutRow.TYPE)
            .union(streams.get(Entry.DEAD_LETTERS), streams.get(Entry.AUDIT));
    Entry.sinks(env, "{\"files\":{\"dir\":\"" + out + "\"}}", published);
    env.execute();
  }

  private static Row publish(Row observation) {
    boolean frame = "frame".equals(observation.getField(1));
    String topic = frame ? "faultline.frames.v1" : "faultline.matches.v1";
    return OutRow.of(topic, null, (byte[]) observation.getField(3), Map.of());
  }

  private List<JsonNode> lines(String file) throws Exception {
    List<JsonNode> all = new ArrayList<>();
    for (String line : Files.readAllLines(out.resolve(file))) {
      all.add(new ObjectMapper().readTree(line));
    }
    return all;
  }

  private List<ByteBuffer> frames() throws Exception {
    ByteBuffer all =
        ByteBuffer.wrap(Files.readAllBytes(out.resolve("frames/frames.bin")))
            .order(ByteOrder.LITTLE_ENDIAN);
    List<ByteBuffer> rows = new ArrayList<>();
    while (all.hasRemaining()) {
      byte[] row = new byte[all.getInt()];
      all.get(row);
      rows.add(ByteBuffer.wrap(row).order(ByteOrder.LITTLE_ENDIAN));
    }
    return rows;
  }

  @Test
  void recordingToFiles() throws Exception {
    run(config(recording));
    List<ByteBuffer> frames = frames();
    assertEquals(TICKS, frames.size());
    for (int tick = 0; tick < TICKS; tick++) {
      assertEquals(T0 + (tick + 1) * TICK_MS, frames.get(tick).getLong(16));
    }
    List<JsonNode> matches = lines("matches.ndjson");
    assertEquals(1, matches.size());
    assertEquals("cart", matches.get(0).get("node").asText());
    assertEquals(T0 + (TICKS - 1) * TICK_MS, matches.get(0).get("end").asLong());
    List<JsonNode> deadLetters = lines("dead-letters.ndjson");
    assertEquals(1, deadLetters.size());
    assertEquals("{\"graph\":\"shop\",\"no", deadLetters.get(0).get("value").asText());
    JsonNode headers = deadLetters.get(0).get("headers");
    assertEquals("malformed", headers.get("faultline.error.reason").asText());
    assertEquals("2", headers.get("faultline.error.offset").asText());
    List<JsonNode> audit = lines("audit.ndjson");
    assertEquals(1, audit.size());
    assertEquals("late", audit.get(0).get("type").asText());
    assertEquals(T0, audit.get(0).get("time").asLong());
  }

  @Test
  void twoRunsGiveTheSameBytes() throws Exception {
    run(config(recording));
    byte[] first = Files.readAllBytes(out.resolve("frames/frames.bin"));
    out = dir.resolve("again");
    run(config(recording));
    assertTrue(Arrays.equals(first, Files.readAllBytes(out.resolve("frames/frames.bin"))));
  }

  @Test
  void recordingsOfOneGraphRunSideBySideUnderTheirNames() throws Exception {
    run(config(recording, recording));
    assertEquals(2 * TICKS, frames().size());
    List<String> graphs =
        lines("matches.ndjson").stream().map(m -> m.get("graph").asText()).sorted().toList();
    assertEquals(List.of("one", "two"), graphs);
  }
}
