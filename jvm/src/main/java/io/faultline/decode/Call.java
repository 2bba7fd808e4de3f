package io.faultline.decode;

import io.faultline.records.CallLabels;
import io.faultline.records.Edge;
import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * What one series of a call metric stands for: it belongs to the callee, and to the edge from the
 * caller if that one is a node.
 *
 * @param node the callee; null = it names no node, and the series gives no sample
 * @param caller null = nobody who is a node, or the callee itself
 * @param reason why there is no sample, or no edge; null = nothing is amiss
 * @param counts a value of the series is a number of calls
 * @param side who counted
 * @param signal null = a rule decides
 * @param unit null = not declared
 * @param labels what remains to tell the series from others of the same edge
 */
record Call(
    @Nullable String node,
    @Nullable String caller,
    @Nullable String reason,
    boolean counts,
    Side side,
    @Nullable Signal signal,
    @Nullable String unit,
    Map<String, String> labels) {

  /** A call of these two, as sent; {@code from} null = the series does not speak of a caller. */
  static Call between(
      @Nullable String from,
      @Nullable String to,
      Side side,
      CallMetric metric,
      @Nullable String unit,
      Map<String, String> labels) {
    String node = Names.node(to);
    String caller = Names.node(from);
    String reason = node == null || (caller == null && from != null) ? Reasons.UNNAMED_NODE : null;
    if (node != null && node.equals(caller)) {
      caller = null;
      reason = Reasons.SELF_EDGE;
    }
    return new Call(node, caller, reason, metric.counts(), side, metric.signal(), unit, labels);
  }

  /** Key of the series of this metric; a call metric counts, whatever was declared. */
  SeriesKey series(String metric, Kind declared) {
    Kind kind = declared == Kind.DELTA ? Kind.DELTA : Kind.COUNTER;
    return new SeriesKey(metric, SeriesKey.canonical(labels), caller, side, kind, signal, unit);
  }

  /** Tells of the call that a value of the series names, if it counts any, or why it names none. */
  void tell(String graph, long time, Decoder.Output out) {
    if (!counts) {
      return;
    }
    if (caller != null && node != null) {
      String kind = CallLabels.kind(labels.get(CallLabels.CONNECTION));
      out.call(new Edge(graph, caller, node, time, kind, -1L));
    } else if (reason != null) {
      out.ignored(reason);
    }
  }
}
