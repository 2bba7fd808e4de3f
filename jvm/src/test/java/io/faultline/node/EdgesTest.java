package io.faultline.node;

import static io.faultline.node.Given.T0;
import static io.faultline.node.Given.TICK;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.records.Block;
import io.faultline.records.Edge;
import io.faultline.records.Kind;
import io.faultline.records.Layout;
import io.faultline.records.NodeFrame;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Edge series of one node: sums over what counts the same calls, and edges that follow. */
class EdgesTest {
  private static final long HOUR = 3_600_000;
  private static final String CALLS = "calls_total";
  private static final String FAILED = "calls_failed_total";

  private final NodeProcessor processor = new NodeProcessor(Given.config());
  private final NodeState state = Given.state();
  private final Recorded out = new Recorded();

  private static SeriesKey calls(String... labels) {
    return calls("web", Side.UNSAID, labels);
  }

  private static SeriesKey calls(String peer, Side side, String... labels) {
    return counter(CALLS, Signal.TRAFFIC, peer, side, labels);
  }

  private static SeriesKey counter(
      String metric, Signal signal, String peer, Side side, String... labels) {
    Map<String, String> all = new HashMap<>();
    for (int i = 0; i < labels.length; i += 2) {
      all.put(labels[i], labels[i + 1]);
    }
    return new SeriesKey(metric, SeriesKey.canonical(all), peer, side, Kind.COUNTER, signal, "1");
  }

  private void at(long second, SeriesKey key, double value) {
    processor.step(state, Given.block(T0 + second * 1_000, key, value), out);
  }

  private void starting(long second, SeriesKey key, double value, long startSecond) {
    long[] starts = {T0 + startSecond * 1_000};
    double[] values = {value};
    Block block = new Block("shop", "cart", T0 + second * 1_000, Layout.of(key), values, starts);
    processor.step(state, block, out);
  }

  private List<String> traffic() {
    processor.advance(state, state.time, out);
    return out.values(CALLS, T0);
  }

  private List<String> errors() {
    processor.advance(state, state.time, out);
    return out.values(FAILED, T0);
  }

  @Test
  void trafficIsTheSumAndErrorsAreTheFailed() {
    for (int t = 0; t <= 20; t += 10) {
      at(t, calls("failed", "false"), 50 * t / 10.0);
      at(t, calls("failed", "true"), 5 * t / 10.0);
    }
    assertEquals(List.of("10=5.5", "20=5.5"), traffic());
    assertEquals(List.of("10=0.5", "20=0.5"), errors());
  }

  @Test
  void withoutAnyFailedYetErrorsAreNought() {
    at(0, calls("failed", "false"), 0);
    at(10, calls("failed", "false"), 50);
    assertEquals(List.of("10=0.0"), errors());
  }

  @Test
  void withoutAWordOnFailuresThereAreNoErrors() {
    at(0, calls(), 0);
    at(10, calls(), 50);
    assertEquals(List.of("10=5.0"), traffic());
    assertEquals(List.of(), errors());
  }

  /** A response code shows up when things go wrong: its first value is news, not history. */
  @Test
  void aCodeSeenForTheFirstTimeCountsFromTheReportBefore() {
    at(0, calls("failed", "false", "response_code", "200"), 100);
    at(10, calls("failed", "false", "response_code", "200"), 200);
    at(20, calls("failed", "false", "response_code", "200"), 300);
    at(20, calls("failed", "true", "response_code", "503"), 40);
    at(30, calls("failed", "true", "response_code", "503"), 80);
    assertEquals(List.of("10=10.0", "20=14.0", "30=4.0"), traffic());
    assertEquals(List.of("10=0.0", "20=4.0", "30=4.0"), errors());
  }

  /** A job may begin to read in the middle of a scrape. */
  @Test
  void aCodeMissedInTheFirstReportIsNoBurst() {
    at(0, calls("failed", "false"), 1_000_000);
    at(10, calls("failed", "false"), 1_000_100);
    at(10, calls("failed", "true"), 2_000_000);
    at(20, calls("failed", "false"), 1_000_200);
    at(20, calls("failed", "true"), 2_000_010);
    assertEquals(List.of("10=10.0", "20=11.0"), traffic());
    assertEquals(List.of("10=0.0", "20=1.0"), errors());
  }

