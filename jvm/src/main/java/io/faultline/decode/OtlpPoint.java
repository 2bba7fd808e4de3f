package io.faultline.decode;

import io.faultline.decode.Wire.WireException;

/** The fields of one data point of any shape while it is read. Reused from point to point. */
final class OtlpPoint {
  private static final int NO_RECORDED_VALUE = 1;

  /** Tags of a number's fields, and the length of a field of fixed size with its tag. */
  private static final byte START_TAG = 2 << 3 | Wire.FIXED64;

  private static final byte TIME_TAG = 3 << 3 | Wire.FIXED64;
  private static final byte DOUBLE_TAG = 4 << 3 | Wire.FIXED64;
  private static final byte INTEGER_TAG = 6 << 3 | Wire.FIXED64;
  private static final int FIXED = 1 + Long.BYTES;

  final Wire wire = new Wire();
  private final Wire part = new Wire();

  OtlpShape shape = OtlpShape.NUMBER;
  int attributesFrom;
  int attributesTo;

  /** Attributes stand one after the other. */
  boolean contiguous;

  /** Event time, ms; 0 = not said. */
  long time;

  /** Start time as sent, ms; 0 = not said. */
  private long start;

  /** The value of a number, the sum of a histogram or summary. */
  double value;

  boolean hasValue;

  /** Events of a histogram or summary. */
  double count;

  /** Smallest and largest event; NaN = not said. */
  double min;

  double max;

  /** Events by bucket, and upper bounds, of an explicit histogram. */
  final DoubleList buckets = new DoubleList();

  final DoubleList bounds = new DoubleList();

  /** Of an exponential histogram. */
  final ExponentialPoint exponential = new ExponentialPoint();

  /** Quantiles of a summary and their values. */
  final DoubleList quantiles = new DoubleList();

  final DoubleList quantileValues = new DoubleList();
  final OtlpExemplars exemplars = new OtlpExemplars();
  private long flags;

  /**
   * Start time, ms; 0 = not said. One that no clock can have told would make a rate of any size.
   */
  long start() {
    return start <= time && Times.isValid(start) ? start : 0L;
  }

  boolean noRecordedValue() {
    return (flags & NO_RECORDED_VALUE) != 0;
  }

  /** Reads the point in the current field of the data's reader. */
  void read(OtlpShape shape, Wire data) throws WireException {
    wire.into(data);
    this.shape = shape;
    attributesFrom = attributesTo = 0;
    contiguous = true;
    hasValue = false;
    time = start = flags = 0L;
    exemplars.clear();
    if (shape == OtlpShape.NUMBER) {
      readNumber();
    } else {
      readDistribution();
    }
  }

  private void readDistribution() throws WireException {
    clearParts();
    while (wire.next()) {
      if (wire.field == shape.attributes) {
        attribute();
      } else if (wire.field == shape.flags) {
        flags = wire.integer();
      } else if (wire.field == shape.exemplars) {
        exemplars.read(wire);
      } else {
        readPart();
      }
    }
  }

  /**
   * Reads start, time and value of a number as encoders write it: in this order, before everything
   * else. Returns where its attributes begin, if it has any; -1 where it has another form, and must
   * be read field by field.
   */
  int readPlain(Wire data) {
    byte[] bytes = data.buffer();
    int to = data.to;
    int at = data.from;
    long started = 0L;
    if (to - at > FIXED && bytes[at] == START_TAG) {
      started = Wire.longAt(bytes, at + 1);
      at += FIXED;
    }
    if (to - at < 2 * FIXED || bytes[at] != TIME_TAG) {
      return -1;
    }
    byte kind = bytes[at + FIXED];
    if (kind != DOUBLE_TAG && kind != INTEGER_TAG) {
      return -1;
    }
    long bits = Wire.longAt(bytes, at + FIXED + 1);
    value = kind == DOUBLE_TAG ? Double.longBitsToDouble(bits) : bits;
    time = Times.fromNanos(Wire.longAt(bytes, at + 1));
    start = Times.fromNanos(started);
    return at + 2 * FIXED;
  }

  private void readNumber() throws WireException {
    while (wire.next()) {
      switch (wire.field) {
        case 2 -> start = Times.fromNanos(wire.fixed());
        case 3 -> time = Times.fromNanos(wire.fixed());
        case 4 -> setValue(wire.real());
        case 5 -> exemplars.read(wire);
        case 6 -> setValue(wire.fixed());
        case 7 -> attribute();
        case 8 -> flags = wire.integer();
        default -> {
          // Fields of later versions give no sample.
        }
      }
    }
  }

  private void clearParts() {
    count = 0;
    min = max = Double.NaN;
    buckets.clear();
    bounds.clear();
    quantiles.clear();
    quantileValues.clear();
    exponential.clear();
    value = 0;
    hasValue = shape == OtlpShape.SUMMARY;
  }

  /** A field that numbers do not have. */
  private void readPart() throws WireException {
    switch (wire.field) {
      case 2 -> start = Times.fromNanos(wire.fixed());
      case 3 -> time = Times.fromNanos(wire.fixed());
      case 4 -> count = Wire.unsigned(wire.fixed());
      case 5 -> setValue(wire.real());
      default -> {
        switch (shape) {
          case HISTOGRAM -> readExplicit();
          case EXPONENTIAL -> readExponential();
          default -> readQuantile();
        }
      }
    }
  }

  private void readExplicit() throws WireException {
    switch (wire.field) {
      case 6 -> wire.fixedInto(buckets, true);
      case 7 -> wire.fixedInto(bounds, false);
      case 11 -> min = wire.real();
      case 12 -> max = wire.real();
      default -> {
        // Fields of later versions give no sample.
      }
    }
  }

  private void readExponential() throws WireException {
    switch (wire.field) {
      case 6 -> exponential.scale = (int) wire.zigzag();
      case 7 -> exponential.zeroCount = Wire.unsigned(wire.fixed());
      case 8 -> exponential.positive.read(part.into(wire));
      case 9 -> exponential.negative.read(part.into(wire));
      case 12 -> min = wire.real();
      case 13 -> max = wire.real();
      case 14 -> exponential.zeroThreshold = wire.real();
      default -> {
        // Fields of later versions give no sample.
      }
    }
  }

  private void readQuantile() throws WireException {
    if (wire.field != 6) {
      return;
    }
    part.into(wire);
    double quantile = 0;
    double at = 0;
    while (part.next()) {
      if (part.field == 1) {
        quantile = part.real();
      } else if (part.field == 2) {
        at = part.real();
      }
    }
    quantiles.add(quantile);
    quantileValues.add(at);
  }

  private void setValue(double value) {
    this.value = value;
    this.hasValue = true;
  }

  private void attribute() throws WireException {
    wire.expect(Wire.BYTES);
    if (attributesTo == 0) {
      attributesFrom = wire.tag;
    } else {
      contiguous &= attributesTo == wire.tag;
    }
    attributesTo = wire.to;
  }
}
