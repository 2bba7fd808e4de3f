package io.faultline.bench;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/**
 * The same input and patterns on Flink's own CEP operator, one per pattern, as its documentation
 * shows. Stock CEP has no baseline: the source gives it a z that costs less than the job's.
 * Arguments: bootstrap, topic, group, format, then pairs of metrics, two for each pattern; without
 * any the samples are keyed and no more.
 */
public final class StockCepJob {
  private static final double LIMIT = 8;
  private static final Duration LATENESS = Duration.ofSeconds(10);
  private static final Duration WITHIN = Duration.ofSeconds(60);

  private StockCepJob() {}

  public static void main(String[] arguments) throws Exception {
    Configuration options = new Configuration();
    options.setString("pipeline.object-reuse", "true");
    options.setString("rest.port", "0");
    options.setString("taskmanager.memory.network.min", "64 mb");
    options.setString("taskmanager.memory.network.max", "64 mb");
    StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(1, options);
    KeyedStream<ScoredSample, String> samples =
        env.fromSource(source(arguments), watermarks(), "kafka", ScoredSample.TYPE)
            .keyBy(ScoredSample::node, Types.STRING);
    if (arguments.length == 4) {
      samples.sinkTo(new DiscardingSink<>());
    }
    for (int i = 4; i < arguments.length; i += 2) {
      CEP.pattern(samples, pattern(arguments[i], arguments[i + 1]))
          .process(new Tell(), Types.STRING)
          .sinkTo(new DiscardingSink<>());
    }
    env.execute("stock");
  }

  private static KafkaSource<ScoredSample> source(String[] arguments) {
    return KafkaSource.<ScoredSample>builder()
        .setBootstrapServers(arguments[0])
        .setTopics(arguments[1])
        .setGroupId(arguments[2])
        .setProperty("enable.auto.commit", "true")
        .setProperty("auto.commit.interval.ms", "200")
        .setStartingOffsets(OffsetsInitializer.earliest())
        .setBounded(OffsetsInitializer.latest())
        .setDeserializer(new ScoredSamples(arguments[3]))
        .build();
  }

  private static WatermarkStrategy<ScoredSample> watermarks() {
    return WatermarkStrategy.<ScoredSample>forBoundedOutOfOrderness(LATENESS)
        .withTimestampAssigner((sample, timestamp) -> sample.time());
  }

  private static Pattern<ScoredSample, ?> pattern(String first, String second) {
    return Pattern.<ScoredSample>begin("first")
        .where(high(first))
        .followedBy("second")
        .where(high(second))
        .within(WITHIN);
  }

  private static SimpleCondition<ScoredSample> high(String metric) {
    return SimpleCondition.of(sample -> sample.metric().equals(metric) && sample.z() > LIMIT);
  }

  /** A line per match. */
  private static final class Tell extends PatternProcessFunction<ScoredSample, String> {
    @Override
    public void processMatch(
        Map<String, List<ScoredSample>> match, Context context, Collector<String> out) {
      out.collect(match.toString());
    }
  }
}
