package io.faultline.decode;

import io.faultline.config.Attribute;
import io.faultline.config.IdentityConfig;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Finds calls in metric names and labels, whatever format they came in: the service graph of
 * OpenTelemetry and Tempo in both generations, Istio and Linkerd.
 *
 * <p>Both ends of a call may count it; here the two are told apart by their side, and the node
 * operator chooses between them, since only there both arrive.
 */
final class Calls {
  private final List<String> nodeKeys;
  private final List<String> peerKeys;

  /**
   * Calls of one source.
   *
   * @param identity where it names labels of a callee or a caller ({@code destination_...}, {@code
   *     source_...}, {@code dst_...}, {@code server...}, {@code client...}), these are looked at
   *     before the usual ones
   */
  Calls(IdentityConfig identity) {
    this.nodeKeys = keys(identity.node());
    this.peerKeys = keys(identity.peer());
  }

  private static List<String> keys(@Nullable List<Attribute> places) {
    return places == null
        ? List.of()
        : places.stream().filter(place -> place.key() != null).map(Attribute::key).toList();
  }

  /**
   * What a series stands for; null where it describes no call.
   *
   * @param metric as {@link CallMetric#of} knows it
   * @param declared UCUM unit; null = none
   * @param labels all labels but the metric's name; not changed
   */
  @Nullable
  Call of(CallMetric metric, @Nullable String declared, Map<String, String> labels) {
    String unit = metric.unit(declared);
    return switch (metric.family()) {
      case SERVICE_GRAPH -> ServiceGraph.read(metric, unit, labels, nodeKeys, peerKeys);
      case ISTIO -> Istio.read(metric, unit, labels, nodeKeys, peerKeys);
      case LINKERD -> Linkerd.read(metric, unit, labels, nodeKeys);
    };
  }

  /** The first label that names a node: of those configured with that prefix, then the usual. */
  @Nullable
  static String naming(
      Map<String, String> labels, List<String> configured, String prefix, List<String> usual) {
    for (String key : configured) {
      if (key.startsWith(prefix) && Names.node(labels.get(key)) != null) {
        return key;
      }
    }
    for (String key : usual) {
      if (Names.node(labels.get(key)) != null) {
        return key;
      }
    }
    return null;
  }

  @Nullable
  static String value(Map<String, String> labels, @Nullable String key) {
    return key == null ? null : labels.get(key);
  }
}
