package io.faultline.sink;

import io.faultline.config.SinksConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.types.Row;

/** Attaches the configured sinks to a stream of rows. */
public final class Sinks {
  private Sinks() {}

  public static void attach(SinksConfig config, DataStream<Row> rows) {
    if (config.kafka() != null) {
      rows.sinkTo(KafkaRows.sink(config.kafka())).name("sink kafka").uid("sink-kafka");
    }
    if (config.files() != null) {
      rows.sinkTo(new FileRows(config.files().dir()))
          .name("sink files")
          .uid("sink-files")
          .setParallelism(1);
    }
  }
}
