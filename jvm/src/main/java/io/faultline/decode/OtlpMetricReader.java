package io.faultline.decode;

import io.faultline.decode.Wire.WireException;
import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import java.nio.charset.StandardCharsets;
import javax.annotation.Nullable;

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
  private final ServiceGraphCalls calls = new ServiceGraphCalls();
  private final OtlpPoint point = new OtlpPoint();
  private final Wire metric = new Wire();
  private final Wire data = new Wire();
  private int nameFrom;
  private int nameTo;
  private int unitFrom;
  private int unitTo;
  private int dataField;
  private int dataFrom;
  private int dataTo;

  OtlpMetricReader(OtlpIdentity identity) {
    this.identity = identity;
  }

  /** Called after each record. */
  void flush(Decoder.Output out) {
    calls.flush(out);
  }

  /** Reads the metric in the current field of the scope's reader. */
  void read(Wire scopeWire, OtlpScope scope, Decoder.Output out) {
    try {
      readHeader(metric.into(scopeWire));
      readData(scope, out);
    } catch (WireException e) {
      out.deadLetter(Reasons.MALFORMED, "metric " + name() + ": " + e.getMessage());
    }
  }

  private void readHeader(Wire wire) throws WireException {
    nameFrom = nameTo = unitFrom = unitTo = dataField = 0;
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

  private String name() {
    return text(nameFrom, nameTo);
  }

  private String text(int from, int to) {
    return new String(metric.buffer(), from, to - from, StandardCharsets.UTF_8);
  }

  private void readData(OtlpScope scope, Decoder.Output out) throws WireException {
    if (nameFrom == nameTo) {
      out.deadLetter(Reasons.MISSING_FIELD, "a metric without a name");
      return;
    }
    switch (dataField) {
      case GAUGE -> readPoints(known(scope, Kind.GAUGE, false), out);
      case SUM, HISTOGRAM -> {
        Kind kind = kind();
        if (kind == null) {
          out.deadLetter(
              Reasons.UNSUPPORTED, "metric " + name() + ": neither delta nor cumulative");
        } else {
          readPoints(known(scope, kind, dataField == HISTOGRAM), out);
        }
      }
      case EXPONENTIAL_HISTOGRAM ->
          out.deadLetter(Reasons.UNSUPPORTED, "metric " + name() + ": exponential histogram");
      case SUMMARY -> out.deadLetter(Reasons.UNSUPPORTED, "metric " + name() + ": summary");
      default -> out.ignored(Reasons.NO_RECORDED_VALUE);
    }
  }

  /** How the points add up; null = not said. */
  @Nullable
  private Kind kind() throws WireException {
    data.over(metric.buffer(), dataFrom, dataTo);
    long temporality = 0;
    boolean monotonic = dataField == HISTOGRAM;
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
      return null;
    }
    return monotonic ? Kind.COUNTER : Kind.GAUGE;
  }

  private OtlpMetric known(OtlpScope scope, Kind kind, boolean histogram) {
    byte[] buffer = metric.buffer();
    OtlpMetric found = scope.metric(buffer, nameFrom, nameTo);
    if (found == null || !found.is(buffer, unitFrom, unitTo, kind, histogram)) {
      String unit = text(unitFrom, unitTo);
      found = new OtlpMetric(identity, scope, name(), unit, kind, histogram);
      scope.keep(buffer, nameFrom, nameTo, found);
    }
    return found;
  }

  private void readPoints(OtlpMetric of, Decoder.Output out) throws WireException {
    data.over(metric.buffer(), dataFrom, dataTo);
    while (data.next()) {
      if (data.field == POINTS) {
        try {
          readPoint(of, out);
        } catch (WireException e) {
          out.deadLetter(Reasons.MALFORMED, "metric " + of.name() + ": point: " + e.getMessage());
        }
      }
    }
  }

  private void readPoint(OtlpMetric of, Decoder.Output out) throws WireException {
    boolean histogram = dataField == HISTOGRAM;
    if (histogram) {
      point.readHistogram(data);
    } else {
      point.readNumber(data);
    }
    if (point.noRecordedValue() || (!histogram && !point.hasValue)) {
      out.ignored(Reasons.NO_RECORDED_VALUE);
    } else if (!histogram && !Double.isFinite(point.value)) {
      out.ignored(Reasons.NOT_FINITE);
    } else if (!Times.isValid(point.time)) {
      out.deadLetter(Reasons.BAD_TIME, "metric " + of.name() + ": time of a point");
    } else {
      emit(of, histogram, out);
    }
  }

  private void emit(OtlpMetric of, boolean histogram, Decoder.Output out) throws WireException {
    int field = histogram ? OtlpPoint.HISTOGRAM_ATTRIBUTES : OtlpPoint.NUMBER_ATTRIBUTES;
    OtlpSeries series =
        point.contiguous
            ? of.series(point.wire.buffer(), point.attributesFrom, point.attributesTo, field)
            : of.resolve(point.wire.buffer(), point.attributesFrom, point.attributesTo, field);
    if (series.node() == null) {
      out.ignored(Reasons.UNNAMED_NODE);
      return;
    }
    if (series.call() != null && of.counts()) {
      series.call().tell(series.graph(), point.time, out);
    }
    if (series.histogram() != null) {
      emitHistogram(of, series, out);
    } else if (series.call() == null
        || !of.adds()
        || !calls.add(series, point.value, point.time, point.start)) {
      out.sample(
          series.graph(), series.node(), point.time, series.value(), point.value, point.start);
    }
  }

  private void emitHistogram(OtlpMetric of, OtlpSeries series, Decoder.Output out) {
    boolean none = point.bucketCount == 0 && point.boundCount == 0;
    if (!none && point.bucketCount != point.boundCount + 1) {
      out.deadLetter(
          Reasons.BAD_VALUE, "metric " + of.name() + ": buckets and bounds do not fit together");
      return;
    }
    HistogramSeries parts = series.histogram();
    emitPart(series, parts.count(), point.count, out);
    if (point.hasValue && Double.isFinite(point.value)) {
      emitPart(series, parts.sum(), point.value, out);
    } else if (point.hasValue) {
      out.ignored(Reasons.NOT_FINITE);
    }
    if (!none) {
      emitBuckets(series, parts.buckets(point.bounds, point.boundCount), out);
    }
  }

  private void emitBuckets(OtlpSeries series, SeriesKey[] keys, Decoder.Output out) {
    long upTo = 0;
    for (int i = 0; i < point.bucketCount; i++) {
      upTo += point.buckets[i];
      emitPart(series, keys[i], upTo, out);
    }
  }

  private void emitPart(OtlpSeries series, SeriesKey key, double value, Decoder.Output out) {
    out.sample(series.graph(), series.node(), point.time, key, value, point.start);
  }
}
