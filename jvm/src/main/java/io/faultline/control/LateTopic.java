package io.faultline.control;

import io.faultline.config.ControlConfig;
import java.util.Properties;
import java.util.regex.Pattern;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;

/** A topic that need not be there when the job starts: it is found within seconds once it is. */
final class LateTopic {
  private static final String DISCOVERY_MS = "5000";

  private LateTopic() {}

  static <T> KafkaSource<T> source(
      ControlConfig config,
      String group,
      OffsetsInitializer start,
      KafkaRecordDeserializationSchema<T> records) {
    Properties properties = new Properties();
    properties.put("partition.discovery.interval.ms", DISCOVERY_MS);
    properties.putAll(config.properties());
    return KafkaSource.<T>builder()
        .setProperties(properties)
        .setBootstrapServers(config.bootstrapServers())
        .setTopicPattern(Pattern.compile(Pattern.quote(config.topic())))
        .setGroupId(group)
        .setStartingOffsets(start)
        .setDeserializer(records)
        .build();
  }
}
