package io.faultline.decode;

import io.faultline.config.IdentityConfig;
import io.faultline.records.Kind;
import io.faultline.records.SeriesKey;
import io.faultline.records.Side;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * Prometheus series by the bytes of their labels.
 *
 * <p>Series that describe calls (service graph, Istio, Linkerd) belong to the callee; the others to
 * the node that the configuration or {@link PrometheusNodes} finds. Replicas of one Prometheus
 * write the same series under labels of their own, which are left out. Samples carry no type, so a
 * series says no kind: a rule for its name does.
 */
final class PrometheusCatalog {
  private static final int NAMES_KEPT = 200_000;
  private static final String NAME = "__name__";
  private static final Set<String> REPLICAS = Set.of("prometheus_replica", "__replica__");

  private final LabelIdentity identity;
  private final Calls calls;
  private final LabelCatalog<PrometheusSeries> known = new LabelCatalog<>();
  private final Interner<String> names = new Interner<>(NAMES_KEPT);

  PrometheusCatalog(IdentityConfig config, String defaultGraph) {
    this.calls = new Calls(config);
    this.identity =
        new LabelIdentity(Decoders.PROMETHEUS, config, new PrometheusNodes(), defaultGraph);
  }

  /** The series with labels of these bytes; null = not seen yet, or not with this name. */
  @Nullable
  PrometheusSeries find(byte[] bytes, int from, int to, String metric) {
    return known.find(bytes, from, to, metric);
  }

  /** As {@link #find(byte[], int, int, String)}, with a name in ASCII. */
  @Nullable
  PrometheusSeries find(byte[] bytes, int from, int to, int nameFrom, int nameTo) {
    return known.find(bytes, from, to, nameFrom, nameTo);
  }

  /** Works a series out and keeps it for the next time. */
  PrometheusSeries add(byte[] bytes, int from, int to, String metric, Map<String, String> labels) {
    PrometheusSeries series = resolve(metric, labels);
    known.keep(bytes, from, to, series.metric(), series);
    return series;
  }

  private PrometheusSeries resolve(String metric, Map<String, String> sent) {
    Map<String, String> labels = new HashMap<>();
    sent.forEach(
        (name, value) -> {
          if (!value.isEmpty() && !name.equals(NAME) && !REPLICAS.contains(name)) {
            labels.put(name, value);
          }
        });
    CallMetric described = CallMetric.of(metric);
    PrometheusSeries call = described == null ? null : call(metric, described, labels);
    return call == null ? plain(metric, labels) : call;
  }

  private PrometheusSeries plain(String metric, Map<String, String> labels) {
    LabelIdentity.Identity who = identity.of(metric, labels);
    String canonical = SeriesKey.canonical(who.labels());
    SeriesKey key =
        new SeriesKey(metric, canonical, who.peer(), Side.UNSAID, Kind.UNSAID, null, null);
    return series(who.graph(), who.node(), key, null);
  }

  /** The series of a call metric; null where it is somebody else's metric of that name. */
  @Nullable
  private PrometheusSeries call(String metric, CallMetric described, Map<String, String> labels) {
    Map<String, String> rest = new HashMap<>(labels);
    String graph = identity.graph(labels, rest);
    Call call = calls.of(described, null, rest);
    return call == null
        ? null
        : series(graph, call.node(), call.series(metric, Kind.COUNTER), call);
  }

  private PrometheusSeries series(
      String graph, @Nullable String node, SeriesKey key, @Nullable Call call) {
    String metric = names.intern(key.metric());
    return node == null
        ? new PrometheusSeries(metric, graph, null, null, null)
        : new PrometheusSeries(metric, names.intern(graph), names.intern(node), key, call);
  }
}
