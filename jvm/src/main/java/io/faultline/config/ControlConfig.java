package io.faultline.config;

import java.io.Serializable;
import java.util.Map;

/**
 * Where the job is told of patterns, or of verdicts, while it runs.
 *
 * @param topic compacted; its keys are the ids of patterns, or of incidents
 * @param properties further Kafka consumer properties
 */
public record ControlConfig(String bootstrapServers, String topic, Map<String, String> properties)
    implements Serializable {

  public static final String TOPIC = "faultline.control.v1";

  public ControlConfig {
    if (bootstrapServers == null || bootstrapServers.isBlank()) {
      throw new ConfigException("control.bootstrap_servers: is missing");
    }
    topic = topic == null || topic.isBlank() ? TOPIC : topic;
    properties = properties == null ? Map.of() : Map.copyOf(properties);
  }
}
