package io.faultline;

import io.faultline.records.Block;
import io.faultline.records.BlockSerializer;
import io.faultline.records.DeadLetter;
import io.faultline.records.GraphEvent;
import io.faultline.records.GraphEventSerializer;
import io.faultline.sink.DeadLetters;
import io.faultline.sink.OutRow;
import io.faultline.source.Decoded;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Parts what sources decoded into blocks, edges and dead letters. */
final class Split extends ProcessFunction<Decoded, Block> {
  private static final OutputTag<GraphEvent> EDGES =
      new OutputTag<>("edges", GraphEventSerializer.TYPE);
  private static final OutputTag<Row> DEAD_LETTERS = new OutputTag<>("dead-letters", OutRow.TYPE);

  /** In ms: Flink's own 100 would be waited on the way from a sample to its event. */
  static final long BUFFER_MS = 10;

  /** The three streams. */
  record Parts(
      DataStream<Block> blocks, DataStream<GraphEvent> edges, DataStream<Row> deadLetters) {}

  /**
   * The parts of one source, in its own tasks.
   *
   * @param uid of the operator, stable across versions
   */
  static Parts of(DataStream<Decoded> decoded, String uid) {
    SingleOutputStreamOperator<Block> blocks =
        decoded
            .process(new Split(), BlockSerializer.TYPE)
            .name("split")
            .uid(uid)
            .setParallelism(decoded.getParallelism())
            .setBufferTimeout(BUFFER_MS);
    return new Parts(blocks, blocks.getSideOutput(EDGES), blocks.getSideOutput(DEAD_LETTERS));
  }

  @Override
  public void processElement(Decoded value, Context context, Collector<Block> out) {
    if (value.block() != null) {
      out.collect(value.block());
    } else if (value.edge() != null) {
      context.output(EDGES, GraphEvent.of(value.edge()));
    } else {
      DeadLetter letter = value.deadLetter();
      context.output(DEAD_LETTERS, DeadLetters.row(letter));
    }
  }
}
