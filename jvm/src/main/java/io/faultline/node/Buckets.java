package io.faultline.node;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** The cumulative buckets of one histogram at one event time, in order of their bounds. */
final class Buckets {
  private static final double QUANTILE = 0.95;
  private static final int MOST = 512;

  /** A bucket may be this much smaller, relatively, than the one below it without a word. */
  private static final double NOISE = 1e-9;

  private double[] bounds = new double[0];
  private double[] rates = new double[0];

  /** Rates had the counters begun anew. */
  private double[] fulls = new double[0];

  private int size;
  private boolean tooMany;

  /** Of the bounds of the time before; 0 = there was none. */
  private long before;

  boolean isEmpty() {
    return size == 0;
  }

  void clear() {
    size = 0;
    tooMany = false;
  }

  /** Takes the rates up to a bound; those of one bound add up. */
  void add(double bound, double rate, double full) {
    int at = Arrays.binarySearch(bounds, 0, size, bound);
    if (at >= 0) {
      rates[at] += rate;
      fulls[at] += full;
    } else if (size == MOST) {
      tooMany = true;
    } else {
      insert(-at - 1, bound, rate, full);
    }
  }

  private void insert(int at, double bound, double rate, double full) {
    if (size == bounds.length) {
      int length = Math.max(16, size * 2);
      bounds = Arrays.copyOf(bounds, length);
      rates = Arrays.copyOf(rates, length);
      fulls = Arrays.copyOf(fulls, length);
    }
    System.arraycopy(bounds, at, bounds, at + 1, size - at);
    System.arraycopy(rates, at, rates, at + 1, size - at);
    System.arraycopy(fulls, at, fulls, at + 1, size - at);
    bounds[at] = bound;
    rates[at] = rate;
    fulls[at] = full;
    size++;
  }

  /** Whether the bounds are those of the time before, if there was one and it matters. */
  boolean settle(boolean free, Tally tally) {
    if (free) {
      before = 0;
      return true;
    }
    long hash = size;
    for (int i = 0; i < size; i++) {
      hash = 31 * hash + Double.doubleToLongBits(bounds[i]);
    }
    boolean same = before == 0 || before == hash;
    before = hash;
    if (!same) {
      tally.add("bounds_changed");
    }
    return same;
  }

  /** Leaves out bounds that have no rate yet: the others still say how many events lie below. */
  void dropUnknown(boolean full) {
    double[] upTo = full ? fulls : rates;
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (!Double.isNaN(upTo[i])) {
        bounds[kept] = bounds[i];
        rates[kept] = rates[i];
        fulls[kept++] = fulls[i];
      }
    }
    size = kept;
  }

  /**
   * The 95% quantile as Prometheus has it: linear within its bucket, from 0 or the first bound if
   * that is below; the highest finite bound where it lies above. NaN without events, without a
   * finite bound, where a bucket has no rate or nothing says how many events there are in all.
   *
   * @param events rate of all events, NaN = not known: stands for a missing bucket without bound
   */
  double p95(boolean full, double events, Tally tally) {
    double[] upTo = full ? fulls : rates;
    boolean infinite = Double.isInfinite(bounds[size - 1]);
    int finite = infinite ? size - 1 : size;
    double total = infinite ? upTo[size - 1] : events;
    if (finite == 0 || tooMany || !rising(upTo, finite, tally)) {
      return Double.NaN;
    }
    total = Math.max(total, upTo[finite - 1]);
    if (!(total > 0)) {
      return Double.NaN;
    }
    double rank = QUANTILE * total;
    int at = 0;
    while (at < finite && upTo[at] < rank) {
      at++;
    }
    return at == finite ? bounds[finite - 1] : within(upTo, at, rank);
  }

  /** Makes each bucket at least as large as the one below it; false where one has no rate. */
  private static boolean rising(double[] upTo, int finite, Tally tally) {
    boolean told = false;
    for (int i = 0; i < finite; i++) {
      if (Double.isNaN(upTo[i])) {
        return false;
      }
      if (i > 0 && upTo[i] < upTo[i - 1]) {
        told |= upTo[i] < upTo[i - 1] * (1 - NOISE);
        upTo[i] = upTo[i - 1];
      }
    }
    if (told) {
      tally.add("buckets_fell");
    }
    return true;
  }

  private double within(double[] upTo, int bucket, double rank) {
    double below = bucket == 0 ? 0 : upTo[bucket - 1];
    double from = bucket == 0 ? Math.min(0, bounds[0]) : bounds[bucket - 1];
    double inside = upTo[bucket] - below;
    double share = inside > 0 ? (rank - below) / inside : 1;
    return from + share * (bounds[bucket] - from);
  }

  void copy(Buckets from) {
    bounds = from.bounds.clone();
    rates = from.rates.clone();
    fulls = from.fulls.clone();
    size = from.size;
    tooMany = from.tooMany;
    before = from.before;
  }

  void write(DataOutputView out) throws IOException {
    out.writeLong(before);
    out.writeBoolean(tooMany);
    out.writeShort(size);
    for (int i = 0; i < size; i++) {
      out.writeDouble(bounds[i]);
      out.writeDouble(rates[i]);
      out.writeDouble(fulls[i]);
    }
  }

  void read(DataInputView in) throws IOException {
    before = in.readLong();
    tooMany = in.readBoolean();
    for (int i = in.readShort(); i > 0; i--) {
      insert(size, in.readDouble(), in.readDouble(), in.readDouble());
    }
  }
}
