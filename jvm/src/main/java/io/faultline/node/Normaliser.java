package io.faultline.node;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import java.util.LinkedHashMap;
import java.util.Map;

/** Points of series to samples: counters to rates, histograms to means and quantiles. */
final class Normaliser {
  private static final String LE = "le";

  private final int maxHistograms;
  private final Detector detector;

  Normaliser(int maxHistograms, Detector detector) {
    this.maxHistograms = maxHistograms;
    this.detector = detector;
  }

  /** Takes one point of the open tick. */
  void point(NodeState state, Series series, long time, double value, long start, NodeOutput out) {
    if (!Double.isFinite(value)) {
      out.add("not_finite");
    } else if (series.counter == null) {
      gauge(state, series, time, value, out);
    } else {
      counter(state, series, time, value, start, out);
    }
  }

  private void gauge(NodeState state, Series series, long time, double value, NodeOutput out) {
    if (time == series.lastTime && value == series.lastValue) {
      out.add("duplicate");
    } else {
      sampleOrPart(state, series, time, value, out);
    }
  }

  private void counter(
      NodeState state, Series series, long time, double value, long start, NodeOutput out) {
    double rate =
        series.resolved.kind() == Kind.DELTA
            ? series.counter.delta(time, value, start, out)
            : series.counter.cumulative(time, value, start, out);
    series.lastTime = Math.max(series.lastTime, time);
    if (Double.isNaN(rate)) {
      return;
    }
    Role role = series.resolved.role();
    if (role != Role.PLAIN) {
      part(state, series, time, rate);
    }
    if (role.feeds()) {
      sampleOrPart(state, series, time, rate, out);
    }
  }

  /** A part of a total is not shown by itself: it waits for the others of its event time. */
  private void sampleOrPart(
      NodeState state, Series series, long time, double value, NodeOutput out) {
    if (series.resolved.parts().isEmpty()) {
      sample(state, series, time, value, out);
    } else {
      series.lastTime = time;
      series.lastValue = value;
      state.unfinished = time;
    }
  }

  private void part(NodeState state, Series series, long time, double rate) {
    if (series.histogram == null || series.histogram.removed) {
      series.histogram = histogram(state, series);
    }
    state.unfinished = time;
    switch (series.resolved.role()) {
      case COUNT -> series.histogram.count(time, rate);
      case SUM -> series.histogram.sum(time, rate);
      default -> series.histogram.bucket(time, bound(series), rate);
    }
  }

  private static double bound(Series series) {
    if (Double.isNaN(series.bound)) {
      series.bound = parse(series.key.label(LE));
    }
    return series.bound;
  }

  private static double parse(String bound) {
    try {
      return bound.endsWith("Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(bound);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  private Histogram histogram(NodeState state, Series part) {
    Map<String, String> labels = new LinkedHashMap<>(part.key.labelMap());
    if (part.resolved.role() == Role.BUCKET) {
      labels.remove(LE);
    }
    SeriesKey key =
        new SeriesKey(
            SeriesName.base(part.key.metric()),
            SeriesKey.canonical(labels),
            part.key.peer(),
            part.key.side(),
            Kind.GAUGE,
            null,
            null);
    if (!state.histograms.containsKey(key) && state.histograms.size() >= maxHistograms) {
      removeOldest(state);
    }
    Histogram histogram = state.histograms.computeIfAbsent(key, Histogram::new);
    if (part.resolved.role() != Role.COUNT) {
      histogram.signal = part.key.signal() == null ? histogram.signal : part.key.signal();
      histogram.unit = part.key.unit() == null ? histogram.unit : part.key.unit();
    }
    return histogram;
  }

  private static void removeOldest(NodeState state) {
    Histogram oldest = null;
    for (Histogram one : state.histograms.values()) {
      oldest = oldest == null || one.lastTime() < oldest.lastTime() ? one : oldest;
    }
    state.histograms.remove(oldest.key);
    oldest.removed = true;
  }

  /** Derives what histograms and totals of the last event time have, now that it is complete. */
  void finish(NodeState state, long staleBefore, NodeOutput out) {
    long time = state.unfinished;
    if (time == NodeState.NEVER) {
      return;
    }
    state.unfinished = NodeState.NEVER;
    for (Histogram histogram : state.histograms.values()) {
      derive(state, histogram, Role.MEAN, histogram.mean(time), staleBefore, out);
      derive(state, histogram, Role.P95, histogram.p95(time), staleBefore, out);
    }
    total(state, time, staleBefore, out);
  }

  private void total(NodeState state, long time, long staleBefore, NodeOutput out) {
    if (state.totals == null || state.totals.revision != state.series.revision()) {
      state.totals = new Totals(state.series);
    }
    for (Total total : state.totals.all) {
      double value = total.value(time);
      if (!Double.isFinite(value)) {
        continue;
      }
      if (total.series == null) {
        total.series = state.series.get(total.key, Role.TOTAL, staleBefore, out);
      }
      if (total.series != null) {
        sample(state, total.series, time, value, out);
      }
    }
  }

  private void derive(
      NodeState state,
      Histogram histogram,
      Role role,
      double value,
      long staleBefore,
      NodeOutput out) {
    if (!Double.isFinite(value)) {
      return;
    }
    SeriesKey key = histogram.derived(role == Role.MEAN ? "_mean" : "_p95");
    Series series = state.series.get(key, role, staleBefore, out);
    if (series != null && !series.resolved.dropped()) {
      sample(state, series, histogram.lastTime(), value, out);
    }
  }

  /** Shows a normalised value to the patterns and adds it to the open tick. */
  private void sample(NodeState state, Series series, long time, double value, NodeOutput out) {
    detector.sample(state, series, time, value, out);
    series.lastTime = time;
    series.lastValue = value;
    series.sum += value;
    series.count++;
  }
}
