package io.faultline.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Merged buckets against the buckets that were sent, one by one. */
class ExponentialMergeTest {
  private final ExponentialMerge merge = new ExponentialMerge();

  private static ExponentialPoint random(Random random) {
    ExponentialPoint point = new ExponentialPoint();
    point.scale = random.nextInt(16) - 5;
    point.zeroCount = random.nextInt(3);
    point.positive.offset = random.nextInt(60) - 30;
    point.negative.offset = random.nextInt(60) - 30;
    for (int i = random.nextInt(90); i > 0; i--) {
      point.positive.counts.add(random.nextInt(4));
    }
    for (int i = random.nextInt(3) * 10; i > 0; i--) {
      point.negative.counts.add(random.nextInt(4));
    }
    return point;
  }

  private static double edge(int index, int scale) {
    return Math.pow(2, Math.scalb((double) index, -scale));
  }

  /** Events in the buckets that end at the bound or below it, as sent. */
  private static double sentUpTo(ExponentialPoint point, double bound) {
    double slack = Math.abs(bound) * 1e-5;
    double total = bound >= point.zeroThreshold ? point.zeroCount : 0;
    for (int i = 0; i < point.positive.counts.size(); i++) {
      boolean below = edge(point.positive.offset + i + 1, point.scale) <= bound + slack;
      total += below ? point.positive.counts.get(i) : 0;
    }
    for (int i = 0; i < point.negative.counts.size(); i++) {
      boolean below = -edge(point.negative.offset + i, point.scale) <= bound + slack;
      total += below ? point.negative.counts.get(i) : 0;
    }
    return total;
  }

  @Test
  void countsUpToABoundAreThoseOfTheSentBuckets() {
    for (int seed = 0; seed < 2_000; seed++) {
      ExponentialPoint point = random(new Random(seed));
      merge.merge(point);
      for (boolean addsUp : new boolean[] {true, false}) {
        ExponentialGrid grid = new ExponentialGrid(merge, addsUp);
        for (int i = 0; i < grid.bounds().size(); i++) {
          double bound = grid.bounds().get(i);
          String about = "seed " + seed + " bound " + bound;
          assertEquals(sentUpTo(point, bound), merge.upTo(grid.below(i)), about);
          assertTrue(i == 0 || bound > grid.bounds().get(i - 1), about);
        }
      }
      assertEquals(sentUpTo(point, Double.MAX_VALUE), merge.upTo(merge.size), "seed " + seed);
    }
  }

  @Test
  void bucketsStayFew() {
    for (int seed = 0; seed < 2_000; seed++) {
      ExponentialPoint point = random(new Random(seed));
      merge.merge(point);
      assertTrue(merge.size <= 26, "seed " + seed + " size " + merge.size);
      assertTrue(merge.scale <= Math.min(3, point.scale), "seed " + seed);
    }
  }

  /** What a sender sends after it has halved its scale has bounds that were there before. */
  @Test
  void aCoarserScaleGivesNoBoundThatIsNew() {
    for (int seed = 0; seed < 500; seed++) {
      ExponentialPoint fine = random(new Random(seed));
      fine.negative.counts.clear();
      merge.merge(fine);
      if (merge.positive.size == 0 || merge.scale < 0) {
        continue;
      }
      ExponentialGrid grid = new ExponentialGrid(merge, true);
      ExponentialPoint coarse = halved(fine);
      merge.merge(coarse);
      ExponentialGrid later = new ExponentialGrid(merge, true);
      for (int i = 0; i < later.bounds().size(); i++) {
        double bound = later.bounds().get(i);
        double first = grid.bounds().get(0);
        double last = grid.bounds().get(grid.bounds().size() - 1);
        boolean within = bound >= first && bound <= last;
        assertTrue(!within || contains(grid.bounds(), bound), "seed " + seed + " " + bound);
      }
    }
  }

  private static ExponentialPoint halved(ExponentialPoint fine) {
    ExponentialPoint out = new ExponentialPoint();
    out.scale = fine.scale - 1;
    out.zeroCount = fine.zeroCount;
    int first = fine.positive.offset >> 1;
    int last = (fine.positive.offset + fine.positive.counts.size() - 1) >> 1;
    double[] counts = new double[last - first + 1];
    for (int i = 0; i < fine.positive.counts.size(); i++) {
      counts[((fine.positive.offset + i) >> 1) - first] += fine.positive.counts.get(i);
    }
    out.positive.offset = first;
    for (double count : counts) {
      out.positive.counts.add(count);
    }
    return out;
  }

  private static boolean contains(DoubleList bounds, double bound) {
    for (int i = 0; i < bounds.size(); i++) {
      if (bounds.get(i) == bound) {
        return true;
      }
    }
    return false;
  }
}
