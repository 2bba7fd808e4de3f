package io.faultline.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.faultline.records.SeriesKey;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HistogramTest {
  private static final double NONE = Double.NaN;
  private static final double INFINITY = Double.POSITIVE_INFINITY;

  private final Map<String, Integer> counts = new TreeMap<>();
  private final Tally tally = reason -> counts.merge(reason, 1, Integer::sum);
  private final Histogram histogram = new Histogram(SeriesKey.of("rpc"));

  private Reading at(long time, double rate) {
    return at(time, rate, rate);
  }

  private Reading at(long time, double rate, double full) {
    Reading at = new Reading().set(time, 0, 0, Role.PLAIN, tally);
    at.rate = rate;
    at.full = full;
    return at;
  }

  /** Buckets as bound, rate, bound, rate... */
  private void buckets(long time, double... boundsAndRates) {
    for (int i = 0; i < boundsAndRates.length; i += 2) {
      histogram.bucket(boundsAndRates[i], at(time, boundsAndRates[i + 1]));
    }
  }

  private double p95(long time) {
    return histogram.p95(time, tally);
  }

  @Test
  void theMeanNeedsBothHalvesOfOneTime() {
    histogram.count(at(10, 4));
    assertEquals(NONE, histogram.mean(10));
    histogram.sum(at(10, 2));
    assertEquals(0.5, histogram.mean(10));
    histogram.count(at(20, 4));
    assertEquals(NONE, histogram.mean(20));
  }

  @Test
  void theMeanOfNegativeValuesIsNegative() {
    histogram.count(at(10, 4));
    histogram.sum(at(10, -8));
    assertEquals(-2, histogram.mean(10));
  }

  @Test
  void noEventsNoMean() {
    histogram.count(at(10, 0));
    histogram.sum(at(10, 0));
    buckets(10, 0.1, 0, INFINITY, 0);
    assertEquals(NONE, histogram.mean(10));
    assertEquals(NONE, p95(10));
  }

  @Test
  void theQuantileIsLinearWithinItsBucket() {
    buckets(10, INFINITY, 100, 0.1, 50, 0.5, 100);
    assertEquals(0.1 + 0.4 * 0.9, p95(10), 1e-12);
  }

  @Test
  void theFirstBucketBeginsAtZeroOrIsItsBound() {
    buckets(10, 0.2, 100, INFINITY, 100);
    assertEquals(0.95 * 0.2, p95(10), 1e-12);
    buckets(20, -3, 100, INFINITY, 100);
    assertEquals(NONE, p95(20), "other bounds");
    buckets(30, -3, 100, INFINITY, 100);
    assertEquals(-3, p95(30), 1e-12);
  }

  @Test
  void aboveTheLastBoundItIsThatBound() {
    buckets(10, 0.1, 50, INFINITY, 100);
    assertEquals(0.1, p95(10));
  }

  @Test
  void bucketsOfAnotherTimeDoNotMix() {
    buckets(10, 0.1, 50, INFINITY, 100);
    buckets(20, 0.1, 50);
    assertEquals(NONE, p95(20));
    assertEquals(NONE, p95(10));
  }

  @Test
  void theCountStandsForAMissingBucketWithoutBound() {
    buckets(10, 0.1, 50, 0.5, 100);
    assertEquals(NONE, p95(10), "nothing says how many there are");
    buckets(20, 0.1, 50, 0.5, 90);
    histogram.count(at(20, 100));
    assertEquals(0.5, p95(20));
  }

  @Test
  void aBucketAloneSaysNothing() {
    buckets(10, INFINITY, 100);
    assertEquals(NONE, p95(10));
  }

  @Test
  void aBucketThatFellIsAtLeastTheOneBelow() {
    buckets(10, 0.1, 90, 0.5, 80, 1, 100, INFINITY, 100);
    assertEquals(0.5 + 0.5 * 0.5, p95(10), 1e-12);
    assertEquals(Map.of("buckets_fell", 1), counts);
  }

  @Test
  void fewerInAllThanInABucketIsAsMany() {
    buckets(10, 0.1, 50, 0.5, 100, INFINITY, 0);
    assertEquals(0.1 + 0.4 * 0.9, p95(10), 1e-12);
  }

  @Test
  void aBucketWithoutARateIsNoQuantile() {
    buckets(10, 0.1, 50, 0.5, NONE, INFINITY, 100);
    assertEquals(NONE, p95(10));
  }

  @Test
  void otherBoundsThanBeforeAreNoQuantileOnce() {
    buckets(10, 0.1, 50, 0.5, 100, INFINITY, 100);
    p95(10);
    buckets(20, 0.1, 50, INFINITY, 100);
    assertEquals(NONE, p95(20), "one was lost, or they changed");
    buckets(30, 0.1, 50, INFINITY, 100);
    assertEquals(0.1, p95(30), "they changed");
    assertEquals(Map.of("bounds_changed", 1), counts);
  }

  @Test
  void boundsOfDeltasMayChange() {
    buckets(10, 0.1, 50, INFINITY, 100);
    Reading at = at(20, 100);
    at.delta = true;
    histogram.bucket(0.5, at);
    histogram.bucket(INFINITY, at);
    assertEquals(0.475, p95(20), 1e-12);
  }

  private Reading alone(long time, double rate) {
    Reading at = at(time, rate);
    at.alone = true;
    return at;
  }

  /** What one instance sends is whole: a bound that is new has no rate yet, and the others do. */
  @Test
  void boundsOfOneInstanceMayChange() {
    histogram.bucket(0.1, alone(10, 50));
    histogram.bucket(INFINITY, alone(10, 100));
    assertEquals(0.1, p95(10));
    histogram.bucket(0.1, alone(20, 50));
    histogram.bucket(0.5, at(20, Double.NaN));
    histogram.bucket(2, alone(20, 100));
    histogram.bucket(INFINITY, alone(20, 100));
    assertEquals(0.1 + 0.9 * 1.9, p95(20), 1e-12);
    histogram.bucket(0.5, alone(30, 100));
    histogram.bucket(INFINITY, alone(30, 100));
    assertEquals(0.475, p95(30), 1e-12);
    assertEquals(Map.of(), counts);
  }

  @Test
  void boundsOfSeveralInstancesMayNot() {
    histogram.bucket(0.1, alone(10, 50));
    histogram.bucket(INFINITY, at(10, 100));
    assertEquals(0.1, p95(10));
    histogram.bucket(0.5, alone(20, 50));
    histogram.bucket(INFINITY, at(20, 100));
    assertEquals(NONE, p95(20));
    assertEquals(Map.of("bounds_changed", 1), counts);
  }

  @Test
  void oneRestartIsARestartOfAllParts() {
    Reading fell = at(10, 20, 20);
    fell.restarted = true;
    histogram.count(fell);
    histogram.sum(at(10, -70, 4));
    histogram.bucket(0.1, at(10, 8, 10));
    histogram.bucket(INFINITY, fell);
    assertEquals(0.2, histogram.mean(10), 1e-12);
    assertEquals(0.1, p95(10));
  }

  @Test
  void instancesThatCannotBeToldApartHaveTrafficOnly() {
    Reading mixed = at(10, 20);
    mixed.mixed = true;
    histogram.count(mixed);
    histogram.sum(at(10, 4));
    buckets(10, 0.1, 10, INFINITY, 20);
    assertEquals(NONE, histogram.mean(10));
    assertEquals(NONE, p95(10));
  }

  @Test
  void aBoundThatIsNoneIsCounted() {
    histogram.bucket(NONE, at(10, 1));
    assertEquals(NONE, p95(10));
    assertEquals(Map.of("bad_bound", 1), counts);
  }
}
