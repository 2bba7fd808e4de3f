package io.faultline.cep;

import io.faultline.cep.PatternModel.Step;
import io.faultline.cep.PatternModel.Times;
import java.time.Duration;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.pattern.MalformedPatternException;
import org.apache.flink.cep.pattern.Pattern;

/**
 * Says a {@link PatternModel} in Flink's Pattern API; what Flink refuses is refused with its step.
 */
final class FlinkPatterns {
  private FlinkPatterns() {}

  /**
   * @param stats counts comparisons with something missing
   */
  static Pattern<SampleEvent, SampleEvent> build(PatternModel model, PatternStats stats)
      throws PatternRefusedException {
    Pattern<SampleEvent, SampleEvent> pattern = null;
    List<Step> steps = model.steps();
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      try {
        check(model, i);
        pattern = add(pattern, step, skip(model.afterMatch()), stats);
      } catch (PatternRefusedException e) {
        throw e.in("step '" + step.name() + "'");
      } catch (MalformedPatternException
          | IllegalArgumentException
          | IllegalStateException
          | UnsupportedOperationException e) {
        throw new PatternRefusedException("step '" + step.name() + "': " + e.getMessage());
      }
    }
    return model.withinMs() > 0 ? pattern.within(Duration.ofMillis(model.withinMs())) : pattern;
  }

  /** What Flink refuses late, silently accepts, or refuses without naming the step. */
  private static void check(PatternModel model, int index) throws PatternRefusedException {
    Step step = model.steps().get(index);
    if (step.times() != null && step.oneOrMore()) {
      throw new PatternRefusedException("'times' and 'one_or_more' exclude each other");
    }
    if (step.contiguity().isNegative()) {
      checkNegative(model, index, step);
    }
  }

  private static void checkNegative(PatternModel model, int index, Step step)
      throws PatternRefusedException {
    if (index == 0) {
      throw new PatternRefusedException("a pattern cannot begin with what must not happen");
    }
    if (step.times() != null
        || step.oneOrMore()
        || step.optional()
        || step.greedy()
        || step.consecutive()
        || step.combinations()
        || step.until() != null) {
      throw new PatternRefusedException("a step that must not happen takes no quantifier");
    }
    Step before = model.steps().get(index - 1);
    if (before.optional() || (before.times() != null && before.times().from() == 0)) {
      throw new PatternRefusedException(
          "it follows '" + before.name() + "', which is optional; write two patterns instead");
    }
    if (index == model.steps().size() - 1) {
      checkLast(model, step);
    }
  }

  private static void checkLast(PatternModel model, Step step) throws PatternRefusedException {
    if (step.contiguity() == PatternModel.Contiguity.NOT_NEXT) {
      throw new PatternRefusedException(
          "not_next cannot be last; use not_followed_by with 'within'");
    }
    if (model.withinMs() == 0) {
      throw new PatternRefusedException(
          "a pattern that ends in what must not happen needs 'within', else nothing decides it");
    }
  }

  private static Pattern<SampleEvent, SampleEvent> add(
      @Nullable Pattern<SampleEvent, SampleEvent> before,
      Step step,
      AfterMatchSkipStrategy skip,
      PatternStats stats) {
    Pattern<SampleEvent, SampleEvent> pattern =
        before == null ? Pattern.begin(step.name(), skip) : follow(before, step);
    pattern = repeat(pattern, step);
    if (step.where() != null) {
      pattern = pattern.where(new ExprCondition(step.where(), stats));
    }
    return step.until() == null ? pattern : pattern.until(new ExprCondition(step.until(), stats));
  }

  private static Pattern<SampleEvent, SampleEvent> follow(
      Pattern<SampleEvent, SampleEvent> before, Step step) {
    return switch (step.contiguity()) {
      case NEXT -> before.next(step.name());
      case FOLLOWED_BY -> before.followedBy(step.name());
      case FOLLOWED_BY_ANY -> before.followedByAny(step.name());
      case NOT_NEXT -> before.notNext(step.name());
      case NOT_FOLLOWED_BY -> before.notFollowedBy(step.name());
    };
  }

  private static Pattern<SampleEvent, SampleEvent> repeat(
      Pattern<SampleEvent, SampleEvent> pattern, Step step) {
    Pattern<SampleEvent, SampleEvent> out = pattern;
    Times times = step.times();
    if (step.oneOrMore()) {
      out = out.oneOrMore();
    } else if (times != null) {
      out = times(out, times);
    }
    if (step.optional()) {
      out = out.optional();
    }
    if (step.greedy()) {
      out = out.greedy();
    }
    if (step.consecutive()) {
      out = out.consecutive();
    }
    return step.combinations() ? out.allowCombinations() : out;
  }

  private static Pattern<SampleEvent, SampleEvent> times(
      Pattern<SampleEvent, SampleEvent> pattern, Times times) {
    if (times.to() < 0) {
      return pattern.timesOrMore(times.from());
    }
    return times.from() == times.to()
        ? pattern.times(times.from())
        : pattern.times(times.from(), times.to());
  }

  private static AfterMatchSkipStrategy skip(PatternModel.AfterMatch afterMatch) {
    return switch (afterMatch.kind()) {
      case NO_SKIP -> AfterMatchSkipStrategy.noSkip();
      case SKIP_TO_NEXT -> AfterMatchSkipStrategy.skipToNext();
      case SKIP_PAST_LAST -> AfterMatchSkipStrategy.skipPastLastEvent();
      case SKIP_TO_FIRST -> AfterMatchSkipStrategy.skipToFirst(afterMatch.step());
      case SKIP_TO_LAST -> AfterMatchSkipStrategy.skipToLast(afterMatch.step());
    };
  }
}
