package io.faultline.source;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.config.JobConfig;
import io.faultline.config.SourceConfig;
import io.faultline.records.DeadLetter;
import io.faultline.records.Header;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.kafka.shaded.org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.flink.kafka.shaded.org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.flink.kafka.shaded.org.apache.kafka.common.record.TimestampType;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.UserCodeClassLoader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KafkaRecordsTest {
  private static final long T0 = Recordings.T0;
  private final List<Decoded> out = new ArrayList<>();
  private final RecordHeaders headers = new RecordHeaders();
  private KafkaRecords records;

  @BeforeEach
  void open() throws Exception {
    SourceConfig source =
        JobConfig.read(
                "{\"sources\":[{\"type\":\"kafka\",\"bootstrap_servers\":\"b\",\"topic\":\"t\"}]}")
            .sources()
            .get(0);
    records = InstantiationUtil.clone(new KafkaRecords(source, "default", 300_000L));
    records.open(
        new DeserializationSchema.InitializationContext() {
          @Override
          public MetricGroup getMetricGroup() {
            return new UnregisteredMetricsGroup();
          }

          @Override
          public UserCodeClassLoader getUserCodeClassLoader() {
            return null;
          }
        });
  }

  private void receive(long offset, long timestamp, String key, String value) {
    byte[] bytes = value == null ? null : value.getBytes(StandardCharsets.UTF_8);
    records.deserialize(
        new ConsumerRecord<>(
            "t",
            3,
            offset,
            timestamp,
            TimestampType.CREATE_TIME,
            0,
            0,
            key == null ? null : key.getBytes(StandardCharsets.UTF_8),
            bytes,
            headers,
            Optional.empty()),
        new ListCollector<>(out));
  }

  @Test
  void deadLettersCarryTheRecord() {
    receive(7, T0, "k", "{\"graph\":1}");
    DeadLetter letter = out.get(0).deadLetter();
    assertEquals("t", letter.topic());
    assertEquals(3, letter.partition());
    assertEquals(7, letter.offset());
    assertEquals(T0, letter.timestamp());
    assertArrayEquals("k".getBytes(), letter.key());
    assertArrayEquals("{\"graph\":1}".getBytes(), letter.value());
    assertEquals("bad_value", letter.reason());
    assertEquals("native", letter.format());
    assertEquals(List.of(), letter.headers());
  }

  @Test
  void headersGoWithTheDeadLetter() {
    headers.add("traceparent", new byte[] {1});
    headers.add("traceparent", null);
    receive(7, T0, "k", "{");
    List<Header> kept = out.get(0).deadLetter().headers();
    assertEquals(List.of("traceparent", "traceparent"), kept.stream().map(Header::name).toList());
    assertArrayEquals(new byte[] {1}, kept.get(0).value());
    assertNull(kept.get(1).value());
  }

  @Test
  void aLongDetailIsCut() {
    receive(7, T0, "k", Recordings.sample("a", "m", 1, T0).replace("\"m\"", "m".repeat(5_000)));
    assertTrue(out.get(0).deadLetter().detail().length() < 600);
  }

  @Test
  void oneDeadLetterPerReasonCountsTheRest() {
    receive(0, T0, null, "x\ny\n{\"graph\":1}\nz\n" + Recordings.sample("a", "m", 1, T0));
    assertEquals(3, out.size());
    assertEquals("malformed", out.get(0).deadLetter().reason());
    assertTrue(out.get(0).deadLetter().detail().startsWith("line 1: "));
    assertTrue(out.get(0).deadLetter().detail().endsWith("(and 2 more)"));
    assertEquals("bad_value", out.get(1).deadLetter().reason());
    assertNull(out.get(1).deadLetter().key());
    assertEquals("a", out.get(2).block().node());
  }

  @Test
  void aTombstoneGivesNothing() {
    receive(0, T0, "k", null);
    assertEquals(List.of(), out);
  }

  @Test
  void theFutureIsMeasuredAgainstTheRecord() throws Exception {
    try (InputStream in = getClass().getResourceAsStream("/cases/config-future-timestamp.json")) {
      JsonNode testCase = new ObjectMapper().readTree(in);
      List<Integer> refused = new ArrayList<>();
      for (JsonNode record : testCase.path("records")) {
        int before = out.size();
        int index = before;
        receive(index, record.path("timestamp").asLong(), "k", record.path("value").asText());
        assertEquals(before + 1, out.size());
        if (!out.get(before).isTimed()) {
          assertEquals("bad_time", out.get(before).deadLetter().reason());
          refused.add(index);
        }
      }
      assertEquals(List.of(2, 8), refused);
    }
  }

  @Test
  void decodedThingsSurviveAChannel() throws Exception {
    receive(1, T0, null, "x\n" + Recordings.sample("a", "m", 1.5, T0));
    headers.add("h", new byte[] {7});
    headers.add("h", null);
    receive(2, T0, "k", Recordings.edge("a", "b", T0) + "\ny");
    assertEquals(4, out.size());
    for (Decoded decoded : out) {
      DataOutputSerializer bytes = new DataOutputSerializer(64);
      DecodedSerializer.INSTANCE.serialize(decoded, bytes);
      DataInputDeserializer in = new DataInputDeserializer(bytes.getCopyOfBuffer());
      Decoded back = DecodedSerializer.INSTANCE.deserialize(in);
      assertEquals(0, in.available());
      assertEquals(decoded.time(), back.time());
      assertEquals(decoded.edge(), back.edge());
      if (decoded.block() != null) {
        assertEquals(decoded.block().layout(), back.block().layout());
        assertArrayEquals(decoded.block().values(), back.block().values());
      }
      if (decoded.deadLetter() != null) {
        assertEquals(decoded.deadLetter().detail(), back.deadLetter().detail());
        assertArrayEquals(decoded.deadLetter().key(), back.deadLetter().key());
        assertArrayEquals(decoded.deadLetter().value(), back.deadLetter().value());
        List<Header> sent = decoded.deadLetter().headers();
        List<Header> read = back.deadLetter().headers();
        assertEquals(sent.size(), read.size());
        for (int i = 0; i < sent.size(); i++) {
          assertEquals(sent.get(i).name(), read.get(i).name());
          assertArrayEquals(sent.get(i).value(), read.get(i).value());
        }
      }
    }
  }
}
