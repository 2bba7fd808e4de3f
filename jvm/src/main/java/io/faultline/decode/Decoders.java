package io.faultline.decode;

import io.faultline.config.ConfigException;
import io.faultline.config.IdentityConfig;

/** The wire formats by name. */
public final class Decoders {
  public static final String NATIVE = "native";
  public static final String OTLP_PROTO = "otlp_proto";

  private Decoders() {}

  /**
   * A decoder of that format.
   *
   * @param defaultGraph graph of records that name none
   * @throws ConfigException where the format is unknown or cannot take that identity
   */
  public static Decoder create(String format, IdentityConfig identity, String defaultGraph) {
    return switch (format) {
      case NATIVE -> NativeDecoder.create(identity);
      case OTLP_PROTO -> new OtlpDecoder(identity, defaultGraph);
      default ->
          throw new ConfigException(
              "format: " + NATIVE + " or " + OTLP_PROTO + " is wanted, found " + format);
    };
  }
}
