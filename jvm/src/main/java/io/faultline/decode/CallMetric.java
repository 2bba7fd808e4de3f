package io.faultline.decode;

import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * A metric that describes calls, known by its name.
 *
 * @param family who writes it
 * @param signal what it measures; null = a rule decides
 * @param histogram its points are histograms; false for counters and for the {@code _count}, {@code
 *     _sum} and {@code _bucket} that Prometheus makes of a histogram
 * @param counts a value is a number of calls, or has one in it
 * @param side who measured, where the name says it
 * @param unit what the name says; null = nothing
 */
record CallMetric(
    Family family,
    @Nullable Signal signal,
    boolean histogram,
    boolean counts,
    Side side,
    @Nullable String unit) {

  /** Who writes a metric. */
  enum Family {
    SERVICE_GRAPH,
    ISTIO,
    LINKERD
  }

  private static final String SERVICE_GRAPH = "traces_service_graph_request_";
  private static final String TOTAL = "_total";
  private static final Map<String, CallMetric> BY_NAME = new HashMap<>();

  static {
    counter(Family.SERVICE_GRAPH, SERVICE_GRAPH + "total", Signal.TRAFFIC, null);
    counter(Family.SERVICE_GRAPH, SERVICE_GRAPH + "failed_total", Signal.ERRORS, null);
    serviceGraphLatency("server", Side.SERVER);
    serviceGraphLatency("client", Side.CLIENT);
    serviceGraphLatency("messaging_system", Side.UNSAID);
    counter(Family.ISTIO, "istio_requests_total", Signal.TRAFFIC, null);
    counter(Family.ISTIO, "istio_tcp_connections_opened_total", Signal.TRAFFIC, null);
    counter(Family.ISTIO, "istio_tcp_connections_closed_total", Signal.OTHER, null);
    counter(Family.ISTIO, "istio_tcp_sent_bytes_total", Signal.NETWORK, "By");
    counter(Family.ISTIO, "istio_tcp_received_bytes_total", Signal.NETWORK, "By");
    counter(Family.ISTIO, "istio_request_messages_total", Signal.OTHER, null);
    counter(Family.ISTIO, "istio_response_messages_total", Signal.OTHER, null);
    histogram(
        Family.ISTIO, "istio_request_duration_milliseconds", Signal.LATENCY, Side.UNSAID, "ms");
    histogram(Family.ISTIO, "istio_request_duration_seconds", Signal.LATENCY, Side.UNSAID, "s");
    histogram(Family.ISTIO, "istio_request_duration", Signal.LATENCY, Side.UNSAID, null);
    histogram(Family.ISTIO, "istio_request_bytes", Signal.NETWORK, Side.UNSAID, "By");
    histogram(Family.ISTIO, "istio_response_bytes", Signal.NETWORK, Side.UNSAID, "By");
    counter(Family.LINKERD, "request_total", Signal.TRAFFIC, null);
    counter(Family.LINKERD, "response_total", Signal.TRAFFIC, null);
    counter(Family.LINKERD, "tcp_open_total", Signal.TRAFFIC, null);
    counter(Family.LINKERD, "tcp_read_bytes_total", Signal.NETWORK, "By");
    counter(Family.LINKERD, "tcp_write_bytes_total", Signal.NETWORK, "By");
    histogram(Family.LINKERD, "response_latency_ms", Signal.LATENCY, Side.UNSAID, "ms");
  }

  /** The metric of that name, with dots or underscores; null where it describes no calls. */
  @Nullable
  static CallMetric of(String name) {
    return BY_NAME.get(name.indexOf('.') < 0 ? name : name.replace('.', '_'));
  }

  /** The unit of a series: declared, else what the name says. */
  @Nullable
  String unit(@Nullable String declared) {
    return declared == null ? unit : declared;
  }

  private static void serviceGraphLatency(String of, Side side) {
    String name = SERVICE_GRAPH + of;
    histogram(Family.SERVICE_GRAPH, name, Signal.LATENCY, side, null);
    histogram(Family.SERVICE_GRAPH, name + "_seconds", Signal.LATENCY, side, "s");
    histogram(Family.SERVICE_GRAPH, name + "_milliseconds", Signal.LATENCY, side, "ms");
  }

  /** A counter; OTLP may leave {@code _total} away. */
  private static void counter(Family family, String name, Signal signal, @Nullable String unit) {
    boolean counts = signal == Signal.TRAFFIC;
    CallMetric metric = new CallMetric(family, signal, false, counts, Side.UNSAID, unit);
    BY_NAME.put(name, metric);
    if (family == Family.ISTIO) {
      BY_NAME.put(name.substring(0, name.length() - TOTAL.length()), metric);
    }
  }

  private static void histogram(
      Family family, String name, Signal signal, Side side, @Nullable String unit) {
    boolean latency = signal == Signal.LATENCY;
    BY_NAME.put(name, new CallMetric(family, signal, true, latency, side, unit));
    CallMetric part = new CallMetric(family, signal, false, false, side, unit);
    BY_NAME.put(name + "_sum", part);
    BY_NAME.put(name + "_bucket", part);
    Signal counted = latency ? Signal.TRAFFIC : null;
    BY_NAME.put(name + "_count", new CallMetric(family, counted, false, latency, side, "1"));
  }
}
