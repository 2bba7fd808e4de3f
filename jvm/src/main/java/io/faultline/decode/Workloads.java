package io.faultline.decode;

/**
 * The workload of a Kubernetes pod, from the pod's name: {@code cart-7d9f8b6c5-x2x9z} (a
 * Deployment), {@code agent-x2x9z} (a DaemonSet or Job) and {@code db-0} (a StatefulSet) are of
 * {@code cart}, {@code agent} and {@code db}. Kubernetes makes these endings of a fixed alphabet.
 */
final class Workloads {
  private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
  private static final int POD_SUFFIX = 5;
  private static final int SHORTEST_HASH = 6;
  private static final int LONGEST_HASH = 10;
  private static final int LONGEST_ORDINAL = 4;

  private Workloads() {}

  static String ofPod(String pod) {
    int dash = pod.lastIndexOf('-');
    if (dash < 1) {
      return pod;
    }
    if (pod.length() - dash - 1 == POD_SUFFIX && isRandom(pod, dash + 1, pod.length())) {
      return withoutHash(pod.substring(0, dash));
    }
    boolean ordinal = pod.length() - dash - 1 <= LONGEST_ORDINAL && digits(pod, dash + 1) > 0;
    return ordinal && digits(pod, dash + 1) == pod.length() - dash - 1
        ? pod.substring(0, dash)
        : pod;
  }

  /** Without the hash of a ReplicaSet, or the time of a CronJob's run. */
  private static String withoutHash(String owner) {
    int dash = owner.lastIndexOf('-');
    int length = owner.length() - dash - 1;
    if (dash < 1 || length < SHORTEST_HASH || digits(owner, dash + 1) == 0) {
      return owner;
    }
    boolean hash = length <= LONGEST_HASH && isRandom(owner, dash + 1, owner.length());
    boolean time = digits(owner, dash + 1) == length;
    return hash || time ? owner.substring(0, dash) : owner;
  }

  private static boolean isRandom(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      if (ALPHABET.indexOf(text.charAt(i)) < 0) {
        return false;
      }
    }
    return true;
  }

  private static int digits(String text, int from) {
    int count = 0;
    for (int i = from; i < text.length(); i++) {
      count += text.charAt(i) >= '0' && text.charAt(i) <= '9' ? 1 : 0;
    }
    return count;
  }
}
