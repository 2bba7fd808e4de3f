package io.faultline.decode;

import io.faultline.decode.Wire.WireException;
import java.util.Arrays;

/** The fields of one data point while it is read: NumberDataPoint or HistogramDataPoint. */
final class OtlpPoint {
  static final int NUMBER_ATTRIBUTES = 7;
  static final int HISTOGRAM_ATTRIBUTES = 9;
  private static final int NO_RECORDED_VALUE = 1;

  final Wire wire = new Wire();
  int attributesFrom;
  int attributesTo;

  /** Attributes stand one after the other. */
  boolean contiguous;

  /** Event time, ms; 0 = not said. */
  long time;

  /** Start time, ms; 0 = not said. */
  long start;

  /** The value of a number, the sum of a histogram. */
  double value;

  boolean hasValue;
  long count;
  long[] buckets = new long[32];
  int bucketCount;
  double[] bounds = new double[32];
  int boundCount;
  private long flags;

  boolean noRecordedValue() {
    return (flags & NO_RECORDED_VALUE) != 0;
  }

  void readNumber(Wire data) throws WireException {
    reset(data);
    while (wire.next()) {
      switch (wire.field) {
        case 2 -> start = Times.fromNanos(wire.fixed());
        case 3 -> time = Times.fromNanos(wire.fixed());
        case 4 -> setValue(wire.real());
        case 6 -> setValue(wire.fixed());
        case NUMBER_ATTRIBUTES -> attribute();
        case 8 -> flags = wire.integer();
        default -> {
          // Exemplars and later fields give no sample.
        }
      }
    }
  }

  void readHistogram(Wire data) throws WireException {
    reset(data);
    while (wire.next()) {
      switch (wire.field) {
        case 2 -> start = Times.fromNanos(wire.fixed());
        case 3 -> time = Times.fromNanos(wire.fixed());
        case 4 -> count = wire.fixed();
        case 5 -> setValue(wire.real());
        case 6 -> readBuckets();
        case 7 -> readBounds();
        case HISTOGRAM_ATTRIBUTES -> attribute();
        case 10 -> flags = wire.integer();
        default -> {
          // Exemplars, minimum, maximum and later fields give no sample.
        }
      }
    }
  }

  private void reset(Wire data) throws WireException {
    wire.into(data);
    attributesFrom = attributesTo = bucketCount = boundCount = 0;
    contiguous = true;
    hasValue = false;
    time = start = count = flags = 0L;
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

  private void readBuckets() throws WireException {
    if (wire.type == Wire.FIXED64) {
      addBucket(wire.bits);
      return;
    }
    packed();
    for (int at = wire.from; at < wire.to; at += Long.BYTES) {
      addBucket(Wire.longAt(wire.buffer(), at));
    }
  }

  private void readBounds() throws WireException {
    if (wire.type == Wire.FIXED64) {
      addBound(wire.bits);
      return;
    }
    packed();
    for (int at = wire.from; at < wire.to; at += Long.BYTES) {
      addBound(Wire.longAt(wire.buffer(), at));
    }
  }

  private void packed() throws WireException {
    wire.expect(Wire.BYTES);
    if ((wire.to - wire.from) % Long.BYTES != 0) {
      throw new WireException("field " + wire.field + " is no list of 64-bit values");
    }
  }

  private void addBucket(long bucket) {
    if (bucketCount == buckets.length) {
      buckets = Arrays.copyOf(buckets, bucketCount * 2);
    }
    buckets[bucketCount++] = bucket;
  }

  private void addBound(long bits) {
    if (boundCount == bounds.length) {
      bounds = Arrays.copyOf(bounds, boundCount * 2);
    }
    bounds[boundCount++] = Double.longBitsToDouble(bits);
  }
}
