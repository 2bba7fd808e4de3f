package io.faultline.decode;

import io.faultline.records.CallLabels;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Adds up the service graph counters of one payload. A sender splits the calls of an edge by {@code
 * failed}; the edge has one traffic series, their sum, and one errors series, the failed ones.
 * Failed calls may be told twice, by the split and by a metric of their own: the larger of the two
 * counts. A sum starts at the earliest start of its parts, so a part that comes later is no
 * restart.
 */
final class ServiceGraphCalls {
  private static final String TOTAL = "traces_service_graph_request_total";
  private static final String FAILED = "traces_service_graph_request_failed_total";

  private final Map<Place, Sums> sums = new LinkedHashMap<>();

  /** Takes a value of a counter of calls; false where it counts none that are split. */
  boolean add(OtlpSeries series, double value, long time, long start) {
    Call call = series.call();
    boolean failures = call.signal() == Signal.ERRORS;
    String failed = call.labels().get(CallLabels.FAILED);
    if (!failures && failed == null) {
      return false;
    }
    Map<String, String> labels = new HashMap<>(call.labels());
    labels.keySet().removeAll(CallLabels.OUTCOME);
    Place place =
        new Place(series.graph(), series.node(), SeriesKey.canonical(labels), call.caller(), time);
    Sums sum = sums.computeIfAbsent(place, p -> new Sums(series.value()));
    if (failures) {
      sum.told += value;
      sum.anyTold = true;
    } else {
      sum.calls += value;
      sum.anyCalls = true;
      sum.failed += failed.equals("true") ? value : 0.0;
    }
    if (start != 0L) {
      sum.start = sum.start == 0L ? start : Math.min(sum.start, start);
    }
    return true;
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
    if (sum.anyCalls) {
      emit(place, sum, TOTAL, Signal.TRAFFIC, sum.calls, out);
    }
    emit(place, sum, FAILED, Signal.ERRORS, Math.max(sum.failed, sum.told), out);
  }

  private static void emit(
      Place place, Sums sum, String metric, Signal signal, double value, Decoder.Output out) {
    SeriesKey key =
        new SeriesKey(
            metric,
            place.labels(),
            place.caller(),
            Side.UNSAID,
            sum.any.kind(),
            signal,
            sum.any.unit());
    out.sample(place.graph(), place.node(), place.time(), key, value, sum.start);
  }

  /** Where a sum belongs. */
  private record Place(
      String graph, String node, String labels, @Nullable String caller, long time) {}

  /** What was added for one place. */
  private static final class Sums {
    private final SeriesKey any;
    private double calls;
    private double failed;
    private double told;
    private boolean anyCalls;
    private boolean anyTold;
    private long start;

    Sums(SeriesKey any) {
      this.any = any;
    }
  }
}
