package io.faultline.cep;

import io.faultline.records.CompactSerializer;
import io.faultline.records.CompactTypeInfo;
import io.faultline.records.SeriesKey;
import io.faultline.records.Signal;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.functions.TimedOutPartialMatchHandler;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.types.StringValue;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** The same patterns on the same samples through Flink's own operator, in a local cluster. */
final class StockCep {
  /** A node that no pattern matches; its samples carry the watermark. */
  static final String CLOCK = "clock";

  private static final int LIMIT = 1_000_000;
  private static final OutputTag<String> TIMEOUTS = new OutputTag<>("timeouts") {};

  private StockCep() {}

  /**
   * Runs a job.
   *
   * @param events in order of event time
   * @return a line for each match and timeout
   */
  static List<String> run(List<PatternModel> models, List<SampleEvent> events) throws Exception {
    Configuration config = new Configuration();
    config.set(RestOptions.BIND_PORT, "0");
    StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(1, config);
    DataStream<SampleEvent> stream =
        env.fromData(events, new CompactTypeInfo<>(SampleEvent.class, Serializer.INSTANCE))
            .assignTimestampsAndWatermarks(
                WatermarkStrategy.<SampleEvent>forGenerator(c -> new PerEvent())
                    .withTimestampAssigner((e, t) -> e.time()));
    DataStream<String> all = null;
    for (PatternModel model : models) {
      DataStream<String> found = matches(stream, model);
      all = all == null ? found : all.union(found);
    }
    List<String> lines = all.executeAndCollect(LIMIT);
    if (lines.size() == LIMIT) {
      throw new IllegalStateException("more results than expected");
    }
    return lines;
  }

  private static DataStream<String> matches(DataStream<SampleEvent> stream, PatternModel model)
      throws PatternRefusedException {
    boolean perSeries = model.key() == PatternModel.Key.SERIES;
    SingleOutputStreamOperator<String> matches =
        CEP.pattern(
                stream.keyBy(
                    e -> e.series().node() + (perSeries ? e.series().key().metric() : ""),
                    Types.STRING),
                FlinkPatterns.build(model, new PatternStats()))
            .process(new Lines(model.id()), Types.STRING);
    return matches.union(matches.getSideOutput(TIMEOUTS));
  }

  static String line(String kind, String id, Map<String, List<SampleEvent>> samples, long readyAt) {
    Map<String, List<Integer>> values = new LinkedHashMap<>();
    samples.forEach((s, taken) -> values.put(s, taken.stream().map(StockCep::number).toList()));
    return "%s %s %s %d".formatted(id, kind, values, readyAt);
  }

  private static int number(SampleEvent e) {
    return (int) e.baseline();
  }

  private static final class Lines extends PatternProcessFunction<SampleEvent, String>
      implements TimedOutPartialMatchHandler<SampleEvent> {
    private final String id;

    Lines(String id) {
      this.id = id;
    }

    @Override
    public void processMatch(
        Map<String, List<SampleEvent>> match, Context context, Collector<String> out) {
      out.collect(line("match", id, match, context.timestamp()));
    }

    @Override
    public void processTimedOutMatch(Map<String, List<SampleEvent>> match, Context context) {
      context.output(TIMEOUTS, line("timeout", id, match, context.timestamp()));
    }
  }

  /** A watermark just below each sample. */
  private static final class PerEvent implements WatermarkGenerator<SampleEvent> {
    @Override
    public void onEvent(SampleEvent event, long timestamp, WatermarkOutput output) {
      output.emitWatermark(new Watermark(timestamp - 1));
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {}
  }

  /** Node, metric, time, value and a running number in place of the baseline. */
  private static final class Serializer extends CompactSerializer<SampleEvent> {
    static final Serializer INSTANCE = new Serializer();

    @Override
    public void serialize(SampleEvent e, DataOutputView out) throws IOException {
      StringValue.writeString(e.series().node(), out);
      StringValue.writeString(e.series().key().metric(), out);
      out.writeLong(e.time());
      out.writeDouble(e.value());
      out.writeDouble(e.baseline());
    }

    @Override
    public SampleEvent deserialize(DataInputView in) throws IOException {
      return event(
          StringValue.readString(in),
          StringValue.readString(in),
          in.readLong(),
          in.readDouble(),
          in.readDouble());
    }

    @Override
    public TypeSerializerSnapshot<SampleEvent> snapshotConfiguration() {
      return new Snapshot();
    }

    public static final class Snapshot extends SimpleTypeSerializerSnapshot<SampleEvent> {
      public Snapshot() {
        super(() -> INSTANCE);
      }
    }
  }

  static SampleEvent event(String node, String metric, long time, double value, double number) {
    SeriesRef series = new SeriesRef("g", node, SeriesKey.of(metric), Signal.OTHER, null);
    double none = Double.NaN;
    return new SampleEvent().set(series, time, value, none, number, none, none, none);
  }
}
