package io.faultline.node;

import java.util.List;
import java.util.function.DoubleUnaryOperator;

/** Statistics as their formulas say, by sorting. */
final class Naive {
  private Naive() {}

  /** A quantile of a function of the values, linear between neighbours, as numpy's default. */
  static double quantile(List<Float> values, double p, DoubleUnaryOperator of) {
    double[] sorted = values.stream().mapToDouble(Float::doubleValue).map(of).sorted().toArray();
    double at = p * (sorted.length - 1);
    int below = (int) Math.floor(at);
    int above = (int) Math.ceil(at);
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
  }
}
