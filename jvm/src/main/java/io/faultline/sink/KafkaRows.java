package io.faultline.sink;

import io.faultline.config.SinksConfig.KafkaSinkConfig;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaSinkBuilder;
import org.apache.flink.kafka.shaded.org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.flink.kafka.shaded.org.apache.kafka.common.header.Header;
import org.apache.flink.kafka.shaded.org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.flink.types.Row;

/** Rows to Kafka: topic, key, value and headers as they are; the key chooses the partition. */
public final class KafkaRows implements KafkaRecordSerializationSchema<Row> {

  /** Kafka's 5 ms would be waited by every incident; what comes in numbers fills batches anyway. */
  private static final String LINGER_MS = "linger.ms";

  private static final String TRANSACTION_TIMEOUT = "transaction.timeout.ms";

  /** What brokers allow unless they are told otherwise; the connector's default is beyond it. */
  private static final String BROKER_MAXIMUM_MS = "900000";

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
            .setRecordSerializer(new KafkaRows());
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
    return new ProducerRecord<>(
        OutRow.topic(row), null, null, OutRow.key(row), OutRow.value(row), headers);
  }
}
