package io.faultline.cep;

import io.faultline.cep.PatternModel.Contiguity;
import io.faultline.cep.PatternModel.Group;
import io.faultline.cep.PatternModel.Part;
import io.faultline.cep.PatternModel.Repeat;
import io.faultline.cep.PatternModel.Step;
import io.faultline.cep.PatternModel.Times;
import java.util.List;
import javax.annotation.Nullable;

/** What Flink refuses late, silently accepts, or refuses without naming the step. */
final class PartRules {
  /** Each repetition of each step is a state of the automaton. */
  private static final long MAX_STATES = 10_000;

  private PartRules() {}

  static void check(PatternModel model) throws PatternRefusedException {
    sequence(model.parts());
    last(model);
    if (states(model.parts()) > MAX_STATES) {
      throw new PatternRefusedException(
          "the repetitions multiply to more than " + MAX_STATES + " states");
    }
    if (model.parts().stream().allMatch(Part::canBeEmpty)) {
      throw new PatternRefusedException(
          "every step is optional: the pattern would match nothing at all");
    }
  }

  private static void sequence(List<Part> parts) throws PatternRefusedException {
    Part before = null;
    for (Part part : parts) {
      try {
        part(before, part);
      } catch (PatternRefusedException e) {
        throw e.in(part.label());
      }
      if (part instanceof Group group) {
        sequence(group.parts());
        groupEnd(group.parts().get(group.parts().size() - 1));
      }
      before = part;
    }
  }

  private static void part(@Nullable Part before, Part part) throws PatternRefusedException {
    Repeat repeat = part.repeat();
    if (repeat.times() != null && repeat.oneOrMore()) {
      throw new PatternRefusedException("'times' and 'one_or_more' exclude each other");
    }
    if (part instanceof Group group) {
      group(group);
    }
    if (repeat.contiguity().isNegative()) {
      negative(before, part);
    }
  }

  private static void group(Group group) throws PatternRefusedException {
    if (group.repeat().contiguity().isNegative()) {
      throw new PatternRefusedException("Flink has no negated groups");
    }
    if (group.repeat().greedy()) {
      throw new PatternRefusedException("Flink has no greedy groups");
    }
    if (group.parts().stream().allMatch(Part::canBeEmpty)) {
      // Repeated, Flink would follow it without end.
      throw new PatternRefusedException(
          "every step of the group is optional; make the group optional instead");
    }
  }

  private static void groupEnd(Part last) throws PatternRefusedException {
    if (last.repeat().contiguity().isNegative()) {
      throw new PatternRefusedException(
          last.label() + ": what must not happen cannot end a group; put it behind the group");
    }
  }

  private static void negative(@Nullable Part before, Part part) throws PatternRefusedException {
    Repeat repeat = part.repeat();
    if (before == null) {
      throw new PatternRefusedException("a pattern cannot begin with what must not happen");
    }
    if (repeat.isCounted()
        || repeat.optional()
        || repeat.greedy()
        || repeat.consecutive()
        || repeat.combinations()
        || repeat.until() != null) {
      throw new PatternRefusedException("a step that must not happen takes no quantifier");
    }
    Times times = before.repeat().times();
    if (before.repeat().optional() || (times != null && times.from() == 0)) {
      throw new PatternRefusedException(
          "it follows " + before.label() + ", which is optional; write two patterns instead");
    }
  }

  private static void last(PatternModel model) throws PatternRefusedException {
    Part last = model.parts().get(model.parts().size() - 1);
    if (last.repeat().contiguity() == Contiguity.NOT_FOLLOWED_BY
        && model.withinMs() == 0
        && ((Step) last).withinMs() == 0) {
      throw new PatternRefusedException(
          last.label()
              + ": a pattern that ends in what must not happen needs 'within', of its own or of the"
              + " pattern, else nothing decides it");
    }
  }

  private static long states(List<Part> parts) {
    long sum = 0;
    for (Part part : parts) {
      Times times = part.repeat().times();
      long repeats = times == null ? 1 : Math.max(times.from() + 1, times.to());
      sum += repeats * (part instanceof Group group ? states(group.parts()) : 1);
    }
    return sum;
  }
}
