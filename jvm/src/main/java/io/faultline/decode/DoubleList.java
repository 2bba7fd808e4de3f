package io.faultline.decode;

import java.util.Arrays;

/** Numbers one after the other, kept from use to use. */
final class DoubleList {
  private double[] values = new double[32];
  private int size;

  void clear() {
    size = 0;
  }

  void add(double value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, size * 2);
    }
    values[size++] = value;
  }

  int size() {
    return size;
  }

  double get(int index) {
    return values[index];
  }

  /** The numbers, and more behind them. */
  double[] array() {
    return values;
  }
}
