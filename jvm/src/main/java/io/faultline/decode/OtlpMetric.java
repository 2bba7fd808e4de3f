package io.faultline.decode;

import io.faultline.decode.Wire.WireException;
import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
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
  private final OtlpIdentity identity;
  private final OtlpScope scope;
  private final String name;
  @Nullable private final String unit;
  private final byte[] sentUnit;
  private final Kind kind;
  private final OtlpShape shape;
  private final int header;
  @Nullable private final CallMetric callMetric;
  private final BytesMap<OtlpSeries> known = new BytesMap<>();

  /**
   * A metric.
   *
   * @param sentUnit as declared, empty = none
   * @param header length of what stands before its data and of their tag; 0 = not all of it does
   */
  OtlpMetric(
      OtlpIdentity identity,
      OtlpScope scope,
      String name,
      String sentUnit,
      Kind kind,
      OtlpShape shape,
      int header) {
    this.identity = identity;
    this.scope = scope;
    this.name = scope.intern(name);
    this.kind = kind;
    this.shape = shape;
    this.header = header;
    CallMetric named = CallMetric.of(name);
    boolean fits = named != null && named.histogram() == shape.isHistogram();
    this.callMetric = fits && shape != OtlpShape.SUMMARY ? named : null;
    this.sentUnit = sentUnit.getBytes(StandardCharsets.UTF_8);
    this.unit = sentUnit.isEmpty() ? null : scope.intern(sentUnit);
  }

  String name() {
    return name;
  }

  OtlpShape shape() {
    return shape;
  }

  Kind kind() {
    return kind;
  }

  int header() {
    return header;
  }

  /** Whether the metric still has the unit in that range, and adds up in that way. */
  boolean is(byte[] buffer, int from, int to, Kind kind, OtlpShape shape) {
    return this.kind == kind
        && this.shape == shape
        && Arrays.equals(sentUnit, 0, sentUnit.length, buffer, from, to);
  }

  /**
   * What a point that ends with these bytes stands for, if they are the attributes that came after
   * the last ones; null where they must be read.
   */
  @Nullable
  OtlpSeries guess(byte[] buffer, int from, int to) {
    return known.guessWhole(buffer, from, to);
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
    return callMetric == null ? plain(point) : call(point);
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
    Map<String, String> labels = new HashMap<>(scope.labels());
    labels.putAll(point);
    Call call = identity.calls().of(callMetric, unit, labels);
    if (call == null) {
      return plain(point);
    }
    String graph = scope.intern(identity.graph(scope.resource(), point));
    if (call.node() == null) {
      return new OtlpSeries(graph, null, null, null, null, null);
    }
    String node = scope.intern(call.node());
    if (shape.isHistogram()) {
      return new OtlpSeries(graph, node, null, histogram(call), null, call);
    }
    return new OtlpSeries(graph, node, call.series(name, kind), null, null, call);
  }

  private HistogramSeries histogram(Call call) {
    return new HistogramSeries(
        name, call.labels(), call.caller(), call.side(), kind, call.signal(), call.unit());
  }
}
