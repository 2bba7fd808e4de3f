package io.faultline.node;

import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import javax.annotation.Nullable;

/** Points of series to samples: counters to rates, histograms to means and quantiles. */
final class Normaliser {
  private final int maxHistograms;
  private final Edges edges;
  private final Detector detector;
  private final Reading reading = new Reading();

  Normaliser(int maxHistograms, Edges edges, Detector detector) {
    this.maxHistograms = maxHistograms;
    this.edges = edges;
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
      edges.measured(state, series, time, value, out);
    }
  }

  private void counter(
      NodeState state, Series series, long time, double value, long start, NodeOutput out) {
    Role role = series.resolved.role();
    Reading at = reading.set(time, value, start, role, out);
    if (series.resolved.kind() == Kind.DELTA) {
      Delta.read(series.counter, at);
    } else {
      Cumulative.read(series.counter, at);
    }
    boolean first = series.lastTime == Series.NEVER;
    series.lastTime = Math.max(series.lastTime, time);
    if (!at.skipped) {
      edges.counted(state, series, at, first, out);
    }
    if (at.event != null && role.feeds()) {
      out.noted(state, series.key, time, at.event);
    }
    if (role != Role.PLAIN && !at.skipped) {
      part(state, series, at);
    }
    if (role.feeds() && !series.part && !Double.isNaN(at.rate)) {
      sampleOrPart(state, series, time, at.rate, out);
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

  private void part(NodeState state, Series series, Reading at) {
    if (series.key.peer() != null && Double.isNaN(at.rate)) {
      return; // What else measures the edge must not wait for a series that is new.
    }
    if (series.histogram == null || series.histogram.removed) {
      series.histogram = histogram(state, series);
    }
    state.unfinished = at.time;
    switch (series.resolved.role()) {
      case COUNT -> series.histogram.count(at);
      case SUM -> series.histogram.sum(at);
      default -> series.histogram.bucket(bound(series), at);
    }
  }

  private static double bound(Series series) {
    if (Double.isNaN(series.bound)) {
      series.bound = Bounds.of(series.key);
    }
    return series.bound;
  }

  private Histogram histogram(NodeState state, Series part) {
    SeriesKey key =
        new SeriesKey(
            SeriesName.base(part.key.metric()),
            labels(part),
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
      histogram.declare(part.key.signal(), part.key.unit());
    }
    return histogram;
  }

  /** An edge has one histogram, to which all parts of one event time add, whatever their labels. */
  private static String labels(Series part) {
    if (part.key.peer() != null) {
      return "";
    }
    boolean bucket = part.resolved.role() == Role.BUCKET;
    return bucket ? Bounds.without(part.key) : part.key.labels();
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
      if (histogram.lastTime() == time) {
        finish(state, histogram, staleBefore, out);
      }
    }
    for (EdgeTotal total : state.edgeTotals.values()) {
      if (total.time() == time) {
        finish(state, total, staleBefore, out);
      }
    }
    total(state, time, staleBefore, out);
  }

  private void finish(NodeState state, EdgeTotal one, long staleBefore, NodeOutput out) {
    EdgeTotal.Sum sum = one.sum(edges.counted());
    if (sum != null && Double.isFinite(sum.calls())) {
      if (one.callsSeries == null || one.callsSeries.evicted) {
        one.callsSeries = state.series.get(one.callsKey(), Role.TOTAL, staleBefore, out);
      }
      derived(state, one.callsSeries, one.time(), sum.calls(), out);
    }
    if (sum != null && Double.isFinite(sum.errors())) {
      if (one.errorsSeries == null || one.errorsSeries.evicted) {
        one.errorsSeries = state.series.get(one.errorsKey(), Role.TOTAL, staleBefore, out);
      }
      derived(state, one.errorsSeries, one.time(), sum.errors(), out);
    }
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

  private void finish(NodeState state, Histogram one, long staleBefore, NodeOutput out) {
    long time = one.lastTime();
    double mean = one.mean(time);
    if (Double.isFinite(mean)) {
      if (one.meanSeries == null || one.meanSeries.evicted) {
        one.meanSeries = state.series.get(one.derived("_mean"), Role.MEAN, staleBefore, out);
      }
      derived(state, one.meanSeries, time, mean, out);
    }
    double p95 = one.p95(time, out);
    if (Double.isFinite(p95)) {
      if (one.p95Series == null || one.p95Series.evicted) {
        one.p95Series = state.series.get(one.derived("_p95"), Role.P95, staleBefore, out);
      }
      derived(state, one.p95Series, time, p95, out);
    }
  }

  private void derived(
      NodeState state, @Nullable Series series, long time, double value, NodeOutput out) {
    if (series != null && !series.resolved.dropped()) {
      sample(state, series, time, value, out);
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
