package io.faultline.cep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What a failed trial prints is about what failed, and is still a pattern. */
class PatternShrinkerTest {
  private static final String LOW = Patterns.is("value", "<", 3);
  private static final String HIGH = Patterns.is("value", ">", 7);
  private static final String BIG =
      Patterns.pattern(
          "p",
          "'within_ms':50," + Patterns.afterMatch("skip_past_last"),
          "{'group':["
              + Patterns.step("a", HIGH, "'optional':true")
              + ','
              + Patterns.step("b", Patterns.and(LOW, Patterns.is("z", ">", 1)), "'greedy':true")
              + "],'times':{'from':2,'to':2}}",
          Patterns.step("c", LOW, "'one_or_more':true", "'until':" + HIGH),
          Patterns.step("d", HIGH, Patterns.contiguity("next")));

  @Test
  void whatHasNothingToDoWithItGoes() throws Exception {
    String small = new PatternShrinker(p -> p.contains("until"), 1_000).shrink(BIG);
    PatternModel model = Patterns.read(small);
    assertEquals(1, model.parts().size());
    assertEquals("c", model.steps().get(0).name());
    assertEquals(PatternModel.Skip.NO_SKIP, model.afterMatch().kind());
    assertTrue(model.withinMs() > 0, "a window stays");
  }

  @Test
  void conditionsAreHalved() throws Exception {
    String small = new PatternShrinker(p -> p.contains("\"z\""), 1_000).shrink(BIG);
    assertFalse(small.contains("and"), small);
    assertFalse(small.contains("group"), small);
    assertEquals(1, Patterns.read(small).steps().size());
  }

  @Test
  void triesAreBounded() throws Exception {
    int[] asked = {0};
    new PatternShrinker(
            p -> {
              asked[0]++;
              return false;
            },
            5)
        .shrink(BIG);
    assertTrue(asked[0] <= 5);
  }

  @Test
  void ofWhatCannotBeSmallerNothingGoes() throws Exception {
    String only = Patterns.json(Patterns.pattern("p", "", Patterns.step("a", LOW))).toString();
    assertEquals(only, new PatternShrinker(p -> true, 100).shrink(only));
  }
}
