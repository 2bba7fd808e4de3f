package io.faultline.config;

import java.io.Serializable;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;

/** What {@code Entry.sinks} takes: Kafka, files, or both. */
public record SinksConfig(@Nullable KafkaSinkConfig kafka, @Nullable FilesConfig files)
    implements Serializable {

  public SinksConfig {
    if (kafka == null && files == null) {
      throw new ConfigException("kafka or files is wanted");
    }
  }

  /** Reads the JSON of {@code Entry.sinks}. */
  public static SinksConfig read(String json) {
    return Json.read(json, SinksConfig.class, "sinks");
  }

  /**
   * The Kafka sink.
   *
   * @param delivery at_least_once or exactly_once (transactions, committed at a checkpoint)
   * @param transactionalIdPrefix needed for exactly_once; unique per job
   * @param properties further Kafka producer properties
   */
  public record KafkaSinkConfig(
      String bootstrapServers,
      String delivery,
      @Nullable String transactionalIdPrefix,
      Map<String, String> properties)
      implements Serializable {
    public static final String EXACTLY_ONCE = "exactly_once";
    private static final Set<String> DELIVERIES = Set.of("at_least_once", EXACTLY_ONCE);

    public KafkaSinkConfig {
      delivery = delivery == null ? "at_least_once" : delivery;
      properties = properties == null ? Map.of() : Map.copyOf(properties);
      if (bootstrapServers == null || bootstrapServers.isBlank()) {
        throw new ConfigException("bootstrap_servers: is missing");
      }
      if (!DELIVERIES.contains(delivery)) {
        throw new ConfigException(
            "delivery: at_least_once or exactly_once is wanted, found " + delivery);
      }
      if (delivery.equals(EXACTLY_ONCE) && transactionalIdPrefix == null) {
        throw new ConfigException("transactional_id_prefix: is needed for exactly_once");
      }
    }
  }

  /** The file sink: flat NDJSON files in one folder. */
  public record FilesConfig(String dir) implements Serializable {
    public FilesConfig {
      if (dir == null || dir.isBlank()) {
        throw new ConfigException("dir: is missing");
      }
    }
  }
}
