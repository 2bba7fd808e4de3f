package io.faultline.cep;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Patterns on one stream, through stock CEP and through what is hosted here. */
final class Trial {
  private final RandomStream stream;
  private final long seed;

  Trial(RandomStream stream, long seed) {
    this.stream = stream;
    this.seed = seed;
  }

  /** What differs for one pattern; "" = nothing. */
  record Outcome(List<String> stock, List<String> engine, List<String> operator) {
    boolean agrees() {
      return stock.equals(engine) && stock.equals(operator);
    }

    String told() {
      return "only stock: %s%nonly engine: %s%nonly operator: %s"
          .formatted(
              without(stock, stock.equals(engine) ? operator : engine),
              without(engine, stock),
              without(operator, stock));
    }

    private static List<String> without(List<String> lines, List<String> others) {
      List<String> out = new ArrayList<>(lines);
      others.forEach(out::remove);
      return out;
    }
  }

  /**
   * @param sources JSON of the patterns by id
   */
  Map<String, Outcome> run(Map<String, String> sources) throws Exception {
    List<PatternModel> models = new ArrayList<>();
    for (String source : sources.values()) {
      models.add(Patterns.read(source));
    }
    var stock = byPattern(StockCep.run(models, stream.events(), stream.lateness()));
    var engine = byPattern(HostedCep.engine(models, stream.events(), new Random(seed + 1)));
    var operator =
        byPattern(
            HostedCep.operator(
                List.copyOf(sources.values()),
                stream.events(),
                stream.lateness(),
                new Random(seed + 2)));
    Map<String, Outcome> out = new HashMap<>();
    for (String id : sources.keySet()) {
      List<String> none = List.of();
      out.put(
          id,
          new Outcome(
              stock.getOrDefault(id, none),
              engine.getOrDefault(id, none),
              operator.getOrDefault(id, none)));
    }
    return out;
  }

  private Map<String, List<String>> byPattern(List<String> lines) {
    Map<String, List<String>> out = new HashMap<>();
    for (String line : lines) {
      if (Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)) > stream.until()) {
        continue;
      }
      out.computeIfAbsent(line.substring(0, line.indexOf(' ')), id -> new ArrayList<>()).add(line);
    }
    out.values().forEach(l -> l.sort(null));
    return out;
  }

  /** The smallest pattern found that still differs, on the fewest samples, and what differs. */
  String shrunken(String id, String original) throws Exception {
    PatternShrinker shrinker =
        new PatternShrinker(pattern -> differs(stream.events(), id, pattern), 60);
    String source = shrinker.shrink(original);
    List<SampleEvent> events = stream.events();
    int tries = 40;
    for (int size = events.size() / 2; size > 0 && tries > 0; size /= 2) {
      for (int from = 0; from < events.size() && tries-- > 0; ) {
        List<SampleEvent> fewer = new ArrayList<>(events);
        fewer
            .subList(from, Math.min(events.size(), from + size))
            .removeIf(e -> !e.series().node().equals(StockCep.CLOCK));
        if (fewer.size() < events.size() && differs(fewer, id, source)) {
          events = fewer;
        } else {
          from += size;
        }
      }
    }
    Outcome outcome = new Trial(stream.with(events), seed).run(Map.of(id, source)).get(id);
    events.removeIf(e -> e.series().node().equals(StockCep.CLOCK));
    return "shrunken: %s%n%s%nlateness %d, samples %s"
        .formatted(source, outcome.told(), stream.lateness(), told(events));
  }

  private boolean differs(List<SampleEvent> fewer, String id, String source) throws Exception {
    return !new Trial(stream.with(fewer), seed).run(Map.of(id, source)).get(id).agrees();
  }

  private static List<String> told(List<SampleEvent> events) {
    return events.stream().map(e -> "%s/%s".formatted(e.series().node(), e)).toList();
  }
}
