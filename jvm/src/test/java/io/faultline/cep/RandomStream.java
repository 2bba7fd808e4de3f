package io.faultline.cep;

import io.faultline.records.Block;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Random samples of several series, as they arrive.
 *
 * @param until results after this time do not count
 */
record RandomStream(List<SampleEvent> events, long lateness, long until) {
  private static final int NODES = 3;
  private static final long START = 1_000_000;

  /**
   * Pauses, equal times, and samples that arrive after later ones, within the lateness. The clock
   * shows each millisecond, so that stock CEP sees a watermark for each.
   */
  static RandomStream sparse(long seed, int samples) {
    Random random = new Random(seed);
    List<SampleEvent> out = new ArrayList<>();
    long time = START;
    int number = 0;
    while (number < samples) {
      for (int pause = random.nextInt(6); pause > 0; pause--) {
        out.add(tick(++time));
      }
      for (String metric : List.of("a", "b", "c", "d")) {
        if (random.nextInt(4) == 0) {
          String node = "n" + random.nextInt(NODES);
          out.add(StockCep.event(node, metric, time, random.nextInt(100), number++));
        }
      }
    }
    return late(out, time, random, random.nextInt(3) * 4L, Long.MAX_VALUE);
  }

  /**
   * Every series has a sample in every millisecond, so that stock CEP, which has no timers for the
   * windows of steps, looks at each key in time; what it has not looked at in the end does not
   * count.
   */
  static RandomStream dense(long seed, int ms) {
    Random random = new Random(seed);
    List<SampleEvent> out = new ArrayList<>();
    int number = 0;
    for (long time = START; time < START + ms; time++) {
      out.add(tick(time));
      for (String metric : List.of("a", "b", "d")) {
        out.add(StockCep.event("n0", metric, time, random.nextInt(100), number++));
      }
    }
    return late(out, START + ms - 1, random, 0, START + ms - 1);
  }

  private static SampleEvent tick(long time) {
    return StockCep.event(StockCep.CLOCK, "clock", time, 0, 0);
  }

  /** In order of arrival: each sample as late as it may be, at most; then time runs out. */
  private static RandomStream late(
      List<SampleEvent> events, long last, Random random, long lateness, long until) {
    record Arrival(long at, SampleEvent event) {}
    List<Arrival> arrivals = new ArrayList<>();
    for (SampleEvent e : events) {
      boolean clock = e.series().node().equals(StockCep.CLOCK);
      long delay = clock || lateness == 0 ? 0 : random.nextInt((int) lateness + 1);
      arrivals.add(new Arrival(e.time() + delay, e));
    }
    arrivals.sort(Comparator.comparingLong(Arrival::at));
    List<SampleEvent> out = new ArrayList<>(arrivals.stream().map(Arrival::event).toList());
    order(out);
    for (long time = last; time < last + 200 + lateness; time++) {
      out.add(tick(time));
    }
    return new RandomStream(out, lateness, until);
  }

  /** Samples of one time arrive as the job orders them, by what they are: stock CEP keeps that. */
  private static void order(List<SampleEvent> events) {
    Map<Long, List<Integer>> places = new HashMap<>();
    for (int i = 0; i < events.size(); i++) {
      if (!events.get(i).series().node().equals(StockCep.CLOCK)) {
        places.computeIfAbsent(events.get(i).time(), time -> new ArrayList<>()).add(i);
      }
    }
    for (List<Integer> of : places.values()) {
      List<SampleEvent> ordered = new ArrayList<>(of.stream().map(events::get).toList());
      ordered.sort(Comparator.comparing(HostedCep::block, Block.ORDER));
      for (int i = 0; i < ordered.size(); i++) {
        events.set(of.get(i), ordered.get(i));
      }
    }
  }

  RandomStream with(List<SampleEvent> fewer) {
    return new RandomStream(fewer, lateness, until);
  }
}
