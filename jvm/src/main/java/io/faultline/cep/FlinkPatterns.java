package io.faultline.cep;

import io.faultline.cep.PatternModel.Contiguity;
import io.faultline.cep.PatternModel.Group;
import io.faultline.cep.PatternModel.Part;
import io.faultline.cep.PatternModel.Repeat;
import io.faultline.cep.PatternModel.Step;
import io.faultline.cep.PatternModel.Times;
import java.time.Duration;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.pattern.MalformedPatternException;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.WithinType;

/**
 * Says a {@link PatternModel} in Flink's Pattern API; what Flink refuses is refused with its step.
 */
final class FlinkPatterns {
  private final AfterMatchSkipStrategy skip;
  private final Conditions conditions;

  private FlinkPatterns(AfterMatchSkipStrategy skip, Conditions conditions) {
    this.skip = skip;
    this.conditions = conditions;
  }

  /**
   * @param conditions makes the conditions of the pattern
   */
  static Pattern<Event, Event> build(PatternModel model, Conditions conditions)
      throws PatternRefusedException {
    PartRules.check(model);
    FlinkPatterns builder = new FlinkPatterns(skip(model.afterMatch()), conditions);
    Pattern<Event, Event> pattern = builder.sequence(model.parts());
    return model.withinMs() > 0 ? pattern.within(Duration.ofMillis(model.withinMs())) : pattern;
  }

  private Pattern<Event, Event> sequence(List<Part> parts) throws PatternRefusedException {
    Pattern<Event, Event> pattern = null;
    for (Part part : parts) {
      try {
        pattern = repeat(add(pattern, part), part);
      } catch (MalformedPatternException
          | IllegalArgumentException
          | IllegalStateException
          | UnsupportedOperationException e) {
        throw new PatternRefusedException(part.label() + ": " + e.getMessage());
      }
    }
    return pattern;
  }

  private Pattern<Event, Event> add(@Nullable Pattern<Event, Event> before, Part part)
      throws PatternRefusedException {
    if (part instanceof Group group) {
      Pattern<Event, Event> inside = sequence(group.parts());
      return before == null
          ? Pattern.begin(inside, skip)
          : follow(before, inside, group.repeat().contiguity());
    }
    Step step = (Step) part;
    Pattern<Event, Event> pattern =
        before == null
            ? Pattern.begin(step.name(), skip)
            : follow(before, step.name(), step.repeat().contiguity());
    if (step.where() != null) {
      pattern = pattern.where(conditions.of(step.where()));
    }
    return step.withinMs() > 0 && !step.repeat().isCounted()
        ? pattern.within(Duration.ofMillis(step.withinMs()), WithinType.PREVIOUS_AND_CURRENT)
        : pattern;
  }

  private static Pattern<Event, Event> follow(
      Pattern<Event, Event> before, String name, Contiguity contiguity) {
    return switch (contiguity) {
      case NEXT -> before.next(name);
      case FOLLOWED_BY -> before.followedBy(name);
      case FOLLOWED_BY_ANY -> before.followedByAny(name);
      case NOT_NEXT -> before.notNext(name);
      case NOT_FOLLOWED_BY -> before.notFollowedBy(name);
    };
  }

  private static Pattern<Event, Event> follow(
      Pattern<Event, Event> before, Pattern<Event, Event> group, Contiguity contiguity) {
    return switch (contiguity) {
      case NEXT -> before.next(group);
      case FOLLOWED_BY -> before.followedBy(group);
      case FOLLOWED_BY_ANY -> before.followedByAny(group);
      default -> throw new UnsupportedOperationException("Flink has no negated groups");
    };
  }

  private Pattern<Event, Event> repeat(Pattern<Event, Event> pattern, Part part) {
    Repeat repeat = part.repeat();
    Pattern<Event, Event> out = times(pattern, repeat, gap(part));
    if (repeat.optional()) {
      out = out.optional();
    }
    if (repeat.greedy()) {
      out = out.greedy();
    }
    if (repeat.consecutive()) {
      out = out.consecutive();
    }
    if (repeat.combinations()) {
      out = out.allowCombinations();
    }
    return repeat.until() == null ? out : out.until(conditions.of(repeat.until()));
  }

  @Nullable
  private static Duration gap(Part part) {
    return part instanceof Step step && step.withinMs() > 0
        ? Duration.ofMillis(step.withinMs())
        : null;
  }

  private static Pattern<Event, Event> times(
      Pattern<Event, Event> pattern, Repeat repeat, @Nullable Duration gap) {
    Times times = repeat.times();
    if (repeat.oneOrMore()) {
      return pattern.oneOrMore(gap);
    }
    if (times == null) {
      return pattern;
    }
    if (times.to() < 0) {
      return pattern.timesOrMore(times.from(), gap);
    }
    return times.from() == times.to()
        ? pattern.times(times.from(), gap)
        : pattern.times(times.from(), times.to(), gap);
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
