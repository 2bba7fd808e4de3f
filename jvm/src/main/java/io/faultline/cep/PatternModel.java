package io.faultline.cep;

import java.io.Serializable;
import java.util.List;
import javax.annotation.Nullable;

/**
 * A pattern as Python ships it, read and checked for form. What its constructs mean is Flink's
 * Pattern API.
 *
 * @param key what one run of the automaton follows
 * @param severity critical, warning or info
 * @param withinMs from the first sample of a match to its end, exclusive; 0 = no limit
 */
public record PatternModel(
    String id,
    int version,
    Key key,
    @Nullable String maturity,
    String severity,
    @Nullable String runbook,
    long withinMs,
    AfterMatch afterMatch,
    List<Step> steps)
    implements Serializable {

  /** What one run of the automaton follows. */
  public enum Key {
    SERIES,
    NODE
  }

  /** How a step follows the one before it. */
  public enum Contiguity {
    NEXT,
    FOLLOWED_BY,
    FOLLOWED_BY_ANY,
    NOT_NEXT,
    NOT_FOLLOWED_BY;

    boolean isNegative() {
      return this == NOT_NEXT || this == NOT_FOLLOWED_BY;
    }
  }

  /** What happens to overlapping partial matches once a match is found. */
  public enum Skip {
    NO_SKIP,
    SKIP_TO_NEXT,
    SKIP_PAST_LAST,
    SKIP_TO_FIRST,
    SKIP_TO_LAST;

    boolean namesStep() {
      return this == SKIP_TO_FIRST || this == SKIP_TO_LAST;
    }
  }

  /**
   * @param step the step skipped to, null where the kind names none
   */
  public record AfterMatch(Skip kind, @Nullable String step) implements Serializable {
    public static final AfterMatch NO_SKIP = new AfterMatch(Skip.NO_SKIP, null);
  }

  /**
   * How often a step repeats.
   *
   * @param to -1 = no upper limit
   */
  public record Times(int from, int to) implements Serializable {}

  /**
   * @param where null = any sample
   * @param until ends a loop, null = nothing does
   */
  public record Step(
      String name,
      @Nullable Expr where,
      Contiguity contiguity,
      @Nullable Times times,
      boolean oneOrMore,
      boolean optional,
      boolean greedy,
      boolean consecutive,
      boolean combinations,
      @Nullable Expr until)
      implements Serializable {}

  /** Identity of this version: what active runs are stored under. */
  public String versionedId() {
    return id + '@' + version;
  }
}
