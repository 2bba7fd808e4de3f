package io.faultline.node;

import static io.faultline.node.Given.T0;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** What holds for the rates of any process that only counts up. */
class CounterPropertyTest {
  private static final String SEED = "-4711";
  private static final double MOST = 10;

  /** Between two points: ms, calls per second, and whether it was restarted halfway. */
  record Step(int ms, double perSecond, boolean restart) {}

  /** A point as it is sent. */
  record Sent(long time, double value, long start) {}

  /** A rate that came out. */
  record Rate(long time, double value) {}

  @Provide
  Arbitrary<List<Step>> process() {
    Arbitrary<Integer> ms = Arbitraries.integers().between(1_000, 40_000);
    Arbitrary<Double> perSecond = Arbitraries.doubles().between(1, MOST).ofScale(3);
    Arbitrary<Boolean> restart = Arbitraries.of(false, false, false, true);
    return Combinators.combine(ms, perSecond, restart)
        .as(Step::new)
        .list()
        .ofMinSize(2)
        .ofMaxSize(30);
  }

  /** The points of a process, the first of them after its first step. */
  private static List<Sent> points(List<Step> steps, long begin, boolean said) {
    List<Sent> points = new ArrayList<>();
    long start = begin;
    long time = begin;
    double value = 0;
    for (Step step : steps) {
      boolean restart = step.restart && points.size() > 1;
      long from = restart ? time + step.ms / 2 : time;
      start = restart ? from : start;
      time += step.ms;
      value = (restart ? 0 : value) + step.perSecond * (time - from) / 1000.0;
      points.add(new Sent(time, value, said ? start : 0));
    }
    return points;
  }

  private static List<Rate> rates(Counter counter, List<Sent> points, boolean delta) {
    List<Rate> rates = new ArrayList<>();
    Reading at = new Reading();
    for (Sent sent : points) {
      at.set(sent.time, sent.value, sent.start, Role.PLAIN, reason -> {});
      if (delta) {
        Delta.read(counter, at);
      } else {
        Cumulative.read(counter, at);
      }
      if (!Double.isNaN(at.rate)) {
        rates.add(new Rate(sent.time, at.rate));
      }
    }
    return rates;
  }

  private static void assertWithin(double most, List<Rate> rates) {
    for (Rate rate : rates) {
      assertTrue(rate.value >= 0 && rate.value <= most * (1 + 1e-9), rates::toString);
    }
  }

  /**
   * Growth from point to point as it can be seen: a smaller value, or a new start, is from zero.
   */
  private static double growth(List<Sent> points) {
    double growth = 0;
    for (int i = 1; i < points.size(); i++) {
      Sent before = points.get(i - 1);
      Sent sent = points.get(i);
      boolean anew = sent.start != before.start || sent.value < before.value;
      growth += anew ? sent.value : sent.value - before.value;
    }
    return growth;
  }

  /** How many restarts show without a start time. */
  private static int restarts(List<Sent> points) {
    int falls = 0;
    for (int i = 1; i < points.size(); i++) {
      falls += points.get(i).value < points.get(i - 1).value ? 1 : 0;
    }
    return falls;
  }

  private static double area(List<Rate> rates, List<Sent> points) {
    double area = 0;
    for (Rate rate : rates) {
      int at = 0;
      while (points.get(at).time != rate.time) {
        at++;
      }
      area += rate.value * (rate.time - points.get(at - 1).time) / 1000.0;
    }
    return area;
  }

  @Property(seed = SEED)
  void ratesAddUpToTheGrowth(@ForAll("process") List<Step> steps, @ForAll boolean said) {
    List<Sent> points = points(steps, T0, said);
    Assume.that(said || restarts(points) == steps.stream().skip(2).filter(Step::restart).count());
    List<Rate> rates = rates(new Counter(), points, false);
    assertEquals(points.size() - 1, rates.size());
    assertWithin(MOST, rates);
    assertEquals(growth(points), area(rates, points), 1e-6);
  }

  /** The first two points are there: a restart before any rate is known is in doubt. */
  @Property(seed = SEED)
  void repeatedAndLostPointsGiveNoRateThatNeverWas(
      @ForAll("process") List<Step> steps,
      @ForAll boolean said,
      @ForAll @Size(max = 40) List<@IntRange(max = 29) Integer> repeated,
      @ForAll @Size(max = 5) List<@IntRange(min = 2, max = 29) Integer> lost) {
    List<Sent> points = points(steps, T0, said);
    List<Sent> sent = new ArrayList<>();
    for (int i = 0; i < points.size(); i++) {
      if (!lost.contains(i)) {
        sent.add(points.get(i));
      }
      for (int again : repeated) {
        if (again <= i && (again + i) % 3 == 0 && !lost.contains(again)) {
          sent.add(points.get(again));
        }
      }
    }
    assertWithin(MOST, rates(new Counter(), sent, false));
  }

