package io.faultline.cep;

import static io.faultline.cep.Patterns.contiguity;
import static io.faultline.cep.Patterns.is;
import static io.faultline.cep.Patterns.pattern;
import static io.faultline.cep.Patterns.step;
import static io.faultline.cep.Patterns.within;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loops long enough to be numbered anew tell what stock Flink tells, and stay small. */
class LongChainsTest {
  private static final String START = step("s", is("value", "<", 1));
  private static final String LOOP =
      step("a", is("value", ">=", 1), "'one_or_more':true,'greedy':true");

  private static String where(String name, double from, String... more) {
    return step(name, is("value", ">=", from), more);
  }

  /** Branches that begin, and begin and end, in and behind a long chain. */
  private static List<String> patterns() {
    String plain = "'one_or_more':true";
    return List.of(
        pattern("greedy", within(900), START, LOOP, step("e", is("value", "<", 1))),
        pattern("relaxed", within(900), START, where("a", 2, plain), where("e", 8)),
        pattern("twice", within(900), START, LOOP, where("b", 7, plain), where("e", 8)),
        pattern(
            "any",
            within(900),
            START,
            LOOP,
            where("b", 8, contiguity("followed_by_any")),
            step("e", is("value", "<", 1))),
        pattern(
            "skipping",
            within(900) + ",'after_match':{'kind':'skip_past_last'}",
            START,
            LOOP,
            where("e", 8, contiguity("next"))),
        pattern("counted", within(900), START, where("a", 3, "'times':{'from':12,'to':14}")));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void sameAsStock(long seed) throws Exception {
    Random random = new Random(seed);
    List<SampleEvent> events = new ArrayList<>();
    for (int i = 0; i < 240; i++) {
      int value = random.nextInt(25) == 0 ? 0 : 1 + random.nextInt(random.nextInt(9) == 0 ? 9 : 6);
      events.add(StockCep.event("n", "m", i * 10L, value, i + 1));
    }
    List<PatternModel> models = new ArrayList<>();
    for (String pattern : patterns()) {
      models.add(Patterns.read(pattern));
    }
    List<String> stock = StockCep.run(models, events, 0);
    List<String> ours = HostedCep.engine(models, events, random);
    assertTrue(stock.size() > 100, "something is found");
    assertEquals(
        stock.stream().filter(line -> !line.contains(" 9223372036854775807")).sorted().toList(),
        ours.stream().sorted().toList());
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, 4_000})
  void aLoopTakesAsMuchAsItsEvents(int events) throws Exception {
    Player player =
        new Player(
            new CepSettings(1_000, true),
            pattern("p", "", START, LOOP, step("e", is("value", "<", 0))));
    player.sample("n", 0, 0);
    for (int i = 1; i <= events; i++) {
      player.sample("n", i, 5);
    }
    DataOutputSerializer out = new DataOutputSerializer(1024);
    KeyRunsSerializer.INSTANCE.serialize(player.runs.get("n"), out);
    assertTrue(out.length() < 400 * events, out.length() + " bytes for " + events + " events");
  }
}
