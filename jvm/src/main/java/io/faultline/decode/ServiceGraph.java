package io.faultline.decode;

import io.faultline.records.CallLabels;
import io.faultline.records.Signal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Labels of the OpenTelemetry and Tempo service graph: {@code client} calls {@code server}, {@code
 * failed} parts the calls, {@code connection_type} says what carries them.
 */
final class ServiceGraph {
  private static final String CLIENT = "client";
  private static final String SERVER = "server";

  private ServiceGraph() {}

  static Call read(
      CallMetric metric,
      @Nullable String unit,
      Map<String, String> sent,
      List<String> nodeKeys,
      List<String> peerKeys) {
    String to = Calls.naming(sent, nodeKeys, SERVER, List.of(SERVER));
    String from = Calls.naming(sent, peerKeys, CLIENT, List.of(CLIENT));
    Map<String, String> labels = new HashMap<>(sent);
    labels.remove(to);
    labels.remove(from);
    if (metric.signal() == Signal.ERRORS) {
      labels.put(CallLabels.FAILED, "true");
    }
    String caller = from == null ? sent.getOrDefault(CLIENT, "") : Calls.value(sent, from);
    return Call.between(caller, Calls.value(sent, to), metric.side(), metric, unit, labels);
  }
}
