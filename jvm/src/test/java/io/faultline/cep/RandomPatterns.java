package io.faultline.cep;

import static io.faultline.cep.Patterns.agg;
import static io.faultline.cep.Patterns.and;
import static io.faultline.cep.Patterns.contiguity;
import static io.faultline.cep.Patterns.field;
import static io.faultline.cep.Patterns.is;
import static io.faultline.cep.Patterns.op;
import static io.faultline.cep.Patterns.text;
import static io.faultline.cep.Patterns.times;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random patterns out of all constructs that the model has. About half of what is drawn is refused,
 * by Flink or before it, and drawn again.
 */
final class RandomPatterns {
  private static final String[] FOLLOWS = {"next", "followed_by", "followed_by_any"};
  private static final String[] LINEAR = {"next", "followed_by"};
  private static final String[] NOTS = {"not_next", "not_followed_by"};
  private static final String[] SKIPS = {"no_skip", "skip_to_next", "skip_past_last"};
  private static final String[] STEP_SKIPS = {"skip_to_first", "skip_to_last"};

  private final Random random;

  /** Of the pattern being drawn: whether it has a window; without one it must not branch. */
  private boolean bounded;

  RandomPatterns(long seed) {
    this.random = new Random(seed);
  }

  /** The JSON of a pattern that is not refused. */
  String next(String id) {
    while (true) {
      String json = draw(id);
      try {
        CompiledPattern.of(Patterns.read(json), true);
        return json;
      } catch (PatternRefusedException refused) {
        // Drawn again.
      }
    }
  }

  private String draw(String id) {
    boolean perSeries = random.nextInt(3) == 0;
    bounded = random.nextInt(4) > 0;
    int n = 1 + random.nextInt(4);
    List<String> steps = new ArrayList<>();
    List<String> takes = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      boolean not = i > 0 && random.nextInt(4) == 0;
      String name = "s" + i;
      if (!not) {
        takes.add(name);
      }
      steps.add(step(name, not, perSeries, takes));
    }
    return "{'id':'%s','version':1,'key':'%s'%s,%s,'steps':[%s]}"
        .formatted(
            id,
            perSeries ? "series" : "node",
            bounded ? ",'within_ms':" + (10 + random.nextInt(perSeries ? 60 : 25)) : "",
            skip(takes),
            String.join(",", steps));
  }

  private String skip(List<String> takes) {
    return random.nextBoolean()
        ? Patterns.afterMatch(pick(SKIPS))
        : Patterns.afterMatch(pick(STEP_SKIPS), takes.get(random.nextInt(takes.size())));
  }

  private String step(String name, boolean not, boolean perSeries, List<String> takes) {
    List<String> extra = new ArrayList<>();
    extra.add(contiguity(pick(not ? NOTS : bounded ? FOLLOWS : LINEAR)));
    if (!not) {
      repeat(extra, perSeries);
    }
    return Patterns.step(name, condition(perSeries, takes), extra.toArray(String[]::new));
  }

  private void repeat(List<String> extra, boolean perSeries) {
    boolean loops = false;
    switch (random.nextInt(bounded ? 6 : 2)) {
      case 0 -> extra.add(times(2, 2));
      case 1 -> extra.add(times(1, 3));
      case 2 -> {
        extra.add("'times':{'from':2}");
        loops = true;
      }
      case 3 -> {
        extra.add("'one_or_more':true");
        loops = true;
      }
      default -> {}
    }
    maybe(extra, "'optional':true", 4);
    maybe(extra, "'greedy':true", 5);
    boolean strict = !bounded || random.nextBoolean();
    maybe(extra, strict ? "'consecutive':true" : "'combinations':true", 4);
    if (loops && random.nextInt(4) == 0) {
      extra.add("'until':" + condition(perSeries, List.of()));
    }
  }

  private void maybe(List<String> extra, String what, int oneIn) {
    if (random.nextInt(oneIn) == 0) {
      extra.add(what);
    }
  }

  private String condition(boolean perSeries, List<String> takes) {
    String base =
        perSeries
            ? is("value", pick("<", ">"), 20 + random.nextInt(60))
            : op("==", field("metric"), text(pick("a", "b", "c")));
    if (!takes.isEmpty() && random.nextInt(3) == 0) {
      String step = takes.get(random.nextInt(takes.size()));
      String fold = pick("first", "last", "avg", "max");
      String compared = op(pick("<", ">"), field("value"), agg(fold, step, "value"));
      return takes.size() == 1 ? Patterns.or(compared, base) : and(base, compared);
    }
    return base;
  }

  private String pick(String... options) {
    return options[random.nextInt(options.length)];
  }
}
