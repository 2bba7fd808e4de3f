package io.faultline.decode;

import java.util.Locale;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * The rules for names of nodes, the same in every format: docs/how-to/run-the-job.md tells them.
 */
public final class Names {
  /** Longer names are a mistake of the sender, and cost in every frame. */
  private static final int LONGEST = 512;

  private static final String CLUSTER_SERVICE = ".svc";

  /**
   * What stands for many things at once and would join what is unrelated, in lower case: nothing
   * said, callers without instruments, and Envoy's clusters for what it cannot place.
   */
  private static final Set<String> NEVER =
      Set.of(
          "",
          "-",
          "unknown",
          "<unknown>",
          "undefined",
          "null",
          "none",
          "user",
          "passthroughcluster",
          "inboundpassthroughcluster",
          "inboundpassthroughclusteripv4",
          "inboundpassthroughclusteripv6",
          "blackholecluster");

  private static final String UNKNOWN_SERVICE = "unknown_service";

  private Names() {}

  /**
   * The name of a node, or null where it names none. White space around a name is dropped, and a
   * host of a Kubernetes service (cart.shop.svc, cart.shop.svc.cluster.local) is its first part.
   * Case, ports and everything else stay: names that differ are different nodes.
   */
  @Nullable
  public static String node(@Nullable String raw) {
    if (raw == null) {
      return null;
    }
    String name = service(clean(raw).strip()).strip();
    if (name.length() > LONGEST || name.startsWith(UNKNOWN_SERVICE)) {
      return null;
    }
    return NEVER.contains(name.toLowerCase(Locale.ROOT)) ? null : name;
  }

  /** The name of a graph without control characters and white space around it, or null. */
  @Nullable
  static String graph(@Nullable String raw) {
    String name = raw == null ? "" : clean(raw).strip();
    return name.isEmpty() ? null : name;
  }

  /** Control characters part keys and labels here, so a name has none. */
  private static String clean(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (Character.isISOControl(name.charAt(i))) {
        return name.replaceAll("\\p{Cntrl}", " ");
      }
    }
    return name;
  }

  private static String service(String name) {
    int at = name.indexOf(CLUSTER_SERVICE);
    int dot = name.indexOf('.');
    if (at < 0 || dot < 1 || dot >= at) {
      return name;
    }
    int end = at + CLUSTER_SERVICE.length();
    boolean whole = end == name.length() || ".:".indexOf(name.charAt(end)) >= 0;
    return whole && name.indexOf('.', dot + 1) == at ? name.substring(0, dot) : name;
  }
}
