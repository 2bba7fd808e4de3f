package io.faultline.decode;

import io.faultline.config.IdentityConfig;

/** OTLP metrics as protobuf: MetricsData or ExportMetricsServiceRequest, see {@link OtlpReader}. */
final class OtlpDecoder implements Decoder {
  private final OtlpReader reader;

  OtlpDecoder(IdentityConfig identity, String defaultGraph) {
    this.reader = new OtlpReader(identity, defaultGraph);
  }

  @Override
  public void decode(RawRecord in, Output out) {
    byte[] value = in.content(out);
    if (value != null) {
      readRecord(value, out);
    }
  }

  private void readRecord(byte[] value, Output out) {
    if (!reader.read(value, value.length, OtlpRefusals.NONE, out)) {
      out.deadLetter(Reasons.MALFORMED, "record: no resource_metrics in it");
    }
  }
}
