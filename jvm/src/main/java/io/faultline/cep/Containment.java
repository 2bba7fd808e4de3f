package io.faultline.cep;

import java.util.HashMap;
import java.util.Map;

/**
 * Which patterns had to be contained, and when that is worth telling: the first time, and each time
 * the count has grown tenfold. What is told is the count, so nothing is lost between.
 */
public final class Containment {
  /** Partial matches went, the oldest first, because a key held too many. */
  public static final String EVICTED = "partials_evicted";

  /** The automaton failed on a run, which was given up. */
  public static final String FAILED = "pattern_failures";

  /** A number could not be computed, such as a division by zero; the condition was false. */
  public static final String UNDEFINED = "condition_errors";

  private static final int TENFOLD = 10;

  private final Map<String, Long> next = new HashMap<>();

  /**
   * Whether to tell of it now.
   *
   * @param count of the pattern so far
   */
  public boolean isWorthTelling(CompiledPattern pattern, String reason, long count) {
    String what = pattern.model().versionedId() + ' ' + reason;
    if (count < next.getOrDefault(what, 1L)) {
      return false;
    }
    long after = 1;
    while (after <= count) {
      after *= TENFOLD;
    }
    next.put(what, after);
    return true;
  }
}
