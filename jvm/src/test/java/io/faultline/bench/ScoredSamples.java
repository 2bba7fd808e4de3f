package io.faultline.bench;

import io.faultline.config.IdentityConfig;
import io.faultline.decode.Decoder;
import io.faultline.decode.Decoders;
import io.faultline.decode.RawRecord;
import io.faultline.records.Edge;
import io.faultline.records.SeriesKey;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.kafka.shaded.org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.flink.util.Collector;

/** The job's own decoder, then a running mean and variance for each series. */
final class ScoredSamples implements KafkaRecordDeserializationSchema<ScoredSample> {
  private static final double SHARE = 0.02;

  private final String format;
  private transient Decoder decoder;
  private transient Output output;

  ScoredSamples(String format) {
    this.format = format;
  }

  @Override
  public void open(DeserializationSchema.InitializationContext context) {
    decoder = Decoders.create(format, IdentityConfig.DEFAULT, "default");
    output = new Output();
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> in, Collector<ScoredSample> out) {
    output.out = out;
    decoder.decode(
        new RawRecord(
            in.topic(), in.partition(), in.offset(), in.timestamp(), in.key(), in.value()),
        output);
  }

  @Override
  public TypeInformation<ScoredSample> getProducedType() {
    return ScoredSample.TYPE;
  }

  private static final class Output implements Decoder.Output {
    private final Map<String, Map<SeriesKey, double[]>> nodes = new HashMap<>();
    private Collector<ScoredSample> out;
    private String lastNode = "";
    private Map<SeriesKey, double[]> series = Map.of();

    @Override
    public void sample(
        String graph, String node, long time, SeriesKey key, double value, long start) {
      if (!node.equals(lastNode)) {
        lastNode = node;
        series = nodes.computeIfAbsent(graph + '/' + node, n -> new HashMap<>());
      }
      double[] moments = series.computeIfAbsent(key, k -> new double[] {value, 0});
      double distance = value - moments[0];
      double z = moments[1] > 0 ? distance / Math.sqrt(moments[1]) : 0;
      moments[0] += SHARE * distance;
      moments[1] = (1 - SHARE) * (moments[1] + SHARE * distance * distance);
      out.collect(new ScoredSample(graph + '/' + node, key.metric(), time, z));
    }

    @Override
    public void edge(Edge edge) {
      // Stock CEP has no topology.
    }

    @Override
    public void call(Edge edge) {
      // Stock CEP has no topology.
    }

    @Override
    public void deadLetter(String reason, String detail) {
      throw new IllegalStateException(reason + ": " + detail);
    }

    @Override
    public void ignored(String reason) {
      throw new IllegalStateException(reason);
    }
  }
}
