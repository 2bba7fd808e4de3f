package io.faultline.source;

import io.faultline.config.SourceConfig;
import java.util.List;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Replays recordings merged by event time, as one bounded source with one split: it runs with
 * parallelism 1, so that one watermark holds for all of them.
 */
final class RecordingSource implements Source<Decoded, RecordingSplit, RecordingSplit> {
  private final List<String> paths;
  private final List<String> names;

  RecordingSource(SourceConfig source) {
    this.paths = source.paths();
    this.names = source.names() == null ? List.of() : source.names();
  }

  static DataStream<Decoded> of(
      StreamExecutionEnvironment env, SourceConfig source, long outOfOrdernessMs, int index) {
    return env.fromSource(
            new RecordingSource(source),
            EventTime.following(outOfOrdernessMs),
            "recordings",
            DecodedSerializer.TYPE)
        .setParallelism(1)
        .uid("source-recordings-" + index);
  }

  @Override
  public Boundedness getBoundedness() {
    return Boundedness.BOUNDED;
  }

  @Override
  public SourceReader<Decoded, RecordingSplit> createReader(SourceReaderContext context) {
    return new RecordingSourceReader(context, paths, names);
  }

  @Override
  public SplitEnumerator<RecordingSplit, RecordingSplit> createEnumerator(
      SplitEnumeratorContext<RecordingSplit> context) {
    return new RecordingEnumerator(context, RecordingSplit.START);
  }

  @Override
  public SplitEnumerator<RecordingSplit, RecordingSplit> restoreEnumerator(
      SplitEnumeratorContext<RecordingSplit> context, RecordingSplit unassigned) {
    return new RecordingEnumerator(context, unassigned.isAssigned() ? null : unassigned);
  }

  @Override
  public SimpleVersionedSerializer<RecordingSplit> getSplitSerializer() {
    return RecordingSplit.SERIALIZER;
  }

  @Override
  public SimpleVersionedSerializer<RecordingSplit> getEnumeratorCheckpointSerializer() {
    return RecordingSplit.SERIALIZER;
  }
}
