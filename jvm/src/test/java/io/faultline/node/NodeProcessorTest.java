package io.faultline.node;

import static io.faultline.node.Given.T0;
import static io.faultline.node.Given.TICK;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.records.Block;
import io.faultline.records.Layout;
import io.faultline.records.NodeFrame;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NodeProcessorTest {
  private static final SeriesKey CPU = Given.gauge("cpu", Signal.CPU, "%");
  private static final SeriesKey CPU2 = Given.gauge("cpu2", Signal.CPU, "%");

  private final NodeState state = Given.state();
  private final Recorded out = new Recorded();
  private NodeProcessor processor = new NodeProcessor(Given.config());

  private void step(Block block) {
    processor.step(state, block, out);
  }

  private void end() {
    processor.advance(state, Long.MAX_VALUE, out);
  }

  private NodeFrame lastFrame() {
    return out.frames.get(out.frames.size() - 1);
  }

  private static float feature(NodeFrame frame, Signal signal, int feature) {
    return frame.signals()[signal.ordinal() * NodeFrame.FEATURES + feature];
  }

  private static float edgeFeature(NodeFrame frame, int peer, int kind, int feature) {
    int row = peer * NodeFrame.EDGE_KINDS + kind;
    return frame.edges()[row * NodeFrame.EDGE_FEATURES + feature];
  }

  @Test
  void spreadTicksEndAtTheGraphsOwnMoment() {
    NodeConfig config =
        new NodeConfig(
            TICK,
            Map.of(),
            10,
            List.of(),
            List.of(),
            false,
            NodeConfig.Limits.DEFAULT,
            EdgePolicy.DEFAULT,
            true,
            Map.of());
    processor = new NodeProcessor(config);
    long phase = Ticks.phase(state.graph, TICK);
    long ends = T0 + phase + (phase == 0 ? TICK : 0);
    step(Given.block(ends - 1, CPU, 50));
    assertEquals(ends - 1, processor.nextTimer(state));
    step(Given.block(ends, CPU, 60));
    assertEquals(1, out.frames.size());
    assertEquals(ends, lastFrame().time());
    end();
    assertEquals(ends + TICK, lastFrame().time());
  }

  @Test
  void graphsSpreadOverTheTick() {
    long[] quarters = new long[4];
    for (int i = 0; i < 400; i++) {
      long phase = Ticks.phase("graph-" + i, TICK);
      assertTrue(phase >= 0 && phase < TICK);
      quarters[(int) (4 * phase / TICK)]++;
    }
    for (long quarter : quarters) {
      assertTrue(quarter > 70, "graphs in a quarter of the tick: " + quarter);
    }
  }

  @Test
  void aFrameComesWhenTheTickIsOver() {
    step(Given.block(T0 + 1, CPU, 50));
    processor.advance(state, T0 + TICK - 2, out);
    assertEquals(0, out.frames.size());
    processor.advance(state, T0 + TICK - 1, out);
    assertEquals(1, out.frames.size());
    assertEquals(T0 + TICK, lastFrame().time());
    assertEquals(TICK, lastFrame().tickMs());
    processor.advance(state, T0 + 100 * TICK, out);
    assertEquals(1, out.frames.size(), "no sample, no frame");
  }

  @Test
  void aYearOfSilenceIsNoWork() {
    step(Given.block(T0, CPU, 50));
    step(Given.block(T0 + 365L * 24 * 3_600_000, CPU, 50));
    end();
    assertEquals(2, out.frames.size());
  }

  @Test
  void aTickCountsTheMeanOfItsValues() {
    for (int t = 0; t < 30; t++) {
      step(Given.block(T0 + t * TICK, CPU, t % 2 == 0 ? 48 : 52));
      step(Given.block(T0 + t * TICK + 5000, CPU, t % 2 == 0 ? 52 : 48));
    }
    end();
    assertEquals(0, feature(lastFrame(), Signal.CPU, 0), 1e-6);
    assertEquals(0.5, feature(lastFrame(), Signal.CPU, 4), 1e-6, "level in the base unit");
    assertEquals(19, feature(lastFrame(), Signal.CPU, 3), "30 ticks, 10 wait, this one is new");
  }

  @Test
  void aColdSeriesIsPresentWithoutAnOpinion() {
    step(Given.block(T0, CPU, 50));
    end();
    float[] signal = new float[NodeFrame.FEATURES];
    System.arraycopy(lastFrame().signals(), 0, signal, 0, signal.length);
    assertArrayEquals(new float[] {0, 0, 1, 0, 0, 0, 0}, signal);
  }

  @Test
  void presentIsTheShareOfKnownSeries() {
    Layout both = Layout.of(CPU, CPU2);
    step(Given.block(T0, both, 1, 1));
    for (int t = 1; t <= 21; t++) {
      step(Given.block(T0 + t * TICK, CPU, 1));
    }
    end();
    assertEquals(1, feature(out.frames.get(0), Signal.CPU, 2));
    assertEquals(0.5, feature(out.frames.get(20), Signal.CPU, 2));
    assertEquals(1, feature(out.frames.get(21), Signal.CPU, 2), "forgotten after two windows");
    assertEquals(0, feature(out.frames.get(21), Signal.MEMORY, 2));
  }

  /** As case snapshot-one-series-missing: absence costs one signal and is no value. */
  @Test
  void aSeriesThatEndsIsAbsentAndNotZero() {
    SeriesKey latency = Given.gauge("latency", Signal.LATENCY, "ms");
    for (int t = 0; t < 30; t++) {
      step(Given.block(T0 + t * TICK, Layout.of(CPU, latency), 50, 20));
    }
    for (int t = 30; t < 40; t++) {
      step(Given.block(T0 + t * TICK, Layout.of(CPU), 90));
    }
    end();
    for (NodeFrame frame : out.frames.subList(30, 40)) {
      assertEquals(0, feature(frame, Signal.LATENCY, 2));
      assertEquals(0, feature(frame, Signal.LATENCY, 0));
      assertEquals(1, feature(frame, Signal.CPU, 2));
      assertTrue(feature(frame, Signal.CPU, 0) > 6);
      assertEquals(1, feature(frame, Signal.CPU, 5));
    }
  }

  @Test
  void theStrongestSeriesSpeaksForItsSignal() {
    Random random = new Random(3);
    Layout both = Layout.of(CPU, CPU2);
    for (int t = 0; t < 40; t++) {
      double noise = random.nextGaussian();
      step(Given.block(T0 + t * TICK, both, 50 + noise, t == 39 ? 20 : 50 - noise));
    }
    end();
    assertTrue(feature(lastFrame(), Signal.CPU, 0) < -6, "signed");
    assertTrue(feature(lastFrame(), Signal.CPU, 1) < -0.2, "mean over both");
  }

  @Test
  void seriesOfAnEdgeFeedTheEdgeAndANodeWithoutItsOwn() {
    SeriesKey caller = Given.edge("latency", "web", Side.CLIENT, Signal.LATENCY, "ms");
    SeriesKey callee = Given.edge("latency", "web", Side.SERVER, Signal.LATENCY, "ms");
    SeriesKey errors = Given.edge("errors", "app", Side.CLIENT, Signal.ERRORS, "1/s");
    Layout layout = Layout.of(caller, callee, errors);
    for (int t = 0; t < 40; t++) {
      boolean slowNet = t == 39;
      step(Given.block(T0 + t * TICK, layout, slowNet ? 200 : 30 + t % 3, 20 + t % 2, 0));
    }
    end();
    NodeFrame frame = lastFrame();
    assertArrayEquals(new String[] {"app", "web"}, frame.peers());
    assertTrue(edgeFeature(frame, 1, 0, 0) > 6, "caller latency");
    assertTrue(Math.abs(edgeFeature(frame, 1, 1, 0)) < 3, "callee latency");
    assertTrue(edgeFeature(frame, 1, 2, 0) > 6, "net delay");
    assertEquals(1, edgeFeature(frame, 1, 2, 2));
    assertEquals(1, edgeFeature(frame, 0, 4, 2), "errors");
    assertEquals(0, edgeFeature(frame, 0, 0, 2));
    assertTrue(Math.abs(feature(frame, Signal.LATENCY, 0)) < 3, "the callee's, not the caller's");
    assertEquals(1, feature(frame, Signal.LATENCY, 2));
    assertEquals(0, feature(frame, Signal.ERRORS, 2), "measured at the caller");
  }

  @Test
  void aNodesOwnSeriesComeBeforeThoseOfItsEdges() {
    SeriesKey own = Given.gauge("latency", Signal.LATENCY, "ms");
    SeriesKey edge = Given.edge("latency", "web", Side.SERVER, Signal.LATENCY, "ms");
    for (int t = 0; t < 30; t++) {
      step(Given.block(T0 + t * TICK, Layout.of(own, edge), 20, t == 29 ? 500 : 20));
    }
    end();
    assertEquals(0, feature(lastFrame(), Signal.LATENCY, 0));
    assertTrue(edgeFeature(lastFrame(), 0, 1, 0) > 6);
  }

  @Test
  void aHistogramGivesTrafficMeanAndQuantile() {
    String latency = "{\"metric\": \"rpc\", \"signal\": \"latency\", \"kind\": \"histogram\"}";
    processor = new NodeProcessor(Given.config(Given.rules(latency)));
    Layout layout =
        Layout.of(
            Given.counter("rpc_count"),
            Given.counter("rpc_sum"),
            bucket("0.1"),
            bucket("1"),
            bucket("+Inf"));
    for (int t = 0; t < 3; t++) {
      step(Given.block(T0 + t * TICK, layout, 100 * t, 20 * t, 50 * t, 100 * t, 100 * t));
    }
    end();
    assertEquals(List.of("10=10.0", "20=10.0"), out.values("rpc_count", T0));
    assertEquals(List.of("10=0.2", "20=0.2"), out.values("rpc_mean", T0));
    assertEquals(List.of("10=0.91", "20=0.91"), out.values("rpc_p95", T0));
    assertEquals(List.of(), out.values("rpc_sum", T0));
    assertEquals(Signal.TRAFFIC, out.samples.get(0).series().signal());
    assertEquals(1, feature(lastFrame(), Signal.TRAFFIC, 2));
  }

  private static SeriesKey bucket(String le) {
    SeriesKey key = Given.counter("rpc_bucket");
    return new SeriesKey(
        key.metric(),
        SeriesKey.canonical(Map.of("le", le)),
        null,
        key.side(),
        key.kind(),
        null,
        null);
  }

  @Test
  void anAdoptedLevelIsCounted() {
    for (int t = 0; t < 30; t++) {
      step(Given.block(T0 + t * TICK, CPU, 50));
    }
    for (int t = 30; t < 60; t++) {
      step(Given.block(T0 + t * TICK, CPU, 90));
    }
    end();
    assertEquals(1, out.counts.get("baseline_adopted"));
    assertEquals(1, feature(out.frames.get(58), Signal.CPU, 5));
  }

  @Test
  void patternsSeeUnitsRatesAndTheBaseline() {
    for (int t = 0; t < 150; t++) {
      step(Given.block(T0 + t * TICK, CPU, t == 149 ? 99 : 50 + t % 3));
    }
    var last = out.samples.get(149);
    assertEquals(99, last.value());
    assertEquals("%", last.series().unit());
    assertEquals(51, last.baseline());
    assertEquals((99 - 51) / last.spread(), last.z(), 1e-9, "the ring is full");
    assertTrue(last.rel() > 0.6);
    end();
    assertEquals(last.z(), feature(lastFrame(), Signal.CPU, 0), 1e-4, "as in the frame");
  }

  @Test
  void aRepeatedGaugeIsADuplicateAndAnotherValueIsNot() {
    step(Given.block(T0, CPU, 50));
    step(Given.block(T0, CPU, 50));
    step(Given.block(T0, CPU, 60));
    assertEquals(2, out.samples.size());
    assertEquals(Map.of("duplicate", 1), out.counts);
  }

  @Test
  void aBlockThatGoesBackIsCounted() {
    step(Given.block(T0 + 1, CPU, 50));
    step(Given.block(T0, CPU, 50));
    assertEquals(1, out.samples.size());
    assertEquals(1, out.counts.get("went_back"));
  }

  @Test
  void aValueThatIsNoNumberCostsItselfOnly() {
    step(Given.block(T0, Layout.of(CPU, CPU2), Double.POSITIVE_INFINITY, 3));
    assertEquals(List.of("0=3.0"), out.values("cpu2", T0));
    assertEquals(Map.of("not_finite", 1), out.counts);
  }

  @Test
  void seriesAreBoundedAndTheStalestGoesFirst() {
    processor =
        new NodeProcessor(
            new NodeConfig(
                TICK, Map.of(), 10, List.of(), List.of(), false, new NodeConfig.Limits(1000, 2)));
    SeriesKey third = Given.gauge("cpu3", Signal.CPU, "%");
    step(Given.block(T0, Layout.of(CPU, CPU2), 1, 1));
    step(Given.block(T0, third, 1));
    assertEquals(1, out.counts.get("series_refused"));
    step(Given.block(T0 + 20 * TICK, CPU, 1));
    step(Given.block(T0 + 21 * TICK, third, 1));
    assertEquals(1, out.counts.get("series_evicted"));
    step(Given.block(T0 + 22 * TICK, Layout.of(CPU, third), 1, 1));
    assertEquals(1, out.counts.get("series_refused"), "both are known");
  }

  @Test
  void aDroppedSeriesLeavesNoTrace() {
    processor =
        new NodeProcessor(Given.config(Given.rules("{\"metric\": \"noise.*\", \"drop\": true}")));
    step(Given.block(T0, SeriesKey.of("noise_1"), 5));
    assertEquals(0, out.samples.size());
    assertEquals(0, state.series.size());
  }
}
