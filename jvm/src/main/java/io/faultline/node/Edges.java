package io.faultline.node;

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

  /** Takes a point of a counter; {@code first}: there was none before. */
  void counted(NodeState state, Series series, Reading at, boolean first, NodeOutput out) {
    if (series.part) {
      part(state, series, at, first);
    }
    if (series.key.peer() != null && series.resolved.role() != Role.BUCKET) {
      sight(state, series, at, first, out);
    }
  }

  private void part(NodeState state, Series series, Reading at, boolean first) {
    if (series.source == null || series.source.removed) {
      link(state, series);
    }
    series.total.begin(series.source, at.time);
    boolean newPart = first && Double.isNaN(at.rate) && !at.delta;
    double rate = newPart ? series.source.first(at.value) : at.rate;
    series.source.add(EdgeTotal.outcome(series.key, series.resolved), rate);
    state.unfinished = at.time;
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
  private void sight(NodeState state, Series series, Reading at, boolean first, NodeOutput out) {
    if (at.rate > 0) {
      tell(state, series, at.time, at.time, out);
    } else if (first && at.value > 0 && at.start > 0) {
      tell(state, series, at.start, at.time, out);
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
