package io.faultline.node;

import io.faultline.records.Kind;
import io.faultline.records.NodeFrame;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.List;
import java.util.Map;

/**
 * Ends a tick of a node: judges its values, makes its frame, lets the baselines take the values.
 */
final class TickCloser {
  private static final double NOTHING = Double.NaN;

  private final int windowTicks;
  private final FrameBuilder frames;

  TickCloser(int windowTicks) {
    this.windowTicks = windowTicks;
    this.frames = new FrameBuilder(windowTicks);
  }

  void close(NodeState state, Ticks ticks, long staleBefore, NodeOutput out) {
    measureNetDelays(state, staleBefore, out);
    SeriesTable table = state.series;
    for (int i = 0; i < table.size(); i++) {
      judge(table.get(i));
    }
    NodeFrame frame = frames.build(state, plan(state), ticks);
    for (int i = 0; i < table.size(); i++) {
      take(state, table.get(i), frame.time(), out);
    }
    state.edgeTotals.values().removeIf(total -> gone(total, staleBefore));
    state.sightings.trim(frame.time());
    out.frame(frame);
  }

  private static boolean gone(EdgeTotal total, long staleBefore) {
    boolean gone = total.time() < staleBefore;
    if (gone) {
      total.remove();
    }
    return gone;
  }

  private static FramePlan plan(NodeState state) {
    if (state.plan == null || state.plan.revision != state.series.revision()) {
      state.plan = new FramePlan(state.series);
    }
    return state.plan;
  }

  private void measureNetDelays(NodeState state, long staleBefore, NodeOutput out) {
    for (Map.Entry<String, List<List<Series>>> edge : plan(state).edges.entrySet()) {
      double caller = latency(edge.getValue().get(FramePlan.CALLER), state.tick);
      double callee = latency(edge.getValue().get(FramePlan.CALLEE), state.tick);
      if (!Double.isNaN(caller) && !Double.isNaN(callee)) {
        Series delay = state.series.get(netDelay(edge.getKey()), Role.NET_DELAY, staleBefore, out);
        if (delay != null) {
          delay.sum = caller - callee;
          delay.count = 1;
          delay.lastTime = state.time;
        }
      }
    }
  }

  /** Mean in s over the series of one side; NaN where there is none or one of them is missing. */
  private double latency(List<Series> series, long tick) {
    double sum = 0;
    int known = 0;
    for (Series one : series) {
      if (one.known(tick, windowTicks)) {
        sum += one.count > 0 ? one.resolved.factor() * one.mean() : NOTHING;
        known++;
      }
    }
    return known == 0 ? NOTHING : sum / known;
  }

  private static SeriesKey netDelay(String peer) {
    return new SeriesKey(
        SignalRules.NET_DELAY, "", peer, Side.UNSAID, Kind.GAUGE, Signal.LATENCY, "s");
  }

  private static void judge(Series series) {
    if (series.baseline != null && series.count > 0) {
      double value = series.mean();
      series.tickZ = series.baseline.frameZ(value, series.resolved);
      series.tickRel = series.baseline.frameRel(value, series.resolved);
    }
  }

  private static void take(NodeState state, Series series, long time, NodeOutput out) {
    if (series.count == 0) {
      return;
    }
    if (series.baseline.take(series.mean(), series.tickZ, state.tick)) {
      out.adopted(state, series.key, time);
    }
    series.lastTick = state.tick;
    series.sum = 0;
    series.count = 0;
  }
}
