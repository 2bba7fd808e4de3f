package io.faultline.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.faultline.records.SeriesKey;
import org.junit.jupiter.api.Test;

class HistogramTest {
  private static final double NONE = Double.NaN;

  private final Histogram histogram = new Histogram(SeriesKey.of("rpc"));

  @Test
  void theMeanNeedsBothHalvesOfOneTime() {
    histogram.count(10, 4);
    assertEquals(NONE, histogram.mean(10));
    histogram.sum(10, 2);
    assertEquals(0.5, histogram.mean(10));
    histogram.count(20, 4);
    assertEquals(NONE, histogram.mean(20));
  }

  @Test
  void noEventsNoMean() {
    histogram.count(10, 0);
    histogram.sum(10, 0);
    assertEquals(NONE, histogram.mean(10));
    assertEquals(NONE, histogram.p95(10));
  }

  @Test
  void theQuantileIsLinearWithinItsBucket() {
    histogram.bucket(10, Double.POSITIVE_INFINITY, 100);
    histogram.bucket(10, 0.1, 50);
    histogram.bucket(10, 0.5, 100);
    assertEquals(0.1 + 0.4 * 0.9, histogram.p95(10), 1e-12);
  }

  @Test
  void aboveTheLastBoundItIsThatBound() {
    histogram.bucket(10, 0.1, 50);
    histogram.bucket(10, Double.POSITIVE_INFINITY, 100);
    assertEquals(0.1, histogram.p95(10));
  }

  @Test
  void bucketsOfAnotherTimeDoNotMix() {
    histogram.bucket(10, 0.1, 50);
    histogram.bucket(10, Double.POSITIVE_INFINITY, 100);
    histogram.bucket(20, 0.1, 50);
    assertEquals(NONE, histogram.p95(20));
    assertEquals(NONE, histogram.p95(10));
  }
}
