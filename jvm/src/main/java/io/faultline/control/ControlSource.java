package io.faultline.control;

import io.faultline.config.ControlConfig;
import io.faultline.source.AlwaysIdle;
import java.nio.charset.StandardCharsets;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.kafka.shaded.org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;

/**
 * The control topic, from its beginning. A topic that is not there yet is found within seconds once
 * it is. It never holds back event time.
 */
public final class ControlSource {
  static final TypeInformation<Row> TYPE =
      Types.ROW_NAMED(
          new String[] {"key", "value"}, Types.STRING, Types.PRIMITIVE_ARRAY(Types.BYTE));

  private static final String MODELS = "model/";

  /** In ms: whoever publishes waits for the answer. */
  private static final long AT_ONCE = 0;

  private ControlSource() {}

  /** The records of the topic, as Row(key, value). */
  public static DataStream<Row> of(
      StreamExecutionEnvironment env, ControlConfig config, String job) {
    return env.fromSource(
            source(config, job), AlwaysIdle.strategy(), "kafka " + config.topic(), TYPE)
        .uid("source-control")
        .setParallelism(1)
        .setBufferTimeout(AT_ONCE);
  }

  /**
   * Whether a record is one of those that only Python understands: of models, see MODEL_KEY there.
   */
  public static boolean isOfModels(Row row) {
    String key = key(row);
    return key != null && key.startsWith(MODELS);
  }

  private static KafkaSource<Row> source(ControlConfig config, String job) {
    return LateTopic.source(config, job + "-control", OffsetsInitializer.earliest(), new Records());
  }

  /** A record as it came; null value = it was deleted. */
  static Row row(@Nullable String key, @Nullable byte[] value) {
    return Row.of(key, value);
  }

  @Nullable
  static String key(Row row) {
    return (String) row.getField(0);
  }

  @Nullable
  static byte[] value(Row row) {
    return (byte[]) row.getField(1);
  }

  /** Takes bytes as they are: what they mean is decided where it can be answered. */
  private static final class Records implements KafkaRecordDeserializationSchema<Row> {
    private static final long serialVersionUID = 1L;

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> in, Collector<Row> out) {
      String key = in.key() == null ? null : new String(in.key(), StandardCharsets.UTF_8);
      out.collect(row(key, in.value()));
    }

    @Override
    public TypeInformation<Row> getProducedType() {
      return TYPE;
    }
  }
}
