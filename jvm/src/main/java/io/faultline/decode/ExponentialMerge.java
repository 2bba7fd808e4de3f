package io.faultline.decode;

import io.faultline.decode.ExponentialPoint.Buckets;
import java.util.Arrays;

/**
 * Brings the buckets of an exponential histogram point to a scale that its neighbours in time have
 * too. Senders move the offset and halve the scale as they see larger and smaller values; here the
 * buckets with events are widened to whole octaves, at the finest scale that gives few buckets. The
 * edges of a coarser scale are among those of a finer one, so counts up to an edge stay comparable.
 * The answer depends on the point only. Reused from point to point.
 */
final class ExponentialMerge {
  private static final int FINEST = 3;
  private static final int COARSEST = -11;
  private static final int MOST_BUCKETS = 24;

  final ExponentialSpan positive = new ExponentialSpan();
  final ExponentialSpan negative = new ExponentialSpan();

  /** Scale of the merged buckets. */
  int scale;

  double zeroThreshold;

  /** Whether anything lies in or below the zero bucket. */
  boolean zero;

  /** Number of merged buckets, the zero bucket among them. */
  int size;

  private double[] upTo = new double[64];

  void merge(ExponentialPoint point) {
    int from = Math.max(point.scale, COARSEST);
    positive.find(point.positive, from);
    negative.find(point.negative, from);
    scale = Math.min(from, FINEST);
    while (positive.buckets(scale) + negative.buckets(scale) > MOST_BUCKETS) {
      scale--;
    }
    positive.align(scale);
    negative.align(scale);
    zeroThreshold = point.zeroThreshold;
    zero = point.zeroCount > 0 || negative.size > 0;
    size = negative.size + 1 + positive.size;
    count(point, from);
  }

  private void count(ExponentialPoint point, int from) {
    if (upTo.length <= size) {
      upTo = new double[size + 1];
    }
    Arrays.fill(upTo, 0, size + 1, 0.0);
    add(point.negative, negative, from, negative.size, -1);
    upTo[negative.size + 1] += point.zeroCount;
    add(point.positive, positive, from, negative.size + 2, 1);
    for (int i = 1; i <= size; i++) {
      upTo[i] += upTo[i - 1];
    }
  }

  private void add(Buckets buckets, ExponentialSpan span, int from, int base, int step) {
    for (int i = buckets.first(), last = buckets.last(); i <= last; i++) {
      long index = (long) buckets.offset + i;
      upTo[base + step * span.place(index, from, scale)] += buckets.counts.get(i);
    }
  }

  /**
   * Events in the first so many of: the negative buckets from the largest magnitude on, the zero
   * bucket, the positive buckets.
   */
  double upTo(int buckets) {
    return upTo[buckets];
  }
}
