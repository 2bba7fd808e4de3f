package io.faultline.decode;

import io.faultline.config.ConfigException;
import io.faultline.config.FormatConfig;
import io.faultline.config.IdentityConfig;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The wire formats by name. */
public final class Decoders {
  public static final String NATIVE = "native";
  public static final String OTLP_PROTO = "otlp_proto";
  public static final String OTLP_JSON = "otlp_json";
  public static final String PROMETHEUS = "prometheus";
  public static final String TELEGRAF = "telegraf";

  public static final String JAEGER = "jaeger_dependencies";
  public static final String ZIPKIN = "zipkin_dependencies";
  public static final String BY_HEADER = "by_header";

  private static final Map<String, Factory> FACTORIES = new LinkedHashMap<>();

  static {
    FACTORIES.put(OTLP_PROTO, (config, graph) -> new OtlpDecoder(config.identity(), graph));
    FACTORIES.put(PROMETHEUS, (config, graph) -> new PrometheusDecoder(config.identity(), graph));
    FACTORIES.put(OTLP_JSON, (config, graph) -> new OtlpJsonDecoder(config.identity(), graph));
    FACTORIES.put(TELEGRAF, TelegrafDecoder::new);
    for (String format : List.of(JAEGER, ZIPKIN)) {
      FACTORIES.put(
          format, (config, graph) -> new DependencyDecoder(format, config.identity(), graph));
    }
    FACTORIES.put(NATIVE, (config, graph) -> NativeDecoder.create(config.identity()));
    FACTORIES.put(BY_HEADER, ByHeaderDecoder::new);
  }

  private Decoders() {}

  /** Makes the decoder of one format. */
  @FunctionalInterface
  private interface Factory {
    Decoder create(FormatConfig config, String defaultGraph);
  }

  /** Whether a format has edges only, so that its topics must never hold back event time. */
  public static boolean isEdgesOnly(String format) {
    return format.equals(JAEGER) || format.equals(ZIPKIN);
  }

  /** The names of all formats. */
  public static Set<String> formats() {
    return Set.copyOf(FACTORIES.keySet());
  }

  /**
   * A decoder of that format.
   *
   * @param defaultGraph graph of records that name none
   * @throws ConfigException where the format is unknown or cannot take that configuration
   */
  public static Decoder create(FormatConfig config, String defaultGraph) {
    Factory factory = FACTORIES.get(config.format());
    if (factory == null) {
      String known = String.join(", ", FACTORIES.keySet());
      throw new ConfigException("format: one of " + known + " is wanted, found " + config.format());
    }
    return factory.create(config, defaultGraph);
  }

  /** As {@link #create(FormatConfig, String)}, with the format's own defaults. */
  public static Decoder create(String format, IdentityConfig identity, String defaultGraph) {
    return create(FormatConfig.of(format, identity), defaultGraph);
  }
}
