package io.faultline.decode;

import io.faultline.config.IdentityConfig;
import io.faultline.decode.OtlpCache.Range;
import io.faultline.decode.Wire.WireException;

/**
 * OTLP metrics as protobuf: MetricsData, which has the same bytes as ExportMetricsServiceRequest.
 * What cannot be read is a dead letter at the smallest message whose length is known: a point, a
 * metric, a scope, a resource; what stands beside it is read on.
 */
public final class OtlpDecoder implements Decoder {
  private static final int RESOURCE_METRICS = 1;
  private static final int RESOURCE = 1;
  private static final int SCOPE_METRICS = 2;
  private static final int SCOPE = 1;
  private static final int METRICS = 2;

  private final OtlpCache cache = new OtlpCache();
  private final OtlpMetricReader metrics;
  private final Wire record = new Wire();
  private final Wire resource = new Wire();
  private final Wire scope = new Wire();

  OtlpDecoder(IdentityConfig identity, String defaultGraph) {
    this.metrics = new OtlpMetricReader(new OtlpIdentity(identity, defaultGraph));
  }

  @Override
  public void decode(RawRecord in, Output out) {
    byte[] value = in.value();
    if (value == null) {
      out.ignored(Reasons.TOMBSTONE);
      return;
    }
    if (value.length == 0) {
      out.deadLetter(Reasons.EMPTY, "the record has no bytes");
      return;
    }
    cache.trim();
    try {
      readRecord(value, out);
    } catch (WireException e) {
      out.deadLetter(Reasons.MALFORMED, "record: " + e.getMessage());
    }
  }

  private void readRecord(byte[] value, Output out) throws WireException {
    record.over(value, 0, value.length);
    int found = 0;
    while (record.next()) {
      if (record.field == RESOURCE_METRICS) {
        try {
          readResource(out);
        } catch (WireException e) {
          out.deadLetter(Reasons.MALFORMED, "resource_metrics[" + found + "]: " + e.getMessage());
        }
        found++;
      }
    }
    if (found == 0) {
      out.deadLetter(Reasons.MALFORMED, "record: no resource_metrics in it");
    }
  }

  private void readResource(Output out) throws WireException {
    Range range = find(resource.into(record), RESOURCE);
    resource.into(record);
    int found = 0;
    while (resource.next()) {
      if (resource.field == SCOPE_METRICS) {
        try {
          readScope(range, out);
        } catch (WireException e) {
          out.deadLetter(Reasons.MALFORMED, "scope_metrics[" + found + "]: " + e.getMessage());
        }
        found++;
      }
    }
  }

  private void readScope(Range resourceRange, Output out) throws WireException {
    Range range = find(scope.into(resource), SCOPE);
    OtlpScope known = cache.scope(resource.buffer(), resourceRange, range);
    scope.into(resource);
    while (scope.next()) {
      if (scope.field == METRICS) {
        metrics.read(scope, known, out);
      }
    }
  }

  /** Where the content of that field is; the reader is used up. */
  private static Range find(Wire wire, int field) throws WireException {
    Range range = Range.NONE;
    while (wire.next()) {
      if (wire.field == field) {
        wire.expect(Wire.BYTES);
        range = new Range(wire.from, wire.to);
      }
    }
    return range;
  }
}
