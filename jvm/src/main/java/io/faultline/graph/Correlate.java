package io.faultline.graph;

import io.faultline.records.GraphEvent;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Keyed by graph: a row per tick with the frames of all nodes, and the graph's matches, in order of
 * event time. Its patterns are those of the configuration.
 *
 * @see LiveCorrelate
 */
public final class Correlate extends KeyedProcessFunction<String, GraphEvent, Row> {
  /** JSON objects: what came too late, which patterns are live. */
  public static final OutputTag<String> AUDIT = new OutputTag<>("graph-audit", Types.STRING);

  /** graph, kind ("frame" or "match"), time in ms UTC, payload. */
  public static final TypeInformation<Row> ROW =
      Types.ROW_NAMED(
          new String[] {"graph", "kind", "time", "payload"},
          Types.STRING,
          Types.STRING,
          Types.LONG,
          PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

  private static final long serialVersionUID = 1L;

  private final GraphConfig config;
  private transient GraphWork work;

  public Correlate(GraphConfig config) {
    this.config = config;
  }

  @Override
  public void open(OpenContext context) {
    work = new GraphWork(config, getRuntimeContext());
  }

  @Override
  public void processElement(GraphEvent event, Context context, Collector<Row> out)
      throws Exception {
    work.event(event, context.timerService(), json -> context.output(AUDIT, json), out);
  }

  @Override
  public void onTimer(long time, OnTimerContext context, Collector<Row> out) throws Exception {
    work.timer(time, context.timerService(), json -> context.output(AUDIT, json), out);
  }
}
