package io.faultline.config;

import java.io.Serializable;
import javax.annotation.Nullable;

/**
 * How the bytes of a source are read.
 *
 * @param format name of the wire format
 * @param identity where graph, node and peer are found
 * @param jsonTimestampUnits of Telegraf's JSON: 1s, 1ms, 1us or 1ns; null = 1s
 */
public record FormatConfig(
    String format, IdentityConfig identity, @Nullable String jsonTimestampUnits)
    implements Serializable {

  public FormatConfig {
    if (format == null) {
      throw new ConfigException("format: is missing");
    }
    identity = identity == null ? IdentityConfig.DEFAULT : identity;
  }

  /** The format with its own defaults. */
  public static FormatConfig of(String format, IdentityConfig identity) {
    return new FormatConfig(format, identity, null);
  }
}
