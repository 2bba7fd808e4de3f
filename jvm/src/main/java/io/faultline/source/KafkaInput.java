package io.faultline.source;

import io.faultline.config.JobConfig;
import io.faultline.config.SourceConfig;
import io.faultline.decode.Decoders;
import java.util.Properties;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.kafka.shaded.org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A Kafka topic as input; event time is followed per partition. */
final class KafkaInput {
  private KafkaInput() {}

  /**
   * Decoded and with event time.
   *
   * @param number of this source among those of its topic: with the topic it is what a savepoint
   *     knows the offsets by
   */
  static DataStream<Decoded> of(
      StreamExecutionEnvironment env, JobConfig job, SourceConfig source, int number) {
    var eventTime =
        source.edgesOnly() || Decoders.isEdgesOnly(source.format())
            ? EventTime.none()
            : EventTime.following(job.outOfOrdernessMs(), job.idleAfterMs());
    String name = "kafka " + source.topic();
    return env.fromSource(source(job, source), eventTime, name, DecodedSerializer.TYPE)
        .uid("source-kafka-" + source.topic() + "-" + number);
  }

  private static KafkaSource<Decoded> source(JobConfig job, SourceConfig source) {
    Properties properties = new Properties();
    properties.putAll(source.properties());
    KafkaSourceBuilder<Decoded> builder =
        KafkaSource.<Decoded>builder()
            .setProperties(properties)
            .setBootstrapServers(source.bootstrapServers())
            .setTopics(source.topic())
            .setGroupId(source.group() == null ? job.name() : source.group())
            .setStartingOffsets(start(source.start()))
            .setDeserializer(new KafkaRecords(source, job.graph(), job.maxFutureMs()));
    if (source.bounded()) {
      builder.setBounded(OffsetsInitializer.latest());
    }
    return builder.build();
  }

  // The connector takes the class that its Kafka client calls deprecated.
  @SuppressWarnings("deprecation")
  private static OffsetsInitializer start(String start) {
    return switch (start) {
      case "earliest" -> OffsetsInitializer.earliest();
      case "latest" -> OffsetsInitializer.latest();
      default -> OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST);
    };
  }
}
