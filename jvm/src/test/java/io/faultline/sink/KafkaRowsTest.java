package io.faultline.sink;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.faultline.config.SinksConfig;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.kafka.shaded.org.apache.kafka.clients.producer.ProducerRecord;
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
