package io.faultline.decode;

import io.faultline.decode.OtlpPath.Level;
import io.faultline.decode.Wire.WireException;
import io.faultline.records.Kind;
import javax.annotation.Nullable;

/** Reads one OTLP Metric with its points. */
final class OtlpMetricReader {
  private static final int POINTS = 1;
  private static final int TEMPORALITY = 2;
  private static final int MONOTONIC = 3;
  private static final int DELTA = 1;
  private static final int CUMULATIVE = 2;

  private final OtlpIdentity identity;
  private final OtlpPath path;
  private final OtlpSamples samples = new OtlpSamples();
  private final OtlpPoint point = new OtlpPoint();
  private final OtlpHeader header = new OtlpHeader();
  private final Wire data = new Wire();
  private OtlpRefusals refused = OtlpRefusals.NONE;
  private Decoder.Output out;

  /** The metric at hand, as soon as it is known. */
  @Nullable private OtlpMetric of;

  OtlpMetricReader(OtlpIdentity identity, OtlpPath path) {
    this.identity = identity;
    this.path = path;
  }

  /** Called before each record. */
  void begin(OtlpRefusals refused, Decoder.Output out) {
    this.refused = refused;
    this.out = out;
  }

  /** Reads the metric in the current field of the scope's reader. */
  void read(Wire outer, OtlpScope scope) {
    of = null;
    header.clear();
    try {
      if (guess(outer, scope) || find(outer, scope)) {
        readPoints();
      }
    } catch (WireException e) {
      path.backTo(Level.METRIC);
      refuse(e);
    }
  }

  private void refuse(WireException e) {
    String name = of == null ? header.name() : of.name();
    out.deadLetter(e.reason(), path.of(name) + ": " + e.getMessage());
  }

  /** Tries the metric that came after the last one, as senders keep their order. */
  private boolean guess(Wire outer, OtlpScope scope) throws WireException {
    of = scope.guess(outer.buffer(), outer.from, outer.to);
    if (of == null) {
      return false;
    }
    data.over(outer.buffer(), outer.from + of.header() - 1, outer.to);
    if (data.next() && data.to == outer.to) {
      refused.check(outer);
      int field = data.field;
      data.into(data);
      return of.kind() == kind(field);
    }
    return false;
  }

  /** Reads what the metric says of itself; false where it has no points. */
  private boolean find(Wire outer, OtlpScope scope) throws WireException {
    of = null;
    header.read(outer);
    refused.check(outer);
    if (header.isNameless()) {
      throw new WireException(Reasons.MISSING_FIELD, "the metric has no name");
    }
    if (header.shape() == null) {
      out.ignored(Reasons.NO_RECORDED_VALUE);
      return false;
    }
    data.over(outer.buffer(), header.dataFrom, header.dataTo);
    Kind kind = kind(header.dataField);
    if (header.isPlain()) {
      findByHeader(outer, scope, kind);
    } else {
      findByName(outer, scope, kind);
    }
    return true;
  }

  private void findByHeader(Wire outer, OtlpScope scope, Kind kind) {
    int end = header.dataTag + 1;
    of = scope.withHeader(outer.buffer(), outer.from, end);
    if (of == null || of.kind() != kind) {
      of = create(scope, kind, end - outer.from);
      scope.keepHeader(outer.buffer(), outer.from, end, of);
    }
  }

  private void findByName(Wire outer, OtlpScope scope, Kind kind) {
    byte[] buffer = outer.buffer();
    of = scope.withName(buffer, header.nameFrom, header.nameTo);
    if (of == null || !of.is(buffer, header.unitFrom, header.unitTo, kind, header.shape())) {
      of = create(scope, kind, 0);
      scope.keepName(buffer, header.nameFrom, header.nameTo, of);
    }
  }

  private OtlpMetric create(OtlpScope scope, Kind kind, int length) {
    return new OtlpMetric(
        identity, scope, header.name(), header.unit(), kind, header.shape(), length);
  }

  /** How the points in the data add up; the data's reader is back at their start. */
  private Kind kind(int field) throws WireException {
    if (field == OtlpHeader.GAUGE) {
      return Kind.GAUGE;
    }
    if (field == OtlpHeader.SUMMARY) {
      return Kind.COUNTER;
    }
    long temporality = 0;
    boolean monotonic = field != OtlpHeader.SUM;
    data.mark();
    for (data.skip(POINTS); data.next(); data.skip(POINTS)) {
      if (data.field == TEMPORALITY) {
        temporality = data.integer();
      } else if (data.field == MONOTONIC && field == OtlpHeader.SUM) {
        monotonic = data.integer() != 0;
      }
    }
    data.back();
    if (temporality == DELTA) {
      return Kind.DELTA;
    }
    if (temporality != CUMULATIVE) {
      throw new WireException(Reasons.UNSUPPORTED, "neither delta nor cumulative");
    }
    return monotonic ? Kind.COUNTER : Kind.GAUGE;
  }

  private void readPoints() throws WireException {
    boolean any = false;
    while (data.next()) {
      if (data.field == POINTS) {
        any = true;
        path.next(Level.POINT);
        try {
          readPoint();
        } catch (WireException e) {
          refuse(e);
        }
      }
    }
    if (!any) {
      out.ignored(Reasons.NO_RECORDED_VALUE);
    }
  }

  private void readPoint() throws WireException {
    refused.check(data);
    boolean number = of.shape() == OtlpShape.NUMBER;
    if (number && emitGuessed()) {
      return;
    }
    point.read(of.shape(), data);
    if (point.noRecordedValue() || (number && !point.hasValue)) {
      out.ignored(Reasons.NO_RECORDED_VALUE);
    } else if (number && !Double.isFinite(point.value)) {
      out.ignored(Reasons.NOT_FINITE);
    } else if (!Times.isValid(point.time)) {
      throw new WireException(Reasons.BAD_TIME, "its time is " + point.time + " ms");
    } else {
      samples.emit(point, series(), out);
    }
  }

  /**
   * Hands on a number of the plainest form, if its attributes are those that came after the last
   * ones, as senders keep their order. False where it must be read field by field.
   */
  private boolean emitGuessed() {
    int attributes = point.readPlain(data);
    if (attributes < 0 || !Double.isFinite(point.value) || !Times.isValid(point.time)) {
      return false;
    }
    OtlpSeries series = of.guess(data.buffer(), attributes, data.to);
    if (series == null || !series.isPlain()) {
      return false;
    }
    out.sample(
        series.graph(), series.node(), point.time, series.value(), point.value, point.start());
    return true;
  }

  private OtlpSeries series() throws WireException {
    byte[] buffer = point.wire.buffer();
    return point.contiguous
        ? of.series(buffer, point.attributesFrom, point.attributesTo)
        : of.resolve(buffer, point.attributesFrom, point.attributesTo);
  }
}
