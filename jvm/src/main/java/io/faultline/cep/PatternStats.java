package io.faultline.cep;

import java.io.Serializable;

/** Counts of one pattern in one subtask since it was compiled. Not part of the state. */
public final class PatternStats implements Serializable {
  long starts;
  long steps;
  long matches;
  long timeouts;
  long evicted;
  long failed;
  long missing;

  /** Samples that began a run on a key without one. */
  public long starts() {
    return starts;
  }

  /** Samples that went through the automaton. */
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

  /** Comparisons that were false because a side was missing. */
  public long missing() {
    return missing;
  }
}
