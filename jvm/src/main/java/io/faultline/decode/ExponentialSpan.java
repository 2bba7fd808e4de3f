package io.faultline.decode;

import io.faultline.decode.ExponentialPoint.Buckets;

/** The octaves that the buckets of one sign cover: magnitudes in {@code (2^low, 2^high]}. */
final class ExponentialSpan {
  /** No double lies beyond 2 to the power of this. */
  private static final int OCTAVES = 1100;

  private static final int WIDEST_SHIFT = 62;

  int low;
  int high;

  /** Number of merged buckets; 0 = none. */
  int size;

  /** The whole octaves around the buckets with events. */
  void find(Buckets buckets, int scale) {
    int first = buckets.first();
    int last = buckets.last();
    if (first > last) {
      low = high = 0;
      return;
    }
    low = Math.min(octave((long) buckets.offset + first, scale), OCTAVES - 1);
    high = Math.max(-octave(-((long) buckets.offset + last + 1), scale), low + 1);
  }

  /** The last whole octave at or below the lower edge of a bucket. */
  private static int octave(long index, int scale) {
    long octave = scale <= 0 ? clamp(index) << -scale : index >> Math.min(scale, WIDEST_SHIFT);
    return (int) clamp(octave);
  }

  private static long clamp(long value) {
    return Math.max(-OCTAVES, Math.min(OCTAVES, value));
  }

  /** Number of buckets at that scale. */
  int buckets(int scale) {
    if (scale >= 0) {
      return (high - low) << scale;
    }
    int step = 1 << -scale;
    return -Math.floorDiv(-high, step) - Math.floorDiv(low, step);
  }

  /** Widens the span to whole buckets of that scale. */
  void align(int scale) {
    size = buckets(scale);
    if (scale < 0) {
      int step = 1 << -scale;
      low = Math.floorDiv(low, step) * step;
      high = low + size * step;
    }
  }

  /** The merged bucket, from 0, that holds a bucket of a finer scale. */
  int place(long index, int from, int scale) {
    long merged = index >> Math.min(from - scale, WIDEST_SHIFT);
    long first = scale >= 0 ? (long) low << scale : low >> -scale;
    return (int) Math.max(0, Math.min(size - 1, merged - first));
  }

  /** Lower edge of the merged bucket of that number; the same edge at every scale that has it. */
  double edge(int number, int scale) {
    if (scale < 0) {
      return Math.scalb(1.0, low + number * (1 << -scale));
    }
    double within = (number & ((1 << scale) - 1)) / (double) (1 << scale);
    return Math.scalb(Math.pow(2.0, within), low + (number >> scale));
  }
}
