package io.faultline.decode;

import io.faultline.config.IdentityConfig;

/**
 * Samples of Prometheus as prometheus-kafka-adapter writes them: {@code labels, name, timestamp,
 * value} in a JSON object; one object per record, or several on lines of their own or in an array.
 * Values may be strings or numbers; what is not finite (a stale series, an empty quantile) is
 * ignored.
 */
public final class PrometheusDecoder implements Decoder {
  private final JsonRecords records;

  PrometheusDecoder(IdentityConfig identity, String defaultGraph) {
    this(identity, defaultGraph, true);
  }

  /**
   * A decoder.
   *
   * @param plain whether plain objects may be read without the parser
   */
  PrometheusDecoder(IdentityConfig identity, String defaultGraph, boolean plain) {
    PrometheusCatalog catalog = new PrometheusCatalog(identity, defaultGraph);
    this.records = new JsonRecords(new PrometheusObject(catalog), true, plain);
  }

  @Override
  public void decode(RawRecord in, Output out) {
    records.decode(in, out);
  }
}
