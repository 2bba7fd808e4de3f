package io.faultline.source;

import io.faultline.config.JobConfig;
import io.faultline.config.SourceConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** All inputs of a job as one stream. */
public final class Inputs {
  private Inputs() {}

  /** What all configured sources decode, event-time stamped. */
  public static DataStream<Decoded> of(StreamExecutionEnvironment env, JobConfig job) {
    DataStream<Decoded> all = null;
    for (int i = 0; i < job.sources().size(); i++) {
      SourceConfig source = job.sources().get(i);
      DataStream<Decoded> one =
          source.type().equals(SourceConfig.KAFKA)
              ? KafkaInput.of(env, job, source)
              : RecordingSource.of(env, source, job.outOfOrdernessMs(), i);
      all = all == null ? one : all.union(one);
    }
    return all;
  }
}
