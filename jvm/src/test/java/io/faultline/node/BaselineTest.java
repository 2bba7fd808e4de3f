package io.faultline.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.records.Kind;
import io.faultline.records.Signal;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class BaselineTest {
  private static final int WINDOW = 10;
  private static final Resolved CPU = resolved(Signal.CPU, 1.0);
  private static final Resolved AVAILABILITY = resolved(Signal.AVAILABILITY, 0.01);

  private Baseline baseline = new Baseline(WINDOW);
  private long tick;

  private static Resolved resolved(Signal signal, double factor) {
    return new Resolved(signal, null, factor, Kind.GAUGE, Role.PLAIN, false, true, List.of(), null);
  }

  /** Judges and takes a value of the next tick; returns its z. */
  private double next(double value, Resolved series) {
    double z = baseline.frameZ(value, series);
    baseline.take(value, z, tick++);
    return z;
  }

  private void learn(int ticks, double value) {
    for (int i = 0; i < ticks; i++) {
      next(value + (i % 3 - 1) * 0.1 * value, CPU);
    }
  }

  @Test
  void aValueEntersAfterAWindow() {
    for (int i = 0; i < WINDOW; i++) {
      next(1, CPU);
      assertEquals(0, baseline.size());
    }
    next(1, CPU);
    assertEquals(1, baseline.size());
  }

  @Test
  void theHabitIsTheUsualGap() {
    assertEquals(0, baseline.gap());
    next(1, CPU);
    assertEquals(0, baseline.gap(), "one value has no gap");
    for (int i = 0; i < 60; i++) {
      tick += 3;
      next(1, CPU);
    }
    assertEquals(4, baseline.gap(), 0.01);
    tick += 200;
    next(1, CPU);
    assertTrue(baseline.gap() < 4.8, "one long silence is no habit");
    for (int i = 0; i < 200; i++) {
      next(1, CPU);
    }
    assertEquals(1, baseline.gap(), 0.05, "a habit changes");
  }

  @Test
  void ticksWithoutAValuePassToo() {
    next(1, CPU);
    next(1, CPU);
    tick += 8;
    next(1, CPU);
    assertEquals(1, baseline.size());
    tick += 1_000_000_000L;
    next(1, CPU);
    assertEquals(3, baseline.size());
  }

  @Test
  void underFiveValuesItIsCold() {
    learn(WINDOW + 4, 100);
    assertTrue(baseline.cold());
    assertEquals(Double.NaN, baseline.z(100, CPU));
    assertEquals(Double.NaN, baseline.rel(100, CPU));
    learn(1, 100);
    assertFalse(baseline.cold());
    assertEquals(Double.NaN, new Baseline(WINDOW).z(1, CPU));
  }

  @Test
  void anAnomalousTickNeverEntersAndNothingEntersMeanwhile() {
    learn(40, 100);
    int size = baseline.size();
    double median = baseline.median(CPU);
    for (int i = 0; i < 20; i++) {
      assertTrue(next(500, CPU) > Baseline.ANOMALOUS_Z);
      assertTrue(baseline.frozen());
    }
    assertEquals(size, baseline.size());
    next(100, CPU);
    assertFalse(baseline.frozen());
    for (int i = 0; i < 2 * WINDOW; i++) {
      next(100, CPU);
    }
    assertEquals(median, baseline.median(CPU), 1e-6);
    assertEquals(1.0, baseline.z(100 + baseline.scale(CPU), CPU), 0.1);
  }

  @Test
  void aLevelThatStaysIsAdopted() {
    learn(60, 100);
    for (int i = 1; i < Baseline.LONGEST_FREEZE; i++) {
      assertFalse(baseline.take(500, baseline.z(500, CPU), tick++));
    }
    assertTrue(baseline.take(500, baseline.z(500, CPU), tick++));
    assertFalse(baseline.frozen());
    assertEquals(WINDOW, baseline.size());
    assertEquals(500, baseline.median(CPU));
    assertEquals(0, baseline.z(500, CPU));
  }

  @Test
  void theScaleHasARelativeFloor() {
    learn(0, 0);
    for (int i = 0; i < 30; i++) {
      next(100, CPU);
    }
    assertEquals(2.0, baseline.scale(CPU), 1e-6);
    assertEquals(0.5, baseline.z(101, CPU), 1e-6);
    assertEquals(Math.log(205.0 / 105.0), baseline.rel(200, CPU), 1e-6);
  }

  @Test
  void aSeriesThatNeverVariedHasAFixedZ() {
    for (int i = 0; i < 30; i++) {
      next(0, CPU);
    }
    assertEquals(0, baseline.scale(CPU));
    assertEquals(0, baseline.z(0, CPU));
    assertEquals(8, baseline.z(0.001, CPU));
    assertEquals(-8, baseline.z(-5, CPU));
    assertEquals(4, baseline.rel(1, CPU), "clipped");
  }

  @Test
  void patternsSeeNoZUntilAConstantHasBeenConstantForLong() {
    for (int i = 0; i < WINDOW + 19; i++) {
      next(0, CPU);
    }
    assertEquals(19, baseline.size());
    assertTrue(Double.isNaN(baseline.sampleZ(1, CPU)));
    assertEquals(8, baseline.z(1, CPU));
    next(0, CPU);
    assertEquals(8, baseline.sampleZ(1, CPU));
  }

  @Test
  void patternsSeeLessOfADeviationFromAShortPast() {
    learn(WINDOW + 5, 1);
    assertEquals(5, baseline.size());
    double few = sampleZOf(10);
    assertTrue(few > 3 && few < 4, "ten of the scale, from five values: " + few);
    assertEquals(-few, sampleZOf(-10), 1e-12);
    learn(15, 1);
    double more = sampleZOf(10);
    assertTrue(more > 5 && more < 7, "ten of the scale, from twenty values: " + more);
    assertTrue(sampleZOf(1) > 0.95, "what is usual stays what it is");
    learn(Ring.CAPACITY, 1);
    assertEquals(10, sampleZOf(10), 1e-6);
  }

  /** What patterns see of a value that lies so many scales over the median. */
  private double sampleZOf(double scales) {
    return baseline.sampleZ(baseline.median(CPU) + scales * baseline.scale(CPU), CPU);
  }

  @Test
  void availabilityIsJudgedByWhatIsUnavailable() {
    for (int i = 0; i < 30; i++) {
      next(99.9, AVAILABILITY);
    }
    assertEquals(0.3, baseline.scale(AVAILABILITY), 1e-6);
    assertEquals(-10, baseline.z(96.9, AVAILABILITY), 1e-3);
    assertEquals(10, baseline.frameZ(96.9, AVAILABILITY), 1e-3);
    assertTrue(baseline.frameRel(96.9, AVAILABILITY) > 0);
    assertTrue(baseline.rel(96.9, CPU) < 0);
    assertEquals(0.001, baseline.frameLevel(AVAILABILITY), 1e-6);
    assertFalse(baseline.absent(AVAILABILITY));
  }

  @Test
  void anAvailabilityThatIsAlwaysZeroIsAbsent() {
    for (int i = 0; i < 30; i++) {
      next(0, AVAILABILITY);
    }
    assertTrue(baseline.absent(AVAILABILITY));
    assertFalse(baseline.absent(CPU));
  }

  @Test
  void anExtremeValueStaysFinite() {
    learn(30, 100);
    assertEquals(1e4, next(Double.MAX_VALUE, CPU));
    assertEquals(-1e4, next(-Double.MAX_VALUE, CPU));
  }

  /** Copied or written and read at any tick, it goes on as if nothing had happened. */
  @Test
  void itSurvivesARestoreAnywhere() throws IOException {
    Random random = new Random(7);
    Baseline kept = new Baseline(WINDOW);
    for (int i = 0; i < 500; i++) {
      tick += random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 1;
      boolean fault = i % 100 > 50 && i % 100 < 60 || i > 440;
      double value = Math.exp(random.nextGaussian() * 0.2) * (fault ? 50 : 1);
      baseline = i % 2 == 0 ? baseline.copy() : restored(baseline);
      double z = kept.frameZ(value, CPU);
      assertEquals(z, baseline.frameZ(value, CPU));
      assertEquals(kept.take(value, z, tick), baseline.take(value, z, tick));
      assertEquals(kept.size(), baseline.size());
      assertEquals(kept.frozen(), baseline.frozen());
    }
  }

  private static Baseline restored(Baseline baseline) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    baseline.write(out);
    return Baseline.read(new DataInputDeserializer(out.getCopyOfBuffer()), 3);
  }

  @Test
  void anotherWindowKeepsTheValues() {
    learn(30, 100);
    Baseline shorter = baseline.withWindow(4);
    assertEquals(20, shorter.size());
    shorter.take(100, 0, tick);
    assertEquals(27, shorter.size());
    Baseline longer = baseline.withWindow(20);
    longer.take(100, 0, tick);
    assertEquals(20, longer.size());
  }
}
