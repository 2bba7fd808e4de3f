package io.faultline.config;

import java.io.Serializable;
import java.util.Map;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * How the bytes of a source are read.
 *
 * @param format name of the wire format
 * @param identity where graph, node and peer are found
 * @param jsonTimestampUnits of Telegraf's JSON: 1s, 1ms, 1us or 1ns; null = 1s
 * @param contentTypes content type to format, for by_header, before the usual ones
 * @param contentTypeHeader where the content type stands; null = where it usually does
 * @param defaultFormat of records whose content type tells no format; null = they are refused
 */
public record FormatConfig(
    String format,
    IdentityConfig identity,
    @Nullable String jsonTimestampUnits,
    Map<String, String> contentTypes,
    @Nullable String contentTypeHeader,
    @Nullable String defaultFormat)
    implements Serializable {

  public FormatConfig {
    if (format == null) {
      throw new ConfigException("format: is missing");
    }
    identity = identity == null ? IdentityConfig.DEFAULT : identity;
    contentTypes = contentTypes == null ? Map.of() : Map.copyOf(contentTypes);
  }

  /** The format with its own defaults. */
  public static FormatConfig of(String format, IdentityConfig identity) {
    return new FormatConfig(format, identity, null, Map.of(), null, null);
  }

  /**
   * One format of a source of several: it is told of the identity what is said in its own words,
   * attributes to OTLP, labels to Prometheus, tags to Telegraf, and a graph given by its name to
   * all.
   */
  public FormatConfig within(String format) {
    Predicate<Attribute> own =
        switch (format) {
          case "otlp_proto", "otlp_json" -> place -> place.attribute() != null;
          case "prometheus" -> place -> place.label() != null;
          case "telegraf" -> place -> place.tag() != null;
          default -> place -> false;
        };
    return new FormatConfig(format, identity.only(own), jsonTimestampUnits, Map.of(), null, null);
  }
}
