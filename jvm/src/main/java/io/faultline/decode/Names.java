package io.faultline.decode;

import java.util.Set;
import javax.annotation.Nullable;

/** The rules for names of nodes. */
public final class Names {
  private static final Set<String> NEVER = Set.of("", "unknown", "PassthroughCluster", "user");
  private static final String UNKNOWN_SERVICE = "unknown_service";

  private Names() {}

  /**
   * The name without surrounding white space, or null where it names no node: the empty name,
   * "unknown", "unknown_service...", "PassthroughCluster" and "user" stand for many things at once
   * and would join what is unrelated.
   */
  @Nullable
  public static String node(@Nullable String raw) {
    if (raw == null) {
      return null;
    }
    String name = raw.trim();
    return NEVER.contains(name) || name.startsWith(UNKNOWN_SERVICE) ? null : name;
  }
}
