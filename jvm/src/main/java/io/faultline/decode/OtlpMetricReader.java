package io.faultline.decode;

import io.faultline.decode.OtlpPath.Level;
import io.faultline.decode.Wire.WireException;
import io.faultline.records.Kind;
import java.nio.charset.StandardCharsets;

/** Reads one OTLP Metric with its points. */
final class OtlpMetricReader {
  private static final int NAME = 1;
  private static final int UNIT = 3;
  private static final int GAUGE = 5;
  private static final int SUM = 7;
  private static final int HISTOGRAM = 9;
  private static final int EXPONENTIAL_HISTOGRAM = 10;
  private static final int SUMMARY = 11;
  private static final int POINTS = 1;
  private static final int TEMPORALITY = 2;
  private static final int MONOTONIC = 3;
  private static final int DELTA = 1;
  private static final int CUMULATIVE = 2;

  private final OtlpIdentity identity;
  private final OtlpPath path;
  private final OtlpSamples samples = new OtlpSamples();
  private final OtlpPoint point = new OtlpPoint();
  private final Wire metric = new Wire();
  private final Wire data = new Wire();
  private OtlpRefusals refused = OtlpRefusals.NONE;
  private Decoder.Output out;
  private int nameFrom;
  private int nameTo;
  private int unitFrom;
  private int unitTo;
  private int dataField;
  private int dataFrom;
  private int dataTo;

  OtlpMetricReader(OtlpIdentity identity, OtlpPath path) {
    this.identity = identity;
    this.path = path;
  }

  /** Called before each record. */
  void begin(OtlpRefusals refused, Decoder.Output out) {
    this.refused = refused;
    this.out = out;
  }

  /** Called after each record. */
  void flush() {
    samples.flush(out);
  }

  /** Reads the metric in the current field of the scope's reader. */
  void read(Wire scopeWire, OtlpScope scope) {
    nameFrom = nameTo = unitFrom = unitTo = dataField = 0;
    try {
      readHeader(metric.into(scopeWire));
      refused.check(scopeWire);
      readData(scope);
    } catch (WireException e) {
      path.backTo(Level.METRIC);
      refuse(e);
    }
  }

  private void refuse(WireException e) {
    String name = new String(metric.buffer(), nameFrom, nameTo - nameFrom, StandardCharsets.UTF_8);
    out.deadLetter(e.reason(), path.of(name) + ": " + e.getMessage());
  }

  private void readHeader(Wire wire) throws WireException {
    while (wire.next()) {
      switch (wire.field) {
        case NAME -> {
          wire.expect(Wire.BYTES);
          nameFrom = wire.from;
          nameTo = wire.to;
        }
        case UNIT -> {
          wire.expect(Wire.BYTES);
          unitFrom = wire.from;
          unitTo = wire.to;
        }
        case GAUGE, SUM, HISTOGRAM, EXPONENTIAL_HISTOGRAM, SUMMARY -> {
          wire.expect(Wire.BYTES);
          dataField = wire.field;
          dataFrom = wire.from;
          dataTo = wire.to;
        }
        default -> {
          // Description, metadata and later fields give no sample.
        }
      }
    }
  }

  private void readData(OtlpScope scope) throws WireException {
    if (nameFrom == nameTo) {
      throw new WireException(Reasons.MISSING_FIELD, "the metric has no name");
    }
    OtlpShape shape =
        switch (dataField) {
          case GAUGE, SUM -> OtlpShape.NUMBER;
          case HISTOGRAM -> OtlpShape.HISTOGRAM;
          case EXPONENTIAL_HISTOGRAM -> OtlpShape.EXPONENTIAL;
          case SUMMARY -> OtlpShape.SUMMARY;
          default -> null;
        };
    if (shape == null) {
      out.ignored(Reasons.NO_RECORDED_VALUE);
    } else {
      readPoints(known(scope, kind(), shape));
    }
  }

  /** How the points add up. */
  private Kind kind() throws WireException {
    if (dataField == GAUGE) {
      return Kind.GAUGE;
    }
    if (dataField == SUMMARY) {
      return Kind.COUNTER;
    }
    data.over(metric.buffer(), dataFrom, dataTo);
    long temporality = 0;
    boolean monotonic = dataField != SUM;
    while (data.next()) {
      if (data.field == TEMPORALITY) {
        temporality = data.integer();
      } else if (data.field == MONOTONIC && dataField == SUM) {
        monotonic = data.integer() != 0;
      }
    }
    if (temporality == DELTA) {
      return Kind.DELTA;
    }
    if (temporality != CUMULATIVE) {
      throw new WireException(Reasons.UNSUPPORTED, "neither delta nor cumulative");
    }
    return monotonic ? Kind.COUNTER : Kind.GAUGE;
  }

  private OtlpMetric known(OtlpScope scope, Kind kind, OtlpShape shape) throws WireException {
    byte[] buffer = metric.buffer();
    OtlpMetric found = scope.metric(buffer, nameFrom, nameTo);
    if (found == null || !found.is(buffer, unitFrom, unitTo, kind, shape)) {
      String name = new String(buffer, nameFrom, nameTo - nameFrom, StandardCharsets.UTF_8);
      if (name.isBlank()) {
        throw new WireException(Reasons.MISSING_FIELD, "the metric has no name");
      }
      String unit = new String(buffer, unitFrom, unitTo - unitFrom, StandardCharsets.UTF_8);
      found = new OtlpMetric(identity, scope, name, unit, kind, shape);
      scope.keep(buffer, nameFrom, nameTo, found);
    }
    return found;
  }

  private void readPoints(OtlpMetric of) throws WireException {
    data.over(metric.buffer(), dataFrom, dataTo);
    boolean any = false;
    while (data.next()) {
      if (data.field == POINTS) {
        any = true;
        path.next(Level.POINT);
        try {
          readPoint(of);
        } catch (WireException e) {
          refuse(e);
        }
      }
    }
    if (!any) {
      out.ignored(Reasons.NO_RECORDED_VALUE);
    }
  }

  private void readPoint(OtlpMetric of) throws WireException {
    refused.check(data);
    point.read(of.shape(), data);
    boolean number = of.shape() == OtlpShape.NUMBER;
    if (point.noRecordedValue() || (number && !point.hasValue)) {
      out.ignored(Reasons.NO_RECORDED_VALUE);
    } else if (number && !Double.isFinite(point.value)) {
      out.ignored(Reasons.NOT_FINITE);
    } else if (!Times.isValid(point.time)) {
      throw new WireException(Reasons.BAD_TIME, "its time is " + point.time + " ms");
    } else {
      // A start that no clock can have told would make a rate of any size.
      point.start = Times.isValid(point.start) && point.start <= point.time ? point.start : 0L;
      samples.emit(point, of, series(of), out);
    }
  }

  private OtlpSeries series(OtlpMetric of) throws WireException {
    byte[] buffer = point.wire.buffer();
    return point.contiguous
        ? of.series(buffer, point.attributesFrom, point.attributesTo)
        : of.resolve(buffer, point.attributesFrom, point.attributesTo);
  }
}
