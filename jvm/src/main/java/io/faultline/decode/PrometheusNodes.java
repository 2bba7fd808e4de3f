package io.faultline.decode;

import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Where a Prometheus series names its node, if the configuration does not say.
 *
 * <ol>
 *   <li>Metrics of cAdvisor and kube-state-metrics ({@code container_...}, {@code kube_...}) tell
 *       of others than the process that was scraped: their node is the workload ({@code
 *       deployment}, {@code statefulset}, {@code daemonset}), else the workload of the {@code pod},
 *       else the container's {@code name}, else the machine ({@code node}).
 *   <li>Metrics of the node exporter ({@code node_...} of a job with "node" in its name) tell of a
 *       machine: {@code nodename}, {@code node}, else the host of {@code instance}.
 *   <li>All others: {@code service_name}, {@code service}, {@code app_kubernetes_io_name}, {@code
 *       app}, {@code job}. Of a job {@code namespace/name} the name counts.
 * </ol>
 */
final class PrometheusNodes implements LabelIdentity.Defaults {
  private static final String JOB = "job";
  private static final String INSTANCE = "instance";
  private static final List<String> WORKLOADS = List.of("deployment", "statefulset", "daemonset");
  private static final List<String> PODS = List.of("pod", "pod_name");
  private static final List<String> CONTAINERS =
      List.of("container_label_com_docker_compose_service", "name", "node");
  private static final List<String> MACHINES = List.of("nodename", "node");
  private static final List<String> SERVICES =
      List.of("service_name", "service", "app_kubernetes_io_name", "app");

  @Override
  @Nullable
  public String node(String metric, Map<String, String> labels, Map<String, String> rest) {
    String node = null;
    if (metric.startsWith("container_") || metric.startsWith("kube_")) {
      node = ofOthers(labels, rest);
    } else if (metric.startsWith("node_") && labels.getOrDefault(JOB, "").contains("node")) {
      node = machine(labels, rest);
    }
    if (node == null) {
      node = first(SERVICES, labels, rest);
    }
    return node == null ? job(labels, rest) : node;
  }

  @Nullable
  private static String ofOthers(Map<String, String> labels, Map<String, String> rest) {
    String workload = first(WORKLOADS, labels, rest);
    if (workload != null) {
      return workload;
    }
    for (String label : PODS) {
      String pod = labels.get(label);
      if (pod != null && !pod.isBlank()) {
        return Workloads.ofPod(pod);
      }
    }
    return first(CONTAINERS, labels, rest);
  }

  @Nullable
  private static String machine(Map<String, String> labels, Map<String, String> rest) {
    String name = first(MACHINES, labels, rest);
    String instance = labels.get(INSTANCE);
    if (name != null || instance == null) {
      return name;
    }
    int port = instance.lastIndexOf(':');
    return port > 0 ? instance.substring(0, port) : instance;
  }

  @Nullable
  private static String job(Map<String, String> labels, Map<String, String> rest) {
    String job = labels.get(JOB);
    int slash = job == null ? -1 : job.lastIndexOf('/');
    return slash >= 0 && slash < job.length() - 1
        ? job.substring(slash + 1)
        : LabelIdentity.take(JOB, labels, rest);
  }

  @Nullable
  private static String first(
      List<String> places, Map<String, String> labels, Map<String, String> rest) {
    for (String label : places) {
      String name = LabelIdentity.take(label, labels, rest);
      if (name != null) {
        return name;
      }
    }
    return null;
  }
}
