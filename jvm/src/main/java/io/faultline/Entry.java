package io.faultline;

import io.faultline.config.JobConfig;
import io.faultline.config.Json;
import io.faultline.config.LimitsConfig;
import io.faultline.config.SinksConfig;
import io.faultline.control.ControlSource;
import io.faultline.control.FeedbackSource;
import io.faultline.control.PatternControl;
import io.faultline.graph.Correlate;
import io.faultline.graph.GraphConfig;
import io.faultline.graph.LiveCorrelate;
import io.faultline.node.LiveNodeOperator;
import io.faultline.node.NodeConfig;
import io.faultline.node.NodeOperator;
import io.faultline.records.Block;
import io.faultline.records.GraphEvent;
import io.faultline.records.GraphEventSerializer;
import io.faultline.sink.OutRow;
import io.faultline.sink.Sinks;
import io.faultline.sink.Topics;
import io.faultline.source.Decoded;
import io.faultline.source.Inputs;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.datastream.BroadcastStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.types.Row;

/** What Python calls: sources and sinks of the job, each with its configuration as JSON. */
public final class Entry {
  /** Row(graph, kind "frame" or "match", time in ms, payload), in order per graph. */
  public static final String OBSERVATIONS = "observations";

  /** Row(topic, key, value, headers), ready for the sinks. */
  public static final String DEAD_LETTERS = "dead_letters";

  /** Row(topic, key, value, headers), ready for the sinks; the value is JSON. */
  public static final String AUDIT = "audit";

  /** Row(key, value): records of the control topic about models; only where the job has one. */
  public static final String CONTROL = "control";

  /** Row(graph, kind "feedback", time in ms, payload); absent where no verdicts are read. */
  public static final String FEEDBACK = "feedback";

  /**
   * In ms: what leaves `correlate` is little and waited for, so no buffer is filled with it first.
   */
  private static final long AT_ONCE = 0;

  private Entry() {}

  /**
   * Decode, normalise, detect, frame, correlate.
   *
   * @param json see {@link JobConfig}
   * @return the streams by name
   * @throws io.faultline.config.ConfigException naming place, key and mend
   */
  public static Map<String, DataStream<Row>> sources(StreamExecutionEnvironment env, String json) {
    JobConfig job = JobConfig.read(json);
    JsonNode raw = Json.read(json, JsonNode.class, "config");
    Split.Parts parts = decoded(Inputs.of(env, job));
    DataStream<Row> changes =
        job.control() == null ? null : ControlSource.of(env, job.control(), job.name());
    BroadcastStream<Row> control = changes == null ? null : changes.broadcast(PatternControl.STATE);
    SingleOutputStreamOperator<GraphEvent> nodes =
        nodes(
                parts.blocks().keyBy(Block::key, Types.STRING),
                NodeConfig.parse(raw),
                job.limits(),
                control)
            .name("normalise, detect, frame")
            .uid("node")
            .setBufferTimeout(Split.BUFFER_MS);
    SingleOutputStreamOperator<Row> observations =
        correlated(
                nodes.union(parts.edges()).keyBy(GraphEvent::graph, Types.STRING),
                GraphConfig.parse(raw),
                job.limits(),
                control)
            .name("correlate")
            .uid("correlate")
            .setBufferTimeout(AT_ONCE);
    DataStream<Row> audit =
        nodes
            .getSideOutput(NodeOperator.AUDIT)
            .union(observations.getSideOutput(Correlate.AUDIT))
            .map(Entry::auditRow, OutRow.TYPE)
            .name("audit")
            .uid("audit")
            .setBufferTimeout(Split.BUFFER_MS);
    Map<String, DataStream<Row>> streams = new HashMap<>();
    streams.put(OBSERVATIONS, observations);
    streams.put(DEAD_LETTERS, parts.deadLetters());
    streams.put(AUDIT, audit);
    if (changes != null) {
      // One subtask, so that every worker gets the records in their order.
      streams.put(
          CONTROL,
          changes
              .filter(ControlSource::isOfModels)
              .name("of models")
              .uid("of-models")
              .setParallelism(1));
    }
    if (job.feedback() != null) {
      streams.put(FEEDBACK, FeedbackSource.of(env, job.feedback(), job.name()));
    }
    return streams;
  }

  private static SingleOutputStreamOperator<GraphEvent> nodes(
      KeyedStream<Block, String> blocks,
      NodeConfig config,
      LimitsConfig limits,
      @Nullable BroadcastStream<Row> control) {
    return control == null
        ? blocks.process(new NodeOperator(config), GraphEventSerializer.TYPE)
        : blocks
            .connect(control)
            .process(new LiveNodeOperator(config, limits), GraphEventSerializer.TYPE);
  }

  private static SingleOutputStreamOperator<Row> correlated(
      KeyedStream<GraphEvent, String> events,
      GraphConfig config,
      LimitsConfig limits,
      @Nullable BroadcastStream<Row> control) {
    return control == null
        ? events.process(new Correlate(config), Correlate.ROW)
        : events.connect(control).process(new LiveCorrelate(config, limits), Correlate.ROW);
  }

  /**
   * The rows as (first field, row), which is what PyFlink's keyed operators read. PyFlink itself
   * would ask a Python function for the key, and each row would go through the worker once more.
   */
  public static DataStream<Row> withKey(DataStream<Row> rows) {
    return rows.map(row -> Row.of(row.getField(0), row), Types.ROW(Types.STRING, rows.getType()))
        .name("by graph");
  }

  /**
   * Writes rows of (topic, key, value, headers) to Kafka, to files, or to both.
   *
   * @param json see {@link SinksConfig}
   * @throws io.faultline.config.ConfigException naming place, key and mend
   */
  public static void sinks(StreamExecutionEnvironment env, String json, DataStream<Row> rows) {
    Sinks.attach(SinksConfig.read(json), rows);
  }

  private static Split.Parts decoded(List<DataStream<Decoded>> inputs) {
    Split.Parts all = Split.of(inputs.get(0), "split-0");
    for (int i = 1; i < inputs.size(); i++) {
      Split.Parts one = Split.of(inputs.get(i), "split-" + i);
      all =
          new Split.Parts(
              all.blocks().union(one.blocks()),
              all.edges().union(one.edges()),
              all.deadLetters().union(one.deadLetters()));
    }
    return all;
  }

  private static Row auditRow(String json) {
    return OutRow.of(Topics.AUDIT, null, json.getBytes(StandardCharsets.UTF_8), Map.of());
  }
}
