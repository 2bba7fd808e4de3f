package io.faultline.decode;

import io.faultline.decode.Wire.WireException;
import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;

/**
 * One metric of one resource and scope: works out what its points stand for and keeps the answer by
 * the bytes of their attributes.
 */
final class OtlpMetric {
  private static final String CLIENT = "client";
  private static final String SERVER = "server";
  private static final String FAILED = "failed";
  private static final String CONNECTION = "connection_type";
  private static final Map<String, String> EDGE_KINDS =
      Map.of(
          "", "call",
          "messaging_system", "messaging",
          "database", "database",
          "virtual_node", "virtual");

  private final OtlpIdentity identity;
  private final OtlpScope scope;
  private final String name;
  @Nullable private final String unit;
  private final byte[] sentUnit;
  private final Kind kind;
  private final OtlpShape shape;
  @Nullable private final ServiceGraphMetric graphMetric;
  private final BytesMap<OtlpSeries> known = new BytesMap<>();

  /**
   * A metric.
   *
   * @param sentUnit as declared, empty = none
   */
  OtlpMetric(
      OtlpIdentity identity,
      OtlpScope scope,
      String name,
      String sentUnit,
      Kind kind,
      OtlpShape shape) {
    this.identity = identity;
    this.scope = scope;
    this.name = name;
    this.kind = kind;
    this.shape = shape;
    ServiceGraphMetric named = ServiceGraphMetric.of(name);
    boolean fits = named != null && shape.isHistogram() != named.isCounter();
    this.graphMetric = fits && shape != OtlpShape.SUMMARY ? named : null;
    this.sentUnit = sentUnit.getBytes(StandardCharsets.UTF_8);
    String declared = sentUnit.isEmpty() ? null : sentUnit;
    this.unit = graphMetric == null ? declared : ServiceGraphMetric.unit(name, declared);
  }

  String name() {
    return name;
  }

  OtlpShape shape() {
    return shape;
  }

  /** Whether the metric still has the unit in that range, and adds up in that way. */
  boolean is(byte[] buffer, int from, int to, Kind kind, OtlpShape shape) {
    return this.kind == kind
        && this.shape == shape
        && Arrays.equals(sentUnit, 0, sentUnit.length, buffer, from, to);
  }

  /** What a point with these attributes stands for; the range holds them one after the other. */
  OtlpSeries series(byte[] buffer, int from, int to) throws WireException {
    OtlpSeries found = known.get(buffer, from, to);
    if (found == null) {
      found = resolve(buffer, from, to);
      known.put(buffer, from, to, found);
      scope.count();
    }
    return found;
  }

  /** As {@link #series}, for a range with other fields in between: nothing is kept. */
  OtlpSeries resolve(byte[] buffer, int from, int to) throws WireException {
    Map<String, String> point = new HashMap<>();
    OtlpAttributes.read(buffer, from, to, shape.attributes, point);
    return graphMetric == null ? plain(point) : call(point);
  }

  private OtlpSeries plain(Map<String, String> point) {
    Map<String, String> labels = new TreeMap<>(scope.labels());
    labels.putAll(point);
    String graph = scope.intern(identity.graph(scope.resource(), point));
    String node = Names.node(identity.node(scope.resource(), point));
    String peer = Names.node(identity.peer(scope.resource(), point));
    if (node == null) {
      return new OtlpSeries(graph, null, null, null, null, null);
    }
    node = scope.intern(node);
    return switch (shape) {
      case NUMBER -> {
        String canonical = SeriesKey.canonical(labels);
        SeriesKey key = new SeriesKey(name, canonical, peer, Side.UNSAID, kind, null, unit);
        yield new OtlpSeries(graph, node, key, null, null, null);
      }
      case HISTOGRAM, EXPONENTIAL -> {
        HistogramSeries series =
            new HistogramSeries(name, labels, peer, Side.UNSAID, kind, null, unit);
        yield new OtlpSeries(graph, node, null, series, null, null);
      }
      case SUMMARY -> {
        SummarySeries series = new SummarySeries(name, labels, peer, kind, unit);
        yield new OtlpSeries(graph, node, null, null, series, null);
      }
    };
  }

  private OtlpSeries call(Map<String, String> point) {
    String graph = scope.intern(identity.graph(scope.resource(), point));
    String node = Names.node(point.get(SERVER));
    if (node == null) {
      return new OtlpSeries(graph, null, null, null, null, null);
    }
    String caller = Names.node(point.get(CLIENT));
    boolean self = node.equals(caller);
    String peer = self ? null : caller;
    Map<String, String> labels = callLabels(point, peer == null);
    if (shape != OtlpShape.NUMBER) {
      HistogramSeries series =
          new HistogramSeries(name, labels, peer, graphMetric.side(), kind, Signal.LATENCY, unit);
      return new OtlpSeries(graph, scope.intern(node), null, series, null, null);
    }
    String failed = labels.remove(FAILED);
    String canonical = SeriesKey.canonical(labels);
    String sent = point.getOrDefault(CONNECTION, "");
    ServiceGraphCall call =
        new ServiceGraphCall(
            graph,
            scope.intern(node),
            peer,
            self,
            EDGE_KINDS.getOrDefault(sent, sent),
            counter(ServiceGraphMetric.TOTAL_NAME, canonical, peer, Signal.TRAFFIC),
            counter(ServiceGraphMetric.FAILED_NAME, canonical, peer, Signal.ERRORS),
            graphMetric,
            failed != null,
            "true".equals(failed));
    return new OtlpSeries(graph, call.node(), null, null, null, call);
  }

  /** A caller that is no node stays visible as a label. */
  private Map<String, String> callLabels(Map<String, String> point, boolean keepClient) {
    Map<String, String> labels = new TreeMap<>(scope.labels());
    labels.putAll(point);
    labels.remove(SERVER);
    labels.remove(CONNECTION);
    if (!keepClient) {
      labels.remove(CLIENT);
    }
    return labels;
  }

  private SeriesKey counter(String metric, String labels, @Nullable String peer, Signal signal) {
    Kind counter = kind == Kind.DELTA ? Kind.DELTA : Kind.COUNTER;
    return new SeriesKey(metric, labels, peer, Side.UNSAID, counter, signal, unit);
  }
}
