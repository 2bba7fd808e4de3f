package io.faultline.decode;

import io.faultline.records.Edge;
import io.faultline.records.SeriesKey;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Adds up the service graph counters of one payload. A sender splits the calls of an edge by {@code
 * failed}; the edge has one traffic series, their sum, and one errors series, the failed ones.
 * Failed calls may be told twice, by the split and by a metric of their own: the larger of the two
 * counts. A sum starts at the earliest start of its parts, so a part that comes later is no
 * restart.
 */
final class ServiceGraphCalls {
  private final Map<Place, Sums> sums = new LinkedHashMap<>();

  void add(ServiceGraphCall call, double value, long time, long start) {
    Place place = new Place(call.graph(), call.node(), call.traffic(), time);
    Sums sum = sums.computeIfAbsent(place, p -> new Sums(call));
    if (call.metric() == ServiceGraphMetric.FAILED) {
      sum.told += value;
      sum.anyTold = true;
    } else {
      sum.calls += value;
      sum.anyCalls = true;
      sum.split |= call.split();
      sum.failed += call.failed() ? value : 0.0;
    }
    if (start != 0L) {
      sum.start = sum.start == 0L ? start : Math.min(sum.start, start);
    }
  }

  /** Hands on what was added since the last flush. */
  void flush(Decoder.Output out) {
    if (sums.isEmpty()) {
      return;
    }
    sums.forEach((place, sum) -> emit(place, sum, out));
    sums.clear();
  }

  private static void emit(Place place, Sums sum, Decoder.Output out) {
    ServiceGraphCall call = sum.call;
    if (sum.anyCalls) {
      emitEdge(call, place.time(), out);
      out.sample(place.graph(), place.node(), place.time(), call.traffic(), sum.calls, sum.start);
    }
    if (sum.anyTold || sum.split) {
      double failed = Math.max(sum.failed, sum.told);
      out.sample(place.graph(), place.node(), place.time(), call.errors(), failed, sum.start);
    }
  }

  private static void emitEdge(ServiceGraphCall call, long time, Decoder.Output out) {
    if (call.caller() != null) {
      out.edge(new Edge(call.graph(), call.caller(), call.node(), time, call.kind(), -1L));
    } else {
      out.ignored(call.self() ? Reasons.SELF_EDGE : Reasons.UNNAMED_NODE);
    }
  }

  /** Where a sum belongs. */
  private record Place(String graph, String node, SeriesKey traffic, long time) {}

  /** What was added for one place. */
  private static final class Sums {
    private final ServiceGraphCall call;
    private double calls;
    private double failed;
    private double told;
    private boolean anyCalls;
    private boolean anyTold;
    private boolean split;
    private long start;

    Sums(ServiceGraphCall call) {
      this.call = call;
    }
  }
}