  @Property(seed = SEED)
  void pointsInOrderOfTimeGiveEachRateOnce(
      @ForAll("process") List<Step> steps,
      @ForAll boolean said,
      @ForAll @Size(max = 40) List<@IntRange(max = 29) Integer> repeated) {
    List<Sent> points = points(steps, T0, said);
    List<Sent> sent = new ArrayList<>(points);
    repeated.stream().filter(i -> i < points.size()).forEach(i -> sent.add(points.get(i)));
    sent.sort(Comparator.comparingLong(Sent::time));
    assertEquals(rates(new Counter(), points, false), rates(new Counter(), sent, false));
  }

  @Property(seed = SEED)
  void instancesNeverAddUpToMoreThanAllOfThem(
      @ForAll @Size(min = 1, max = 5) List<@IntRange(min = 0, max = 100_000) Integer> levels,
      @ForAll @Size(min = 5, max = 5) List<@IntRange(max = 9_999) Integer> phases) {
    List<Sent> sent = new ArrayList<>();
    for (int i = 0; i < levels.size(); i++) {
      long start = T0 - 1_000_000 - 5_000L * i;
      for (int k = 0; k < 12; k++) {
        long time = T0 + 10_000L * k + phases.get(i);
        sent.add(new Sent(time, levels.get(i) + (i + 1) * (time - T0) / 1000.0, start));
      }
    }
    sent.sort(Comparator.comparingLong(Sent::time));
    int n = levels.size();
    double all = n * (n + 1) / 2.0;
    List<Rate> rates = rates(new Counter(), sent, false);
    assertWithin(all, rates);
    assertEquals(all, rates.get(rates.size() - 1).value, 1e-6);
  }

  @Property(seed = SEED)
  void twoScrapersOfOneTargetShowItsRate(
      @ForAll("process") List<Step> steps,
      @ForAll @Size(min = 30, max = 30) List<@IntRange(min = -499, max = 499) Integer> offsets) {
    List<Step> without = steps.stream().map(s -> new Step(s.ms, s.perSecond, false)).toList();
    List<Sent> points = points(without, T0, false);
    List<Sent> sent = new ArrayList<>(points);
    for (int i = 0; i < points.size(); i++) {
      Sent point = points.get(i);
      sent.add(new Sent(point.time + offsets.get(i), point.value, 0));
    }
    sent.sort(Comparator.comparingLong(Sent::time));
    for (Rate rate : rates(new Counter(), sent, false)) {
      assertTrue(rate.value >= 0 && rate.value <= 3 * MOST, rate::toString);
    }
  }

  @Property(seed = SEED)
  void deltasAddUpToTheGrowth(
      @ForAll @Size(min = 1, max = 20) List<@IntRange(min = 1, max = 60_000) Integer> intervals,
      @ForAll boolean said) {
    List<Sent> points = new ArrayList<>();
    long time = T0;
    double held = 0;
    double from = T0;
    double expected = 0;
    for (int interval : intervals) {
      points.add(new Sent(time + interval, interval / 500.0, said ? time : 0));
      time += interval;
    }
    Counter counter = new Counter();
    if (!said) {
      Delta.read(counter, new Reading().set(T0, 7, 0, Role.PLAIN, reason -> {}));
    }
    for (Rate rate : rates(counter, points, true)) {
      assertEquals(2, rate.value, 1e-9);
      expected += rate.value * (rate.time - from) / 1000.0;
      from = rate.time;
    }
    double all = points.stream().mapToDouble(Sent::value).sum();
    held = (time - from) / 500.0;
    assertEquals(all, expected + held, 1e-6);
    assertTrue(held < 1, "no more than half a second is held back");
  }

  @Property(seed = SEED)
  void aRestoreAnywhereChangesNothing(
      @ForAll @Size(min = 1, max = 40) List<@IntRange(max = 20) Integer> values,
      @ForAll @Size(min = 40, max = 40) List<@IntRange(max = 3) Integer> starts,
      @ForAll @Size(min = 40, max = 40) List<@IntRange(max = 3) Integer> gaps,
      @ForAll boolean delta)
      throws IOException {
    Counter kept = new Counter();
    Counter restored = new Counter();
    long time = T0;
    for (int i = 0; i < values.size(); i++) {
      time += List.of(0, 300, 10_000, 400_000).get(gaps.get(i));
      long start = List.of(0L, T0 - 60_000, time - 5_000, time).get(starts.get(i));
      List<Sent> one = List.of(new Sent(time, values.get(i), start));
      restored = Points.restored(restored.copy());
      assertEquals(rates(kept, one, delta), rates(restored, one, delta));
    }
  }
}
