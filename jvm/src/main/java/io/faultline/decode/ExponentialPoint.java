package io.faultline.decode;

import io.faultline.decode.Wire.WireException;

/**
 * The buckets of one exponential histogram point while it is read. Bucket {@code i} of scale {@code
 * s} holds the values in {@code (base^i, base^(i+1)]} with {@code base = 2^(2^-s)}; negative
 * buckets hold values mirrored at zero.
 */
final class ExponentialPoint {
  int scale;
  double zeroCount;
  double zeroThreshold;
  final Buckets positive = new Buckets();
  final Buckets negative = new Buckets();

  void clear() {
    scale = 0;
    zeroCount = 0;
    zeroThreshold = 0;
    positive.clear();
    negative.clear();
  }

  /** The buckets of one sign: counts from index {@link #offset} on. */
  static final class Buckets {
    int offset;
    final DoubleList counts = new DoubleList();

    void clear() {
      offset = 0;
      counts.clear();
    }

    void read(Wire wire) throws WireException {
      while (wire.next()) {
        if (wire.field == 1) {
          offset = (int) wire.zigzag();
        } else if (wire.field == 2) {
          wire.varintsInto(counts);
        }
      }
    }

    /** Place in the list of the first bucket with events; the list's size where there is none. */
    int first() {
      int i = 0;
      while (i < counts.size() && counts.get(i) == 0) {
        i++;
      }
      return i;
    }

    /** Place in the list of the last bucket with events; -1 where there is none. */
    int last() {
      int i = counts.size() - 1;
      while (i >= 0 && counts.get(i) == 0) {
        i--;
      }
      return i;
    }
  }
}
