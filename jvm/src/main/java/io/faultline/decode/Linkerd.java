package io.faultline.decode;

import io.faultline.records.CallLabels;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Labels of Linkerd's proxies. An outbound series is the caller's count of an edge to {@code
 * dst_...}. An inbound series is all that a workload was asked, whoever asked: what it says of the
 * caller is a service account, which is no workload.
 */
final class Linkerd {
  private static final String DIRECTION = "direction";
  private static final String DESTINATION = "dst_";

  /** Which end of a TCP connection is counted; only the far end is a call. */
  private static final String PEER = "peer";

  private static final List<String> OWNERS =
      List.of("deployment", "statefulset", "daemonset", "k8s_job", "replicaset", "pod");
  private static final List<String> DESTINATIONS =
      List.of("dst_deployment", "dst_statefulset", "dst_daemonset", "dst_k8s_job", "dst_service");

  private Linkerd() {}

  /** Null where the metric is somebody else's of the same name. */
  @Nullable
  static Call read(
      CallMetric metric, @Nullable String unit, Map<String, String> sent, List<String> nodeKeys) {
    String direction = sent.getOrDefault(DIRECTION, "");
    String owner = Calls.naming(sent, List.of(), "", OWNERS);
    boolean outbound = direction.equals("outbound");
    String far = outbound ? "dst" : "src";
    if (owner == null
        || !(outbound || direction.equals("inbound"))
        || !sent.getOrDefault(PEER, far).equals(far)) {
      return null;
    }
    Map<String, String> labels = new HashMap<>(sent);
    labels.remove(owner);
    labels.remove(DIRECTION);
    if (labels.remove(PEER) != null) {
      labels.put(CallLabels.CONNECTION, "tcp");
    }
    String outcome = sent.get("classification");
    if (outcome != null && metric.signal() == Signal.TRAFFIC) {
      labels.put(CallLabels.FAILED, Boolean.toString(outcome.equals("failure")));
    }
    if (!outbound) {
      return Call.between(null, Calls.value(sent, owner), Side.SERVER, metric, unit, labels);
    }
    String to = Calls.naming(sent, nodeKeys, DESTINATION, DESTINATIONS);
    labels.remove(to);
    return Call.between(
        Calls.value(sent, owner), Calls.value(sent, to), Side.CLIENT, metric, unit, labels);
  }
}
