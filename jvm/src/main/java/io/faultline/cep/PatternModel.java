package io.faultline.cep;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * A pattern as Python ships it, read and checked for form. What its constructs mean is Flink's
 * Pattern API.
 *
 * @param key what one run of the automaton follows
 * @param severity critical, warning or info
 * @param withinMs from the first sample of a match to its end, exclusive; 0 = no limit
 * @param timeoutIsMatch whether a partial match that ran out of time is told as a match
 * @param fields of the row, where the key is a row; else empty
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
    boolean timeoutIsMatch,
    Map<String, Expr.Type> fields,
    List<Part> parts)
    implements Serializable {

  /** What one run of the automaton follows. */
  public enum Key {
    SERIES,
    NODE,
    GRAPH,
    ROW
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
   * How a step or a group follows and repeats.
   *
   * @param until ends a loop, null = nothing does
   */
  public record Repeat(
      Contiguity contiguity,
      @Nullable Times times,
      boolean oneOrMore,
      boolean optional,
      boolean greedy,
      boolean consecutive,
      boolean combinations,
      @Nullable Expr until)
      implements Serializable {

    /** Whether it may go on without end. */
    boolean isLoop() {
      return oneOrMore || (times != null && times.to() < 0);
    }

    boolean isCounted() {
      return oneOrMore || times != null;
    }
  }

  /** A step, or a group of parts. */
  public sealed interface Part extends Serializable {
    Repeat repeat();

    /** How the part is named to a person. */
    String label();

    /** Whether a match can do without a sample of it. */
    boolean canBeEmpty();
  }

  /**
   * @param where null = any sample
   * @param withinMs from the sample before it, exclusive; 0 = no limit
   */
  public record Step(String name, @Nullable Expr where, long withinMs, Repeat repeat)
      implements Part {
    @Override
    public String label() {
      return "step '" + name + "'";
    }

    @Override
    public boolean canBeEmpty() {
      return repeat.optional() || repeat.contiguity().isNegative();
    }
  }

  /** Parts that are taken, repeated or left out together. */
  public record Group(List<Part> parts, Repeat repeat) implements Part {
    @Override
    public String label() {
      return "group of " + steps(parts).get(0).label();
    }

    @Override
    public boolean canBeEmpty() {
      return repeat.optional() || parts.stream().allMatch(Part::canBeEmpty);
    }
  }

  /** All steps in order, those in groups too. */
  public List<Step> steps() {
    return steps(parts);
  }

  private static List<Step> steps(List<Part> parts) {
    List<Step> out = new ArrayList<>();
    for (Part part : parts) {
      if (part instanceof Group group) {
        out.addAll(steps(group.parts()));
      } else {
        out.add((Step) part);
      }
    }
    return out;
  }

  /** Identity of this version: what active runs are stored under. */
  public String versionedId() {
    return id + '@' + version;
  }
}
