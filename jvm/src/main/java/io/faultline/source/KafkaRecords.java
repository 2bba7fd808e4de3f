package io.faultline.source;

import io.faultline.config.SourceConfig;
import io.faultline.decode.BlockSplitter;
import io.faultline.decode.Decoders;
import io.faultline.decode.RawRecord;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.kafka.shaded.org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.flink.util.Collector;

/** Decodes records in the Kafka source, where their partition is known. */
final class KafkaRecords implements KafkaRecordDeserializationSchema<Decoded> {
  private final SourceConfig source;
  private final String defaultGraph;
  private final long maxFutureMs;
  private transient BlockSplitter blocks;
  private transient RecordReader reader;

  KafkaRecords(SourceConfig source, String defaultGraph, long maxFutureMs) {
    this.source = source;
    this.defaultGraph = defaultGraph;
    this.maxFutureMs = maxFutureMs;
    Decoders.create(source.decoding(), defaultGraph);
  }

  @Override
  public void open(DeserializationSchema.InitializationContext context) {
    blocks = new BlockSplitter();
    reader =
        new RecordReader(
            Decoders.create(source.decoding(), defaultGraph),
            source.format(),
            maxFutureMs,
            new DecodeCounters(context.getMetricGroup()),
            blocks::add);
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> in, Collector<Decoded> out) {
    reader.read(
        new RawRecord(
            in.topic(),
            in.partition(),
            in.offset(),
            in.timestamp(),
            in.key(),
            in.value(),
            KafkaHeaders.of(in.headers())),
        out::collect);
    blocks.flush(block -> out.collect(Decoded.of(block)));
  }

  @Override
  public TypeInformation<Decoded> getProducedType() {
    return DecodedSerializer.TYPE;
  }
}
