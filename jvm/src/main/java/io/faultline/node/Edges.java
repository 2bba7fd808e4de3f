package io.faultline.node;

import io.faultline.node.CallSource.Outcome;
import io.faultline.records.CallLabels;
import io.faultline.records.Edge;
import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;

/**
 * What the counters of calls add up to, and which edges their growth shows. Counters of one edge
 * that differ in labels are parts of one total: see {@link EdgeTotal}.
 */
final class Edges {
  private final EdgePolicy policy;
  private final int maxTotals;

  Edges(EdgePolicy policy, int maxTotals) {
    this.policy = policy;
    this.maxTotals = maxTotals;
  }

  /** Which end's count is taken where both ends count. */
  Side counted() {
    return policy.counted();
  }

  /** Whether a series counts as a part of a total, and not by itself. */
  static boolean isPart(SeriesKey key, Resolved resolved) {
    if (resolved.kind() == Kind.GAUGE || !resolved.parts().isEmpty()) {
      return false;
    }
    if (key.peer() != null) {
      return resolved.role() == Role.PLAIN || resolved.role() == Role.COUNT;
    }
    boolean calls = resolved.signal() == Signal.TRAFFIC || resolved.signal() == Signal.ERRORS;
    return calls && resolved.role() == Role.PLAIN && key.label(CallLabels.FAILED) != null;
  }

  /**
   * Takes a point of a part.
   *
   * @param rate NaN = there is none
   * @param first the series had no point before
   */
  void part(NodeState state, Series series, long time, double value, double rate, boolean first) {
    if (series.source == null || series.source.removed) {
      link(state, series);
    }
    series.total.begin(series.source, time);
    Outcome outcome = EdgeTotal.outcome(series.key, series.resolved);
    boolean newPart = first && Double.isNaN(rate) && series.resolved.kind() == Kind.COUNTER;
    series.source.add(outcome, newPart ? series.source.first(value) : rate);
    state.unfinished = time;
  }

  private void link(NodeState state, Series series) {
    SeriesKey key = EdgeTotal.keyOf(series.key, series.resolved);
    if (!state.edgeTotals.containsKey(key) && state.edgeTotals.size() >= maxTotals) {
      removeOldest(state);
    }
    EdgeTotal total = state.edgeTotals.computeIfAbsent(key, EdgeTotal::new);
    total.unit = total.unit == null ? series.resolved.unit() : total.unit;
    series.total = total;
    series.source = total.source(series.key);
  }

  private static void removeOldest(NodeState state) {
    EdgeTotal oldest = null;
    for (EdgeTotal one : state.edgeTotals.values()) {
      oldest = oldest == null || one.time() < oldest.time() ? one : oldest;
    }
    state.edgeTotals.remove(oldest.key);
    oldest.remove();
  }

  /**
   * Tells of the edge that a counter shows: it has grown, or its first value is positive and its
   * start says since when at most it grew. Without a start a first value says nothing: the calls
   * may be of last year.
   */
  void counted(
      NodeState state,
      Series series,
      long time,
      double value,
      long start,
      double rate,
      boolean first,
      NodeOutput out) {
    if (series.key.peer() == null || series.resolved.role() == Role.BUCKET) {
      return;
    }
    if (rate > 0) {
      tell(state, series, time, time, out);
    } else if (first && value > 0 && start > 0 && start <= time) {
      tell(state, series, start, time, out);
    }
  }

  /** Tells of the edge that a gauge shows: no calls are no edge. */
  void measured(NodeState state, Series series, long time, double value, NodeOutput out) {
    if (series.key.peer() == null || series.derived != null) {
      return;
    }
    Signal signal = series.resolved.signal();
    boolean count = signal == Signal.TRAFFIC || signal == Signal.ERRORS;
    if (!count || value > 0) {
      tell(state, series, time, time, out);
    }
  }

  private void tell(NodeState state, Series series, long called, long time, NodeOutput out) {
    String kind = CallLabels.kind(series.key.label(CallLabels.CONNECTION));
    Edge edge = state.sightings.see(state, series.key.peer(), kind, called, time, policy.ttlMs());
    if (edge != null) {
      out.called(edge);
    }
  }
}
