package io.faultline.cep;

import io.faultline.records.CompactSerializer;
import io.faultline.records.CompactTypeInfo;
import io.faultline.records.SeriesKey;
import io.faultline.records.Signal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.functions.TimedOutPartialMatchHandler;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.types.StringValue;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** The same patterns on the same samples through the operator that Flink's {@code CEP} makes. */
final class StockCep {
  /** A node that no pattern sees; its samples carry the watermark only. */
  static final String CLOCK = "clock";

  private static final double NUMBERS = 1e6;
  private static final OutputTag<String> TIMEOUTS = new OutputTag<>("timeouts") {};

  private StockCep() {}

  /**
   * Plays samples.
   *
   * @param events in order of arrival; after each, event time is as far behind the latest as one
   *     may be late
   * @param lateness how far an event may be behind the latest, ms
   * @return a line for each match and timeout
   */
  static List<String> run(List<PatternModel> models, List<SampleEvent> events, long lateness)
      throws Exception {
    List<String> lines = new ArrayList<>();
    for (PatternModel model : models) {
      var harness = operator(model);
      harness.open();
      try {
        long latest = Long.MIN_VALUE;
        for (SampleEvent e : events) {
          if (!e.series().node().equals(CLOCK)) {
            harness.processElement(e, e.time());
          }
          latest = Math.max(latest, e.time());
          harness.processWatermark(latest - lateness - 1);
        }
        harness.processWatermark(Long.MAX_VALUE);
        lines.addAll(harness.extractOutputValues());
        var timeouts = harness.getSideOutput(TIMEOUTS);
        if (timeouts != null) {
          timeouts.forEach(timeout -> lines.add(timeout.getValue()));
        }
      } finally {
        harness.close();
      }
    }
    return lines;
  }

  /** The operator that {@code CEP.pattern} makes. */
  @SuppressWarnings("unchecked")
  private static KeyedOneInputStreamOperatorTestHarness<String, Event, String> operator(
      PatternModel model) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    CompactTypeInfo<Event> type = new CompactTypeInfo<>(Event.class, Serializer.INSTANCE);
    boolean perSeries = model.key() == PatternModel.Key.SERIES;
    KeySelector<Event, String> key = e -> key((SampleEvent) e, perSeries);
    DataStream<Event> none = env.fromData(List.of(event(CLOCK, CLOCK, 0, 0, 0)), type);
    var matches =
        CEP.pattern(none.keyBy(key, Types.STRING), FlinkPatterns.build(model, Conditions.plain()))
            .process(new Lines(model.id()), Types.STRING);
    var transformation = (OneInputTransformation<Event, String>) matches.getTransformation();
    return new KeyedOneInputStreamOperatorTestHarness<>(
        transformation.getOperatorFactory(), key, Types.STRING);
  }

  private static String key(SampleEvent e, boolean perSeries) {
    return e.series().node() + (perSeries ? e.series().key().metric() : "");
  }

  static String line(String kind, String id, Map<String, List<Event>> samples, long readyAt) {
    Map<String, List<Integer>> numbers = new TreeMap<>();
    samples.forEach(
        (s, taken) ->
            numbers.put(s, taken.stream().map(e -> number(((SampleEvent) e).value())).toList()));
    return "%s %s %s %d".formatted(id, kind, numbers, readyAt);
  }

  /** The running number that {@link #event} put behind the point of the value. */
  static int number(double value) {
    return (int) Math.round((value - Math.floor(value)) * NUMBERS);
  }

  private static final class Lines extends PatternProcessFunction<Event, String>
      implements TimedOutPartialMatchHandler<Event> {
    private final String id;

    Lines(String id) {
      this.id = id;
    }

    @Override
    public void processMatch(
        Map<String, List<Event>> match, Context context, Collector<String> out) {
      out.collect(line("match", id, match, context.timestamp()));
    }

    @Override
    public void processTimedOutMatch(Map<String, List<Event>> match, Context context) {
      context.output(TIMEOUTS, line("timeout", id, match, context.timestamp()));
    }
  }

  /** Node, metric, time and value. */
  private static final class Serializer extends CompactSerializer<Event> {
    static final Serializer INSTANCE = new Serializer();

    @Override
    public void serialize(Event event, DataOutputView out) throws IOException {
      SampleEvent e = (SampleEvent) event;
      StringValue.writeString(e.series().node(), out);
      StringValue.writeString(e.series().key().metric(), out);
      out.writeLong(e.time());
      out.writeDouble(e.value());
    }

    @Override
    public Event deserialize(DataInputView in) throws IOException {
      return raw(
          StringValue.readString(in), StringValue.readString(in), in.readLong(), in.readDouble());
    }

    @Override
    public TypeSerializerSnapshot<Event> snapshotConfiguration() {
      return new Snapshot();
    }

    public static final class Snapshot extends SimpleTypeSerializerSnapshot<Event> {
      public Snapshot() {
        super(() -> INSTANCE);
      }
    }
  }

  /**
   * A sample that can be told from all others by its value.
   *
   * @param number below a million
   */
  static SampleEvent event(String node, String metric, long time, int value, int number) {
    return raw(node, metric, time, value + number / NUMBERS);
  }

  private static SampleEvent raw(String node, String metric, long time, double value) {
    SeriesRef series = new SeriesRef("g", node, SeriesKey.of(metric), Signal.OTHER, null);
    return new SampleEvent().set(series, time, value);
  }
}
