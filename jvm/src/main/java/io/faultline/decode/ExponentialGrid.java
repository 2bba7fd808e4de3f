package io.faultline.decode;

import java.math.BigDecimal;
import java.math.MathContext;

/**
 * Upper bounds for the merged buckets of an exponential histogram, ascending, each with the number
 * of merged buckets below it. Around the buckets of a histogram that adds up there are a few
 * octaves more: when values move there, their bounds have been counted before and give a rate at
 * once.
 */
final class ExponentialGrid {
  private static final int OCTAVES_BELOW = 3;
  private static final int OCTAVES_ABOVE = 6;
  private static final MathContext DIGITS = new MathContext(6);

  private final int scale;
  private final int positiveLow;
  private final int positiveHigh;
  private final int negativeLow;
  private final int negativeHigh;
  private final boolean zero;
  private final double zeroThreshold;
  private final DoubleList bounds = new DoubleList();
  private final int[] below;

  ExponentialGrid(ExponentialMerge of, boolean addsUp) {
    scale = of.scale;
    positiveLow = of.positive.low;
    positiveHigh = of.positive.high;
    negativeLow = of.negative.low;
    negativeHigh = of.negative.high;
    zero = of.zero;
    zeroThreshold = of.zeroThreshold;
    below = new int[of.size + 3 + OCTAVES_BELOW + OCTAVES_ABOVE];
    addNegative(of.negative);
    if (zero) {
      add(zeroThreshold, of.negative.size + 1);
    }
    if (of.positive.size > 0) {
      addPositive(of.positive, of.negative.size + 1, addsUp);
    }
  }

  /** Whether that point's buckets have these bounds. */
  boolean fits(ExponentialMerge of) {
    return scale == of.scale
        && positiveLow == of.positive.low
        && positiveHigh == of.positive.high
        && negativeLow == of.negative.low
        && negativeHigh == of.negative.high
        && zero == of.zero
        && zeroThreshold == of.zeroThreshold;
  }

  DoubleList bounds() {
    return bounds;
  }

  /** Number of merged buckets below the bound of that index. */
  int below(int index) {
    return below[index];
  }

  private void addNegative(ExponentialSpan span) {
    for (int i = span.size; span.size > 0 && i >= 0; i--) {
      add(-span.edge(i, scale), span.size - i);
    }
  }

  private void addPositive(ExponentialSpan span, int before, boolean addsUp) {
    for (int octave = addsUp ? OCTAVES_BELOW : 0; octave > 0; octave--) {
      addMagnitude(Math.scalb(1.0, span.low - octave), before);
    }
    for (int i = 0; i <= span.size; i++) {
      addMagnitude(span.edge(i, scale), before + i);
    }
    for (int octave = 1; addsUp && octave <= OCTAVES_ABOVE; octave++) {
      addMagnitude(Math.scalb(1.0, span.high + octave), before + span.size);
    }
  }

  private void addMagnitude(double bound, int buckets) {
    if (bound > 0) {
      add(bound, buckets);
    }
  }

  /** Adds a bound, unless no double lies there or it is not above the last one. */
  private void add(double bound, int buckets) {
    if (!Double.isFinite(bound)) {
      return;
    }
    double rounded = new BigDecimal(bound).round(DIGITS).doubleValue();
    int size = bounds.size();
    if (size == 0 || rounded > bounds.get(size - 1)) {
      below[size] = buckets;
      bounds.add(rounded);
    }
  }
}