  @Test
  void aSeriesThatIsNoLongerSentHasStopped() {
    at(0, calls("failed", "false"), 0);
    at(0, calls("failed", "true"), 0);
    at(10, calls("failed", "false"), 50);
    at(10, calls("failed", "true"), 5);
    at(20, calls("failed", "false"), 100);
    assertEquals(List.of("10=5.5", "20=5.0"), traffic());
    assertEquals(List.of("10=0.5", "20=0.0"), errors());
  }

  @Test
  void instancesAddUpHoweverTheirScrapesLie() {
    for (int t = 0; t <= 30; t += 10) {
      at(t, calls("instance", "a"), 10 * t);
      at(t + 3, calls("instance", "b"), 20 * t);
    }
    assertEquals(List.of("13=30.0", "20=30.0", "23=30.0", "30=30.0", "33=30.0"), traffic());
  }

  @Test
  void anInstanceThatIsGoneCountsForOneMoreReport() {
    for (int t = 0; t <= 60; t += 10) {
      at(t, calls("instance", "a"), 10 * t);
      if (t <= 20) {
        at(t, calls("instance", "b"), 20 * t);
      }
    }
    assertEquals(
        List.of("10=30.0", "20=30.0", "30=30.0", "40=30.0", "50=10.0", "60=10.0"), traffic());
  }

  @Test
  void aFurtherInstanceDoesNotHoldUpTheSum() {
    for (int t = 0; t <= 40; t += 10) {
      at(t, calls("instance", "a"), 10 * t);
      if (t >= 20) {
        at(t, calls("instance", "b"), 1_000_000 + 20 * t);
      }
    }
    assertEquals(List.of("10=10.0", "20=10.0", "30=30.0", "40=30.0"), traffic());
  }

  @Test
  void failedCallsToldTwiceCountOnce() {
    SeriesKey told = counter(FAILED, Signal.ERRORS, "web", Side.UNSAID, "failed", "true");
    for (int t = 0; t <= 20; t += 10) {
      at(t, calls("failed", "false"), 50 * t / 10.0);
      at(t, calls("failed", "true"), 5 * t / 10.0);
      at(t, told, 5 * t / 10.0);
    }
    assertEquals(List.of("10=5.5", "20=5.5"), traffic());
    assertEquals(List.of("10=0.5", "20=0.5"), errors());
  }

  @Test
  void failedCallsOfAMetricOfTheirOwnAreEnough() {
    SeriesKey told = counter("calls.failed.total", Signal.ERRORS, "web", Side.UNSAID);
    for (int t = 0; t <= 20; t += 10) {
      at(t, told, t);
    }
    processor.advance(state, state.time, out);
    assertEquals(List.of("10=1.0", "20=1.0"), out.values("calls.failed.total", T0));
    assertEquals(List.of(), out.values("calls.total", T0));
  }

  @Test
  void oneEndCountsAndTheOtherStandsBy() {
    for (int t = 0; t <= 60; t += 10) {
      at(t, calls("web", Side.CLIENT), 11 * t);
      if (t <= 20) {
        at(t + 2, calls("web", Side.SERVER), 10 * t);
      }
    }
    assertEquals(List.of("12=10.0", "22=10.0", "50=11.0", "60=11.0"), traffic());
  }

  @Test
  void theOtherEndMayBePreferred() {
    NodeConfig usual = Given.config();
    NodeProcessor client =
        new NodeProcessor(
            new NodeConfig(
                TICK,
                Map.of(),
                10,
                List.of(),
                List.of(),
                false,
                usual.limits(),
                new EdgePolicy(HOUR, Side.CLIENT),
                false));
    for (int t = 0; t <= 20; t += 10) {
      long time = T0 + t * 1_000;
      client.step(state, Given.block(time, calls("web", Side.CLIENT), 11 * t), out);
      client.step(state, Given.block(time, calls("web", Side.SERVER), 10 * t), out);
    }
    client.advance(state, state.time, out);
    assertEquals(List.of("10=11.0", "20=11.0"), out.values(CALLS, T0));
  }

