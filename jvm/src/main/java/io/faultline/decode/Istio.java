package io.faultline.decode;

import io.faultline.records.CallLabels;
import io.faultline.records.Side;
import io.faultline.records.Signal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * Labels of Istio's standard metrics. The workload names a node; the canonical service, the service
 * and its host do where the workload is unknown, as for what lies outside the mesh or cannot be
 * reached.
 */
final class Istio {
  private static final String REPORTER = "reporter";
  private static final String NONE = "-";
  private static final List<String> TO =
      List.of(
          "destination_workload",
          "destination_canonical_service",
          "destination_app",
          "destination_service_name",
          "destination_service");
  private static final List<String> FROM =
      List.of("source_workload", "source_canonical_service", "source_app");

  /** Flags of Envoy which say that the callee, or the way to it, failed. */
  private static final Set<String> FAILURES =
      Set.of(
          "LH", "UH", "UT", "LR", "UR", "UC", "UF", "UO", "NR", "URX", "NC", "DT", "DF", "DO", "SI",
          "UPE", "UMSDR", "OM");

  /** Codes of gRPC that are the callee's fault. */
  private static final Set<String> GRPC_FAILURES = Set.of("2", "4", "12", "13", "14", "15");

  private Istio() {}

  static Call read(
      CallMetric metric,
      @Nullable String unit,
      Map<String, String> sent,
      List<String> nodeKeys,
      List<String> peerKeys) {
    String to = Calls.naming(sent, nodeKeys, "destination_", TO);
    String from = Calls.naming(sent, peerKeys, "source_", FROM);
    Map<String, String> labels = new HashMap<>(sent);
    labels.remove(to);
    labels.remove(from);
    Side side = side(labels.remove(REPORTER));
    if (metric.signal() == Signal.TRAFFIC) {
      labels.put(CallLabels.FAILED, Boolean.toString(failed(sent)));
    }
    if ("tcp".equals(sent.get("request_protocol"))) {
      labels.put(CallLabels.CONNECTION, "tcp");
    }
    String caller = from == null ? "" : Calls.value(sent, from);
    return Call.between(caller, Calls.value(sent, to), side, metric, unit, labels);
  }

  private static Side side(@Nullable String reporter) {
    return "source".equals(reporter) ? Side.CLIENT : Side.SERVER;
  }

  private static boolean failed(Map<String, String> labels) {
    String code = labels.getOrDefault("response_code", "");
    if (code.length() == 3 && code.charAt(0) == '5') {
      return true;
    }
    if (GRPC_FAILURES.contains(labels.getOrDefault("grpc_response_status", ""))) {
      return true;
    }
    for (String flag : labels.getOrDefault("response_flags", NONE).split(",")) {
      if (FAILURES.contains(flag.trim())) {
        return true;
      }
    }
    return false;
  }
}
