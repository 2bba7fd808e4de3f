package io.faultline.cep;

/**
 * Limits of the engine.
 *
 * @param partialsPerKey partial matches of one pattern on one key, beyond which the oldest go
 * @param timeouts whether partial matches that ran out of time are told
 */
public record CepSettings(int partialsPerKey, boolean timeouts) {
  public static final CepSettings DEFAULT = new CepSettings(1000, true);

  public CepSettings {
    if (partialsPerKey < 1) {
      throw new IllegalArgumentException("partialsPerKey must be at least 1");
    }
  }
}
