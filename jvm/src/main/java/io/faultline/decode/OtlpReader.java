package io.faultline.decode;

import io.faultline.config.IdentityConfig;
import io.faultline.decode.OtlpCache.Range;
import io.faultline.decode.OtlpPath.Level;
import io.faultline.decode.Wire.WireException;

/**
 * Reads OTLP metrics in protobuf: any number of MetricsData one after the other, which have the
 * same bytes as ExportMetricsServiceRequest. What cannot be read is a dead letter at the smallest
 * message whose length is known: a point, a metric, a scope, a resource; what stands beside it is
 * read on.
 */
final class OtlpReader {
  private static final int RESOURCE_METRICS = 1;
  private static final int RESOURCE = 1;
  private static final int SCOPE_METRICS = 2;
  private static final int SCOPE = 1;
  private static final int METRICS = 2;

  private final OtlpCache cache = new OtlpCache();
  private final OtlpPath path = new OtlpPath();
  private final OtlpMetricReader metrics;
  private final Wire record = new Wire();
  private final Wire resource = new Wire();
  private final Wire scope = new Wire();
  private OtlpRefusals refused = OtlpRefusals.NONE;
  private Decoder.Output out;
  private boolean told;

  OtlpReader(IdentityConfig identity, String defaultGraph) {
    this.metrics = new OtlpMetricReader(new OtlpIdentity(identity, defaultGraph), path);
  }

  /** Reads the bytes from 0 to {@code length}; false where there is nothing of OTLP in them. */
  boolean read(byte[] buffer, int length, OtlpRefusals refused, Decoder.Output out) {
    this.refused = refused;
    this.out = out;
    cache.trim();
    path.start();
    metrics.begin(refused, out);
    boolean any = false;
    try {
      record.over(buffer, 0, length);
      while (record.next()) {
        if (record.field == RESOURCE_METRICS) {
          any = true;
          path.next(Level.RESOURCE);
          readResource();
        }
      }
    } catch (WireException e) {
      any = true;
      path.start();
      refuse(e);
    }
    return any;
  }

  private void refuse(WireException e) {
    told = true;
    out.deadLetter(e.reason(), path + ": " + e.getMessage());
  }

  /** A resource with no metric in it is told too: no bytes go without an outcome. */
  private void readResource() {
    told = false;
    readMetrics();
    if (!told) {
      out.ignored(Reasons.NO_RECORDED_VALUE);
    }
  }

  private void readMetrics() {
    try {
      refused.check(record);
      Range range = find(resource.into(record), RESOURCE);
      resource.into(record);
      while (resource.next()) {
        if (resource.field == SCOPE_METRICS) {
          path.next(Level.SCOPE);
          readScope(range);
        }
      }
    } catch (WireException e) {
      path.backTo(Level.RESOURCE);
      refuse(e);
    }
  }

  private void readScope(Range resourceRange) {
    try {
      refused.check(resource);
      Range range = find(scope.into(resource), SCOPE);
      OtlpScope known = cache.scope(resource.buffer(), resourceRange, range);
      scope.into(resource);
      while (scope.next()) {
        if (scope.field == METRICS) {
          path.next(Level.METRIC);
          told = true;
          metrics.read(scope, known);
        }
      }
    } catch (WireException e) {
      path.backTo(Level.SCOPE);
      refuse(e);
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