  /** Nobody's calls are the node's own, and no edge. */
  @Test
  void callsOfNobodyAddUpToo() {
    SeriesKey good = calls(null, Side.UNSAID, "client", "user", "failed", "false");
    SeriesKey bad = calls(null, Side.UNSAID, "client", "user", "failed", "true");
    for (int t = 0; t <= 20; t += 10) {
      at(t, good, 5 * t);
      at(t, bad, t);
    }
    assertEquals(List.of("10=6.0", "20=6.0"), traffic());
    assertEquals(List.of("10=1.0", "20=1.0"), errors());
    assertNull(out.samples.get(0).series().key().peer());
    assertEquals(List.of(), out.edges);
  }

  @Test
  void failedCallsOfNobodyToldTwiceCountOnce() {
    SeriesKey bad = calls(null, Side.UNSAID, "client", "user", "failed", "true");
    SeriesKey told =
        counter(FAILED, Signal.ERRORS, null, Side.UNSAID, "client", "user", "failed", "true");
    for (int t = 0; t <= 20; t += 10) {
      at(t, bad, t);
      at(t, told, t);
    }
    assertEquals(List.of("10=1.0", "20=1.0"), errors());
  }

  @Test
  void latencyOfAnEdgeIsThatOfAllThatMeasureIt() {
    for (int t = 0; t <= 10; t += 10) {
      at(t, histogram("rpc_ms_count", "200"), 9 * t);
      at(t, histogram("rpc_ms_sum", "200"), 90 * t);
      at(t, histogram("rpc_ms_count", "503"), t);
      at(t, histogram("rpc_ms_sum", "503"), 110 * t);
    }
    processor.advance(state, state.time, out);
    assertEquals(List.of("10=20.0"), out.values("rpc_ms_mean", T0));
    assertEquals(List.of("10=10.0"), out.values("rpc_ms_count", T0));
  }

  private static SeriesKey histogram(String metric, String code) {
    Signal signal = metric.endsWith("count") ? Signal.TRAFFIC : Signal.LATENCY;
    return counter(metric, signal, "web", Side.SERVER, "response_code", code);
  }

  /** However one scrape is cut into blocks, and in whatever order they come. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void aScrapeMayBeCutAnywhere(int seed) {
    Random random = new Random(seed);
    List<SeriesKey> keys = new ArrayList<>();
    for (String instance : List.of("a", "b", "c")) {
      for (String failed : List.of("true", "false")) {
        keys.add(calls("web", Side.SERVER, "instance", instance, "failed", failed));
        keys.add(calls("web", Side.CLIENT, "instance", instance, "failed", failed));
        keys.add(calls("app", Side.UNSAID, "instance", instance, "failed", failed));
      }
    }
    List<Block> whole = new ArrayList<>();
    List<Block> cut = new ArrayList<>();
    for (int t = 0; t < 30; t++) {
      double[] values = new double[keys.size()];
      for (int i = 0; i < values.length; i++) {
        values[i] = t * (i + 1) * 7.0 + (t > 20 ? i * t : 0);
      }
      long time = T0 + t * TICK / 2;
      whole.add(Given.block(time, Layout.of(keys.toArray(new SeriesKey[0])), values));
      for (int from = 0; from < values.length; ) {
        int to = Math.min(values.length, from + 1 + random.nextInt(5));
        Layout part = Layout.of(keys.subList(from, to).toArray(new SeriesKey[0]));
        double[] some = java.util.Arrays.copyOfRange(values, from, to);
        cut.add(random.nextInt(cut.size() + 1), Given.block(time, part, some));
        from = to;
      }
    }
    Recorded expected = played(whole);
    Recorded actual = played(cut);
    assertEquals(expected.values(CALLS, T0), actual.values(CALLS, T0));
    assertEquals(expected.values(FAILED, T0), actual.values(FAILED, T0));
    assertFalse(expected.values(FAILED, T0).isEmpty());
    assertEquals(Set.copyOf(expected.edges), Set.copyOf(actual.edges));
    for (int i = 0; i < expected.frames.size(); i++) {
      NodeFrame frame = expected.frames.get(i);
      assertArrayEquals(frame.peers(), actual.frames.get(i).peers());
      assertArrayEquals(frame.edges(), actual.frames.get(i).edges(), 1e-6f);
      assertArrayEquals(frame.signals(), actual.frames.get(i).signals(), 1e-6f);
    }
    assertEquals(expected.frames.size(), actual.frames.size());
  }

  private Recorded played(List<Block> blocks) {
    NodeState fresh = Given.state();
    Recorded told = new Recorded();
    blocks.forEach(block -> processor.buffer(fresh, block));
    processor.advance(fresh, Long.MAX_VALUE, told);
    return told;
  }

  @Test
  void anEdgeIsSeenWhenItsCounterGrowsAndToldNowAndThen() {
    int[] values = {100, 100, 101, 102, 103, 104, 105, 105, 105, 105, 105, 105, 105, 106};
    for (int i = 0; i < values.length; i++) {
      at(300 * i, calls(), values[i]);
    }
    assertEquals(List.of(edge(600, -1), edge(1_800, -1), edge(3_900, -1)), out.edges);
  }

  private static Edge edge(long second, long ttl) {
    return new Edge("shop", "web", "cart", T0 + second * 1_000, "call", ttl);
  }

  /** Calls since the start: the edge counts for its time to live from there. */
  @Test
  void aFirstValueShowsAnEdgeSinceItsStart() {
    starting(600, calls(), 5, 0);
    assertEquals(List.of(edge(600, HOUR - 600_000)), out.edges);
    starting(900, calls(), 6, 0);
    assertEquals(1, out.edges.size(), "it counts for almost as long");
    starting(1_200, calls(), 7, 0);
    assertEquals(edge(1_200, -1), out.edges.get(1));
  }

