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

  /** Whether steps may have a window of their own. */
  private final boolean gaps;

  private boolean perSeries;
  private int steps;
  private List<String> takes;

  /**
   * @param gaps whether steps may have a window of their own; each pattern then has one
   */
  RandomPatterns(long seed, boolean gaps) {
    this.random = new Random(seed);
    this.gaps = gaps;
  }

  /** The JSON of a pattern that is not refused. */
  String next(String id) {
    while (true) {
      String json = draw(id);
      if (gaps != json.contains("'within_ms':" + GAP)) {
        continue;
      }
      try {
        CompiledPattern.of(Patterns.read(json), true);
        return json;
      } catch (PatternRefusedException refused) {
        // Drawn again.
      }
    }
  }

  /** Windows of steps; those of patterns are longer. */
  static final int GAP = 3;

  private String draw(String id) {
    perSeries = random.nextInt(3) == 0;
    bounded = gaps ? random.nextBoolean() : random.nextInt(4) > 0;
    steps = 0;
    takes = new ArrayList<>();
    int n = 1 + random.nextInt(4);
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      parts.add(part(i == 0, 0));
    }
    return "{'id':'%s','version':1,'key':'%s'%s,%s,'steps':[%s]}"
        .formatted(
            id,
            perSeries ? "series" : "node",
            bounded ? ",'within_ms':" + window() : "",
            skip(),
            String.join(",", parts));
  }

  private int window() {
    return gaps ? 4 + random.nextInt(6) : 10 + random.nextInt(perSeries ? 60 : 25);
  }

  private String skip() {
    return random.nextBoolean() || takes.isEmpty()
        ? Patterns.afterMatch(pick(SKIPS))
        : Patterns.afterMatch(pick(STEP_SKIPS), takes.get(random.nextInt(takes.size())));
  }

  private String part(boolean first, int depth) {
    if (depth < 2 && random.nextInt(5) == 0) {
      return group(depth);
    }
    return step(!first && random.nextInt(4) == 0, depth);
  }

  private String group(int depth) {
    List<String> inside = new ArrayList<>();
    for (int i = 0, n = 1 + random.nextInt(2); i < n; i++) {
      inside.add(part(i == 0, depth + 1));
    }
    List<String> extra = new ArrayList<>();
    extra.add(contiguity(pick(bounded && depth == 0 ? FOLLOWS : LINEAR)));
    repeat(extra, depth + 1);
    extra.removeIf(e -> e.contains("greedy"));
    return "{'group':[%s],%s}".formatted(String.join(",", inside), String.join(",", extra));
  }

  private String step(boolean not, int depth) {
    String name = "s" + steps++;
    if (!not) {
      takes.add(name);
    }
    List<String> extra = new ArrayList<>();
    extra.add(contiguity(pick(not ? NOTS : bounded && depth == 0 ? FOLLOWS : LINEAR)));
    if (!not) {
      repeat(extra, depth);
    }
    if (gaps) {
      maybe(extra, "'within_ms':" + GAP, 2);
    }
    return Patterns.step(name, condition(takes), extra.toArray(String[]::new));
  }

  private void repeat(List<String> extra, int depth) {
    boolean loops = false;
    switch (random.nextInt(bounded ? 6 + depth : 2 + depth)) {
      case 0 -> extra.add(times(2, 2));
      case 1 -> extra.add(times(1, 2 + random.nextInt(2)));
      case 2 -> {
        loops = bounded;
        extra.add(bounded ? "'times':{'from':2}" : times(2, 3));
      }
      case 3 -> {
        loops = bounded;
        extra.add(bounded ? "'one_or_more':true" : times(3, 3));
      }
      default -> {}
    }
    maybe(extra, "'optional':true", 4);
    maybe(extra, "'greedy':true", 5);
    // A loop over any combination of samples has as many partial matches as there are subsets: they
    // double with every sample in the window, and where all series have one in each millisecond no
    // automaton comes to an end.
    boolean endless = gaps && loops;
    boolean strict = !bounded || depth > 0 || endless || random.nextBoolean();
    maybe(extra, strict ? "'consecutive':true" : "'combinations':true", 4);
    if (loops && random.nextInt(4) == 0) {
      extra.add("'until':" + condition(List.of()));
    }
  }

  private void maybe(List<String> extra, String what, int oneIn) {
    if (random.nextInt(oneIn) == 0) {
      extra.add(what);
    }
  }

  private String condition(List<String> seen) {
    String base =
        perSeries
            ? is("value", pick("<", ">"), 20 + random.nextInt(60))
            : op("==", field("metric"), text(pick("a", "b", "c")));
    if (!perSeries && random.nextInt(3) == 0) {
      base = and(base, is("value", pick("<", ">"), 20 + random.nextInt(60)));
    }
    if (random.nextInt(8) == 0) {
      base = "{'op':'not','arg':" + base + "}";
    }
    if (!seen.isEmpty() && random.nextInt(3) == 0) {
      String step = seen.get(random.nextInt(seen.size()));
      String fold = pick("first", "last", "avg", "max");
      String compared = op(pick("<", ">"), field("value"), agg(fold, step, "value"));
      return seen.size() == 1 ? Patterns.or(compared, base) : and(base, compared);
    }
    return base;
  }

  private String pick(String... options) {
    return options[random.nextInt(options.length)];
  }
}
