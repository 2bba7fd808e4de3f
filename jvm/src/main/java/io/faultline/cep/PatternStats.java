package io.faultline.cep;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Counts of one pattern in one subtask since it was compiled. Not part of the state. Written by the
 * task; may be read by other threads, which then see a recent value.
 */
public final class PatternStats {
  long starts;
  long steps;
  long matches;
  long timeouts;
  long evicted;
  long failed;
  long dropped;
  long partials;
  long nanos;

  private final List<ConditionCounts> conditions = new CopyOnWriteArrayList<>();

  /** The first {@link #counters} of them count events. */
  private volatile long[][] seen = new long[8][];

  private volatile int counters;

  /** Adds a condition whose counts are this pattern's, too. */
  void count(ConditionCounts counts) {
    if (conditions.stream().noneMatch(each -> each == counts)) {
      conditions.add(counts);
    }
  }

  /** Adds a counter of events that can matter to the pattern. */
  void sees(long[] counter) {
    int n = counters;
    if (n == seen.length) {
      seen = Arrays.copyOf(seen, 2 * n);
    }
    seen[n] = counter;
    counters = n + 1;
  }

  /** The counters of events that can matter to the pattern count no more. */
  void settleSeen() {
    long sum = seen();
    counters = 0;
    seen = new long[8][];
    sees(new long[] {sum});
  }

  /** Events whose metric and signal the pattern looks at. */
  public long seen() {
    int n = counters;
    long[][] all = seen;
    long sum = 0;
    for (int i = 0; i < Math.min(n, all.length); i++) {
      sum += all[i] == null ? 0 : all[i][0];
    }
    return sum;
  }

  /** Events that began a partial match. */
  public long starts() {
    return starts;
  }

  /** Events that went through the automaton. */
  public long steps() {
    return steps;
  }

  public long matches() {
    return matches;
  }

  public long timeouts() {
    return timeouts;
  }

  /** Partial matches that went because a key held too many. */
  public long evicted() {
    return evicted;
  }

  /** Runs given up because the automaton failed. */
  public long failed() {
    return failed;
  }

  /** Partial and withheld matches that went with an older form of the pattern. */
  public long dropped() {
    return dropped;
  }

  /** Partial and withheld matches that are held, as far as they began in this subtask. */
  public long partials() {
    return Math.max(0, partials);
  }

  /** Time in the automaton, ns. */
  public long nanos() {
    return nanos;
  }

  /** Comparisons and tests that were false because something was missing. */
  public long missing() {
    long sum = 0;
    for (ConditionCounts counts : conditions) {
      sum += counts.missing;
    }
    return sum;
  }

  /** Numbers that could not be computed, such as a division by zero. */
  public long undefined() {
    long sum = 0;
    for (ConditionCounts counts : conditions) {
      sum += counts.undefined;
    }
    return sum;
  }
}
