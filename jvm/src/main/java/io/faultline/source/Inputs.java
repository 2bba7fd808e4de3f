package io.faultline.source;

import io.faultline.config.JobConfig;
import io.faultline.config.SourceConfig;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The inputs of a job. */
public final class Inputs {
  private Inputs() {}

  /** What each configured source decodes, event-time stamped, in the order of the configuration. */
  public static List<DataStream<Decoded>> of(StreamExecutionEnvironment env, JobConfig job) {
    List<DataStream<Decoded>> all = new ArrayList<>();
    for (int i = 0; i < job.sources().size(); i++) {
      SourceConfig source = job.sources().get(i);
      all.add(
          source.type().equals(SourceConfig.KAFKA)
              ? KafkaInput.of(env, job, source, i)
              : RecordingSource.of(env, source, job.outOfOrdernessMs(), i));
    }
    return all;
  }
}
