package io.faultline.config;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * One input of the job: a Kafka topic, or recordings.
 *
 * @param type kafka or recordings
 * @param start earliest, latest or committed (the group's offsets, else earliest)
 * @param bounded stop at the offsets found at the start
 * @param format name of the wire format; by_header: each record's content type tells
 * @param jsonTimestampUnits see {@link FormatConfig}
 * @param contentTypes see {@link FormatConfig}
 * @param contentTypeHeader see {@link FormatConfig}
 * @param defaultFormat see {@link FormatConfig}
 * @param edgesOnly the topic carries edges only and never holds back event time
 * @param properties further Kafka consumer properties
 * @param paths folders of recordings
 * @param names graph name of each path, same length; null = as recorded
 */
public record SourceConfig(
    String type,
    @Nullable String bootstrapServers,
    @Nullable String topic,
    @Nullable String group,
    String start,
    boolean bounded,
    String format,
    IdentityConfig identity,
    @Nullable String jsonTimestampUnits,
    @Nullable Map<String, String> contentTypes,
    @Nullable String contentTypeHeader,
    @Nullable String defaultFormat,
    boolean edgesOnly,
    Map<String, String> properties,
    List<String> paths,
    @Nullable List<String> names)
    implements Serializable {

  public static final String KAFKA = "kafka";
  public static final String RECORDINGS = "recordings";
  private static final Set<String> STARTS = Set.of("earliest", "latest", "committed");

  public SourceConfig {
    start = start == null ? "committed" : start;
    format = format == null ? "native" : format;
    identity = identity == null ? IdentityConfig.DEFAULT : identity;
    contentTypes = contentTypes == null ? Map.of() : Map.copyOf(contentTypes);
    properties = properties == null ? Map.of() : Map.copyOf(properties);
    paths = paths == null ? List.of() : List.copyOf(paths);
    names = names == null ? null : List.copyOf(names);
    if (KAFKA.equals(type)) {
      checkKafka(bootstrapServers, topic, start);
    } else if (RECORDINGS.equals(type)) {
      checkRecordings(paths, names);
    } else {
      throw new ConfigException("type: kafka or recordings is wanted, found " + type);
    }
  }

  /** How the records are read. */
  public FormatConfig decoding() {
    return new FormatConfig(
        format, identity, jsonTimestampUnits, contentTypes, contentTypeHeader, defaultFormat);
  }

  private static void checkKafka(String servers, String topic, String start) {
    if (servers == null || servers.isBlank()) {
      throw new ConfigException("bootstrap_servers: is missing");
    }
    if (topic == null || topic.isBlank()) {
      throw new ConfigException("topic: is missing");
    }
    if (!STARTS.contains(start)) {
      throw new ConfigException("start: earliest, latest or committed is wanted, found " + start);
    }
  }

  private static void checkRecordings(List<String> paths, List<String> names) {
    if (paths.isEmpty()) {
      throw new ConfigException("paths: at least one recording is wanted");
    }
    if (names != null && names.size() != paths.size()) {
      throw new ConfigException("names: " + names.size() + " names for " + paths.size() + " paths");
    }
  }
}
