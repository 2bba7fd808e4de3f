package io.faultline.source;

import io.faultline.config.JobConfig;
import io.faultline.config.SourceConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The inputs of a job. */
public final class Inputs {
  private Inputs() {}

  /** What each configured source decodes, event-time stamped, in the order of the configuration. */
  public static List<DataStream<Decoded>> of(StreamExecutionEnvironment env, JobConfig job) {
    List<DataStream<Decoded>> all = new ArrayList<>();
    Map<String, Integer> sameTopic = new HashMap<>();
    for (int i = 0; i < job.sources().size(); i++) {
      SourceConfig source = job.sources().get(i);
      if (source.type().equals(SourceConfig.KAFKA)) {
        // Its place among all would change when another topic is added or left out.
        int number = sameTopic.merge(source.topic(), 1, Integer::sum) - 1;
        all.add(KafkaInput.of(env, job, source, number));
      } else {
        all.add(RecordingSource.of(env, source, job.outOfOrdernessMs(), i));
      }
    }
    return all;
  }
}
