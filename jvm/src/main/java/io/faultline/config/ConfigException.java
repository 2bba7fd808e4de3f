package io.faultline.config;

/** A configuration that cannot be used; the message names the place, the key and the mend. */
public final class ConfigException extends IllegalArgumentException {
  public ConfigException(String message) {
    super(message);
  }
}
