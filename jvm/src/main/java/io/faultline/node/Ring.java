package io.faultline.node;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The last {@value #CAPACITY} values, sorted by insertion, so that a quantile costs little and a
 * new value one move of memory; where each stands is kept in order of arrival, a byte a value.
 * Quantiles are interpolated linearly, as numpy's are by default; an empty ring has none.
 */
final class Ring {
  static final int CAPACITY = 128;
  private static final int FIRST = 8;
  private static final double MAD_TO_SIGMA = 1.4826;
  private static final double IQR_TO_SIGMA = 1.349;
  private static final double TAIL_TO_SIGMA = 3.92;

  private float[] sorted = new float[FIRST];

  /** Where the values stand in {@link #sorted}, the oldest at {@link #oldest}. */
  private byte[] places = new byte[FIRST];

  private int size;
  private int oldest;

  /** Where {@link #nearest} begins to look. */
  private int hint;

  int size() {
    return size;
  }

  void clear() {
    size = 0;
    oldest = 0;
  }

  /** Adds a value; the oldest leaves when the ring is full. */
  void add(float value) {
    float v = value + 0f; // no negative zero
    if (size < CAPACITY) {
      grow();
      int at = below(v, size);
      Places.shift(places, at, size, 1);
      System.arraycopy(sorted, at, sorted, at + 1, size - at);
      put(v, size++, at);
    } else {
      replace(v, places[oldest]);
      oldest = (oldest + 1) % CAPACITY;
    }
  }

  private void grow() {
    if (size == sorted.length) {
      sorted = Arrays.copyOf(sorted, size * 2);
      places = Arrays.copyOf(places, size * 2);
    }
  }

  /** The value takes the turn of the oldest one, which stands at that place. */
  private void replace(float v, int gone) {
    int at = below(v, size);
    if (at > gone) {
      at--;
      Places.shift(places, gone + 1, at + 1, -1);
      System.arraycopy(sorted, gone + 1, sorted, gone, at - gone);
    } else {
      Places.shift(places, at, gone, 1);
      System.arraycopy(sorted, at, sorted, at + 1, gone - at);
    }
    put(v, oldest, at);
  }

  private void put(float v, int turn, int at) {
    sorted[at] = v;
    places[turn] = (byte) at;
  }

  /** Number of values below v, by a search whose only branch is its loop. */
  private int below(float v, int count) {
    int from = 0;
    for (int left = count; left > 0; ) {
      int half = (left + 1) >>> 1;
      from += sorted[from + half - 1] < v ? half : 0;
      left -= half;
    }
    return from;
  }

  double median() {
    return quantile(0.5);
  }

  /** max(1.4826 MAD, IQR / 1.349, (q97.5 - q2.5) / 3.92), without any floor. */
  double spread() {
    double mad = MAD_TO_SIGMA * distance(median(), 0.5);
    double iqr = (quantile(0.75) - quantile(0.25)) / IQR_TO_SIGMA;
    double tail = (quantile(0.975) - quantile(0.025)) / TAIL_TO_SIGMA;
    return Math.max(mad, Math.max(iqr, tail));
  }

  /** The 5% quantile. */
  double low() {
    return quantile(0.05);
  }

  /** The 95% quantile of the absolute values. */
  double level() {
    return sorted[0] >= 0 ? quantile(0.95) : distance(0, 0.95);
  }

  private double quantile(double p) {
    double at = p * (size - 1);
    int below = (int) at;
    double v = sorted[below];
    return below + 1 < size ? v + (at - below) * (sorted[below + 1] - v) : v;
  }

  /** A quantile of the distances of all values from a centre. */
  private double distance(double centre, double p) {
    double at = p * (size - 1);
    int k = (int) at;
    double part = at - k;
    int from = nearest(centre, k);
    double v = Math.max(centre - sorted[from], sorted[from + k] - centre);
    if (part == 0) {
      return v;
    }
    double left = from > 0 ? centre - sorted[from - 1] : Double.POSITIVE_INFINITY;
    double right = from + k + 1 < size ? sorted[from + k + 1] - centre : Double.POSITIVE_INFINITY;
    return v + part * (Math.min(left, right) - v);
  }

  /**
   * Where the k + 1 values nearest to a centre begin: they are neighbours in the sorted array.
   * Walks from where the last answer was, which is near, as one value at a time comes and goes.
   */
  private int nearest(double centre, int k) {
    int last = size - k - 1;
    int from = Math.min(hint, last);
    while (from < last && centre - sorted[from] > sorted[from + k + 1] - centre) {
      from++;
    }
    while (from > 0 && centre - sorted[from - 1] <= sorted[from + k] - centre) {
      from--;
    }
    hint = from;
    return from;
  }

  Ring copy() {
    Ring copy = new Ring();
    copy.sorted = sorted.clone();
    copy.places = places.clone();
    copy.size = size;
    copy.oldest = oldest;
    return copy;
  }

  /** Size, then the values from the oldest to the newest. */
  void write(DataOutputView out) throws IOException {
    out.writeByte(size);
    for (int i = 0; i < size; i++) {
      out.writeFloat(sorted[places[(oldest + i) % size]]);
    }
  }

  static Ring read(DataInputView in) throws IOException {
    Ring ring = new Ring();
    int size = in.readUnsignedByte();
    for (int i = 0; i < size; i++) {
      ring.add(in.readFloat());
    }
    return ring;
  }
}
