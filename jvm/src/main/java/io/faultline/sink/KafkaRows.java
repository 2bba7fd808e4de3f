package io.faultline.sink;

import io.faultline.config.Json;
import io.faultline.config.SinksConfig.KafkaSinkConfig;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaSinkBuilder;
import org.apache.flink.kafka.shaded.org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.flink.kafka.shaded.org.apache.kafka.common.header.Header;
import org.apache.flink.kafka.shaded.org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.types.Row;

/**
 * Rows to Kafka: topic, key, value and headers as they are; the key chooses the partition. A record
 * longer than the producer may send would end the job, and with it what is told of all other
 * graphs: instead of it a line of the audit goes out. So it is with the frame row of a very large
 * graph.
 */
public final class KafkaRows implements KafkaRecordSerializationSchema<Row> {

  /** Kafka's 5 ms would be waited by every incident; what comes in numbers fills batches anyway. */
  private static final String LINGER_MS = "linger.ms";

  private static final String TRANSACTION_TIMEOUT = "transaction.timeout.ms";

  /** What brokers allow unless they are told otherwise; the connector's default is beyond it. */
  private static final String BROKER_MAXIMUM_MS = "900000";

  private static final String LONGEST = "max.request.size";

  /** The producer's and the brokers' own bound. */
  private static final int LONGEST_BYTES = 1_048_576;

  /** What a batch of one record has beside key, value and headers, and to be on the safe side. */
  private static final int BESIDE_BYTES = 512;

  private static final int HEADER_BYTES = 16;
  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

  private final int longest;

  /** As a producer that is told nothing. */
  KafkaRows() {
    this(LONGEST_BYTES);
  }

  /** Longest record in bytes. */
  KafkaRows(int longest) {
    this.longest = longest;
  }

  /** The sink; with exactly_once records appear when a checkpoint completes. */
  public static KafkaSink<Row> sink(KafkaSinkConfig config) {
    Properties properties = new Properties();
    properties.put(TRANSACTION_TIMEOUT, BROKER_MAXIMUM_MS);
    properties.put(LINGER_MS, "0");
    properties.putAll(config.properties());
    KafkaSinkBuilder<Row> builder =
        KafkaSink.<Row>builder()
            .setKafkaProducerConfig(properties)
            .setBootstrapServers(config.bootstrapServers())
            .setRecordSerializer(new KafkaRows(longest(properties)));
    if (config.delivery().equals(KafkaSinkConfig.EXACTLY_ONCE)) {
      builder
          .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
          .setTransactionalIdPrefix(config.transactionalIdPrefix());
    } else {
      builder.setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE);
    }
    return builder.build();
  }

  @Override
  public ProducerRecord<byte[], byte[]> serialize(
      Row row, KafkaSinkContext context, Long timestamp) {
    List<Header> headers = new ArrayList<>();
    OriginalHeaders.of(OutRow.headers(row))
        .forEach(header -> headers.add(new RecordHeader(header.name(), header.value())));
    for (Map.Entry<String, String> header : OutRow.headers(row).entrySet()) {
      String value = header.getValue();
      if (!OriginalHeaders.is(header.getKey())) {
        headers.add(
            new RecordHeader(
                header.getKey(), value == null ? null : value.getBytes(StandardCharsets.UTF_8)));
      }
    }
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            OutRow.topic(row), null, null, OutRow.key(row), OutRow.value(row), headers);
    long bytes = bytesOf(record);
    return bytes > longest ? tooLong(record, bytes) : record;
  }

  /** What is no number is left for Kafka's client to refuse, which says so. */
  private static int longest(Properties properties) {
    String said = String.valueOf(properties.getOrDefault(LONGEST, LONGEST_BYTES)).trim();
    return NUMBER.matcher(said).matches() ? Integer.parseInt(said) : LONGEST_BYTES;
  }

  private static long bytesOf(ProducerRecord<byte[], byte[]> record) {
    long bytes = BESIDE_BYTES + length(record.key()) + length(record.value());
    for (Header header : record.headers()) {
      bytes += HEADER_BYTES + header.key().length() + length(header.value());
    }
    return bytes;
  }

  private static long length(@Nullable byte[] field) {
    return field == null ? 0 : field.length;
  }

  private ProducerRecord<byte[], byte[]> tooLong(ProducerRecord<byte[], byte[]> of, long bytes) {
    Header time = of.headers().lastHeader("time");
    byte[] key = of.key();
    ObjectNode line = Json.mapper().createObjectNode().put("type", "too_long");
    line.put("graph", key == null ? null : new String(key, StandardCharsets.UTF_8));
    line.put("topic", of.topic());
    line.put("time", time == null ? null : new String(time.value(), StandardCharsets.UTF_8));
    line.put("bytes", bytes).put("longest", longest);
    line.put("mend", "raise " + LONGEST + " of the sink and max.message.bytes of the topic");
    byte[] value = line.toString().getBytes(StandardCharsets.UTF_8);
    return new ProducerRecord<>(Topics.AUDIT, null, null, key, value, List.of());
  }
}
