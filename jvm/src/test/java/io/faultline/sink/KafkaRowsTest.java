package io.faultline.sink;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.faultline.config.Json;
import io.faultline.config.SinksConfig;
import io.faultline.records.DeadLetter;
import io.faultline.records.Header;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.kafka.shaded.org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;

class KafkaRowsTest {
  @Test
  void rowsKeepKeyValueAndHeaders() {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("ce_id", "inc:1");
    headers.put("ce_none", null);
    Row row = OutRow.of("t", new byte[] {1}, new byte[] {2}, headers);
    ProducerRecord<byte[], byte[]> record = new KafkaRows().serialize(row, null, 5L);
    assertEquals("t", record.topic());
    assertNull(record.partition());
    assertArrayEquals(new byte[] {1}, record.key());
    assertArrayEquals(new byte[] {2}, record.value());
    assertArrayEquals("inc:1".getBytes(), record.headers().lastHeader("ce_id").value());
    assertNull(record.headers().lastHeader("ce_none").value());
  }

  @Test
  void fieldsMayBeTextBoxedOrMissing() {
    Row row = Row.of("t", "k", new Byte[] {7}, null);
    ProducerRecord<byte[], byte[]> record = new KafkaRows().serialize(row, null, null);
    assertArrayEquals("k".getBytes(), record.key());
    assertArrayEquals(new byte[] {7}, record.value());
    assertEquals(0, record.headers().toArray().length);
  }

  @Test
  void aDeadLetterKeepsTheHeadersOfItsRecordBesideOurs() {
    List<Header> originals =
        List.of(
            new Header("traceparent", new byte[] {(byte) 0xff, 0}),
            new Header("faultline.error.reason", "before".getBytes()),
            new Header("traceparent", null));
    DeadLetter letter =
        new DeadLetter("in", 0, 7, 5, null, new byte[] {1}, "native", "empty", "why", originals);
    ProducerRecord<byte[], byte[]> record =
        new KafkaRows().serialize(DeadLetters.row(letter), null, null);
    List<String> names =
        Arrays.stream(record.headers().toArray()).map(header -> header.key()).toList();
    assertEquals(
        List.of("traceparent", "original.faultline.error.reason", "traceparent"),
        names.subList(0, 3));
    assertEquals(10, names.size());
    assertArrayEquals(new byte[] {(byte) 0xff, 0}, record.headers().toArray()[0].value());
    assertNull(record.headers().lastHeader("traceparent").value());
    assertArrayEquals(
        "empty".getBytes(), record.headers().lastHeader("faultline.error.reason").value());
  }

  @Test
  void aDeadLetterFitsIntoARecordHoweverLongItIs() {
    byte[] value = new byte[1_048_000];
    DeadLetter letter =
        new DeadLetter("in", 0, 7, 5, null, value, "native", "empty", "why", List.of());
    ProducerRecord<byte[], byte[]> record =
        new KafkaRows().serialize(DeadLetters.row(letter), null, null);
    assertEquals(900_000, record.value().length);
    assertArrayEquals(
        "1048000".getBytes(), record.headers().lastHeader("faultline.error.value_bytes").value());
  }

  @Test
  void whatIsTooLongForTheProducerIsToldInsteadOfSent() throws Exception {
    Map<String, String> headers = Map.of("time", "1767225600000");
    Row row = OutRow.of("faultline.frames.v1", "shop".getBytes(), new byte[1_000], headers);
    ProducerRecord<byte[], byte[]> sent = new KafkaRows(2_000).serialize(row, null, null);
    assertEquals("faultline.frames.v1", sent.topic());
    assertEquals(1_000, sent.value().length);
    ProducerRecord<byte[], byte[]> told = new KafkaRows(1_500).serialize(row, null, null);
    assertEquals("faultline.audit.v1", told.topic());
    assertArrayEquals("shop".getBytes(), told.key());
    JsonNode line = Json.mapper().readTree(told.value());
    assertEquals("too_long", line.get("type").asText());
    assertEquals("faultline.frames.v1", line.get("topic").asText());
    assertEquals("1767225600000", line.get("time").asText());
    assertEquals(1_500, line.get("longest").asInt());
  }

  @Test
  void withoutAWordTheBoundIsTheProducers() {
    byte[] frames = new byte[3_239_112];
    Row row = OutRow.of("faultline.frames.v1", "loud".getBytes(), frames, Map.of());
    assertEquals("faultline.audit.v1", new KafkaRows().serialize(row, null, null).topic());
  }

  @Test
  void bothDeliveriesCanBeBuilt() {
    for (String delivery : new String[] {"at_least_once", "exactly_once"}) {
      SinksConfig config =
          SinksConfig.read(
              "{\"kafka\":{\"bootstrap_servers\":\"b:1\",\"delivery\":\""
                  + delivery
                  + "\",\"transactional_id_prefix\":\"p\"}}");
      assertNotNull(KafkaRows.sink(config.kafka()));
    }
  }
}