  @Test
  void aFirstValueOfLongAgoOrOfNothingShowsNoEdge() {
    starting(0, calls(), 5, -HOUR / 1_000 - 1);
    starting(0, calls("app", Side.UNSAID), 0, -10);
    at(0, calls("old", Side.UNSAID), 7);
    assertEquals(List.of(), out.edges);
  }

  @Test
  void gaugesShowAnEdgeUnlessTheySayThatThereAreNoCalls() {
    at(0, Given.edge("rate", "web", Side.UNSAID, Signal.TRAFFIC, "1/s"), 0);
    assertEquals(List.of(), out.edges);
    at(1, Given.edge("rate", "web", Side.UNSAID, Signal.TRAFFIC, "1/s"), 2);
    at(2, Given.edge("latency", "app", Side.UNSAID, Signal.LATENCY, "ms"), 0);
    assertEquals(List.of("web", "app"), out.edges.stream().map(Edge::source).toList());
  }

  @Test
  void theKindOfTheConnectionIsTold() {
    SeriesKey queue = calls("web", Side.UNSAID, "connection_type", "messaging_system");
    at(0, queue, 0);
    at(10, queue, 1);
    assertEquals("messaging", out.edges.get(0).kind());
  }

  @Test
  void aSumReachesTheFrameOfItsEdge() {
    for (int t = 0; t < 200; t += 5) {
      boolean bad = t >= 190;
      at(t, calls("failed", "false"), 50 * t);
      at(t, calls("failed", "true"), bad ? 100 * (t - 185) : 0);
    }
    processor.advance(state, Long.MAX_VALUE, out);
    NodeFrame last = out.frames.get(out.frames.size() - 1);
    assertArrayEquals(new String[] {"web"}, last.peers());
    int errors = 4 * NodeFrame.EDGE_FEATURES;
    assertTrue(last.edges()[errors] >= 8, "z of errors: " + last.edges()[errors]);
    assertEquals(1, last.edges()[errors + 2]);
    assertEquals(1, last.edges()[3 * NodeFrame.EDGE_FEATURES + 2]);
  }

  @Test
  void partsHaveNoBaselineAndAreNotShown() {
    at(0, calls("failed", "false"), 0);
    at(10, calls("failed", "false"), 10);
    processor.advance(state, state.time, out);
    assertEquals(2, out.samples.size());
    assertTrue(out.samples.stream().allMatch(s -> s.series().key().labels().isEmpty()));
    assertNull(state.series.get(0).baseline);
  }
}
