package io.faultline.control;

import io.faultline.config.ControlConfig;
import io.faultline.graph.Correlate;
import io.faultline.source.AlwaysIdle;
import java.io.IOException;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.kafka.shaded.org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.flink.kafka.shaded.org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;

/**
 * What people say of incidents, by the incident's graph. A job without saved offsets begins with
 * the oldest: the topic is often made by the first verdict, while the job runs, and what was taken
 * back before is taken back under the same id. It never holds back event time.
 */
public final class FeedbackSource {
  /** Kind of a row; its time is when the verdict was given, ms. */
  public static final String KIND = "feedback";

  private FeedbackSource() {}

  /**
   * Row(graph, kind, time in ms, payload) per record; the graph is empty where none can be read.
   */
  public static DataStream<Row> of(
      StreamExecutionEnvironment env, ControlConfig config, String job) {
    return env.fromSource(
            source(config, job), AlwaysIdle.strategy(), "kafka " + config.topic(), Correlate.ROW)
        .uid("source-feedback");
  }

  private static KafkaSource<Row> source(ControlConfig config, String job) {
    return LateTopic.source(config, job + "-feedback", start(), new Records());
  }

  // The connector takes the class that its Kafka client calls deprecated.
  @SuppressWarnings("deprecation")
  private static OffsetsInitializer start() {
    return OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST);
  }

  static Row row(byte[] value, ObjectMapper json) {
    try {
      JsonNode read = json.readTree(value);
      return Row.of(read.path("graph").asText(), KIND, read.path("time").asLong(), value);
    } catch (IOException error) {
      return Row.of("", KIND, 0L, value);
    }
  }

  /** A deleted verdict says nothing. What a value means is decided where it can be answered. */
  private static final class Records implements KafkaRecordDeserializationSchema<Row> {
    private static final long serialVersionUID = 1L;
    private static final ObjectMapper JSON = new ObjectMapper();

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> in, Collector<Row> out) {
      if (in.value() != null) {
        out.collect(row(in.value(), JSON));
      }
    }

    @Override
    public TypeInformation<Row> getProducedType() {
      return Correlate.ROW;
    }
  }
}
