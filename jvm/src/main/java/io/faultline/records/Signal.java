package io.faultline.records;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import javax.annotation.Nullable;

/** What a metric measures. The ordinal is the index in frames and in the model's tensors. */
public enum Signal {
  CPU,
  MEMORY,
  DISK,
  NETWORK,
  LATENCY,
  ERRORS,
  TRAFFIC,
  SATURATION,
  AVAILABILITY,
  RESTARTS,
  OTHER;

  public static final int COUNT = values().length;

  private static final Map<String, Signal> BY_NAME = new HashMap<>();
  private static final Signal[] VALUES = values();

  static {
    for (Signal s : VALUES) {
      BY_NAME.put(s.wireName(), s);
    }
  }

  private final String wireName = name().toLowerCase(Locale.ROOT);

  /** The name on the wire and in patterns, such as {@code "cpu"}. */
  public String wireName() {
    return wireName;
  }

  /** The signal of that wire name, or null where there is none. */
  @Nullable
  public static Signal ofWireName(String name) {
    return BY_NAME.get(name);
  }

  public static Signal ofIndex(int index) {
    return VALUES[index];
  }
}
