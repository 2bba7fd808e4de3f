package io.faultline.node;

import java.util.HashMap;
import java.util.Map;

/**
 * Which graph went beyond which bound, for the audit: at the first time and whenever the count has
 * grown tenfold. Counts since the start of the subtask; of the first {@value #MOST} graphs and
 * bounds only.
 */
public final class Told {
  private static final int MOST = 10_000;

  private final Map<String, Long> counts = new HashMap<>();

  /** The count with this one, where it is to be told; 0 where not. */
  public long count(String graph, String reason) {
    String key = graph + '\n' + reason;
    if (counts.size() >= MOST && !counts.containsKey(key)) {
      return 0;
    }
    long count = counts.merge(key, 1L, Long::sum);
    long power = 1;
    while (power < count) {
      power *= 10;
    }
    return power == count ? count : 0;
  }
}
