package io.faultline.cep;

import static io.faultline.cep.Patterns.afterMatch;
import static io.faultline.cep.Patterns.agg;
import static io.faultline.cep.Patterns.contiguity;
import static io.faultline.cep.Patterns.field;
import static io.faultline.cep.Patterns.is;
import static io.faultline.cep.Patterns.json;
import static io.faultline.cep.Patterns.op;
import static io.faultline.cep.Patterns.pattern;
import static io.faultline.cep.Patterns.step;
import static io.faultline.cep.Patterns.times;
import static io.faultline.cep.Patterns.within;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.faultline.cep.PatternModel.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which patterns are taken, and what is said of those that are not. */
class PatternReaderTest {
  private static final String A = step("a", is("value", ">", 5));
  private static final String HIGH = is("value", ">", 9);
  private static final String LOW = is("value", "<", 1);
  private static final String NOT = contiguity("not_followed_by");

  @Test
  void everyKeyIsRead() throws Exception {
    PatternModel model =
        Patterns.read(
            "{'id':'p','version':3,'key':'node','maturity':'production','severity':'critical',"
                + "'runbook':'https://x','within_ms':30000,"
                + "'after_match':{'kind':'skip_to_last','step':'a'},"
                + "'select':{'signals':['cpu'],'metrics':null},'steps':["
                + A
                + ","
                + step("b", HIGH, "'one_or_more':true,'greedy':true,'until':" + LOW)
                + "]}");
    assertEquals(Key.NODE, model.key());
    assertEquals(30_000, model.withinMs());
    assertEquals("a", model.afterMatch().step());
    assertEquals("p@3", model.versionedId());
    assertTrue(model.steps().get(1).repeat().oneOrMore() && model.steps().get(1).repeat().greedy());
  }

  @Test
  void whatIsAbsentHasItsDefault() throws Exception {
    PatternModel model = Patterns.read(pattern("p", "", A));
    assertEquals("warning", model.severity());
    assertEquals(PatternModel.AfterMatch.NO_SKIP, model.afterMatch());
    assertEquals(PatternModel.Contiguity.FOLLOWED_BY, model.steps().get(0).repeat().contiguity());
    assertNull(model.runbook());
    assertEquals(0, model.withinMs());
  }

  /** The pattern, and what the reason must say. */
  static List<Arguments> refusals() {
    return List.of(
        Arguments.of(pattern("trailing-not", "", A, step("c", LOW, NOT)), "step 'c'"),
        Arguments.of(
            pattern(
                "optional-before-not",
                "",
                A,
                step("b", HIGH, "'optional':true"),
                step("c", LOW, NOT),
                step("d", is("value", ">", 20))),
            "step 'c': it follows step 'b'"),
        Arguments.of(
            pattern("not-optional", "", A, step("c", LOW, NOT, "'optional':true"), step("b", HIGH)),
            "step 'c'"),
        Arguments.of(
            pattern(
                "not-times",
                "",
                A,
                step("c", LOW, contiguity("not_next"), times(2, 2)),
                step("b", HIGH)),
            "step 'c'"),
        Arguments.of(
            pattern("skip-unknown", afterMatch("skip_to_first", "zz"), A, step("b", HIGH)), "'zz'"),
        Arguments.of(pattern("times-0", "", A, step("b", HIGH, times(0, 0))), "step 'b': times"),
        Arguments.of(pattern("times-3-2", "", A, step("b", HIGH, times(3, 2))), "step 'b': times"),
        Arguments.of(
            pattern("times-many", "", A, step("b", HIGH, times(1, 100_000))), "at most 1000"),
        Arguments.of(pattern("within-0", within(0), A), "within_ms"),
        Arguments.of(pattern("for-ever", within(Long.MAX_VALUE), A), "longer than a hundred years"),
        Arguments.of(pattern("first-not", within(9), step("a", HIGH, NOT)), "step 'a'"),
        Arguments.of(
            pattern("all-optional", "", step("a", HIGH, "'optional':true")),
            "every step is optional"),
        Arguments.of(
            pattern("empty-group", "", A, "{'group':[" + step("b", HIGH, "'optional':true") + "]}"),
            "group of step 'b': every step of the group is optional"),
        Arguments.of(
            pattern("no-group", "", A, "{'group':[" + step("b", HIGH) + "],'greedy':true}"),
            "Flink has no greedy groups"),
        Arguments.of(
            pattern(
                "not-group",
                "",
                A,
                "{'group':[" + step("b", HIGH) + "],'contiguity':'not_next'}",
                step("d", LOW)),
            "Flink has no negated groups"),
        Arguments.of(
            pattern(
                "group-ends-in-not",
                "",
                "{'group':[" + A + "," + step("b", HIGH, contiguity("not_next")) + "]}",
                step("d", LOW)),
            "step 'b': what must not happen cannot end a group"),
        Arguments.of(
            pattern(
                "skip-into",
                afterMatch("skip_to_last", "b"),
                A,
                "{'group':[" + step("b", HIGH) + "]}"),
            "outside groups"),
        Arguments.of(
            pattern("gap", within(5), A, step("b", HIGH, "'within_ms':6")), "cannot be larger"),
        Arguments.of(
            pattern(
                "states",
                "",
                "{'group':[" + step("a", HIGH, times(900, 900)) + "]," + times(90, 90) + "}"),
            "more than 10000 states"),
        Arguments.of(
            pattern("two-counts", "", step("a", HIGH, times(2, 2), "'one_or_more':true")),
            "step 'a'"),
        Arguments.of(pattern("greedy-one", "", step("a", HIGH, "'greedy':true")), "step 'a'"),
        Arguments.of(pattern("until-one", "", step("a", HIGH, "'until':" + LOW)), "step 'a'"),
        Arguments.of(
            pattern(
                "nowhere",
                within(9),
                A,
                step("n", LOW, NOT),
                step(
                    "b",
                    HIGH,
                    "'times':{'from':2}",
                    "'optional':true",
                    "'greedy':true",
                    "'until':" + LOW)),
            "step 'b': Flink makes an automaton that leads nowhere from it"),
        Arguments.of(pattern("twice", "", A, A), "step 'a': there are two"),
        Arguments.of(
            pattern(
                "later-step",
                "",
                step("a", op(">", field("value"), agg("first", "b", "value"))),
                step("b", HIGH)),
            "step 'a': where: 'b'"),
        Arguments.of(
            pattern("misspelt", "", step("a", is("valeu", ">", 5))), "step 'a': where: unknown"));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void refusedWithTheStep(String pattern, String reason) {
    PatternRefusedException refused =
        assertThrows(
            PatternRefusedException.class, () -> CompiledPattern.of(Patterns.read(pattern), true));
    assertTrue(refused.getMessage().contains(reason), refused.getMessage());
  }

  @Test
  void flinkTakesWhatIsNotRefused() throws Exception {
    List<String> taken =
        List.of(
            pattern("not-within", within(30_000), A, step("c", LOW, NOT)),
            pattern(
                "until",
                "",
                A,
                step("b", HIGH, "'one_or_more':true", "'until':" + is("value", "<", 2)),
                step("c", LOW)),
            pattern("any", "", "{'name':'a'}", step("b", HIGH)));
    for (String each : taken) {
      CompiledPattern compiled = CompiledPattern.of(Patterns.read(each), true);
      assertTrue(compiled.start().canReact(new Names().any()));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "{'id':'p','version':1,'key':'row','steps':[{'name':'a'}]}",
        "{'id':'p','version':1,'key':'node','fields':{},'steps':[{'name':'a'}]}",
        "{'id':'p','version':1,'key':'series','steps':[]}",
        "{'id':'p','version':1,'key':'series','steps':[{'group':[]}]}",
        "{'id':'p','version':1,'key':'series','steps':[{'group':[{'name':'a'}],'name':'g'}]}",
        "{'id':'p','version':1,'key':'series','steps':[{'name':'a:b'}]}",
        "{'id':'p','version':1,'key':'series','steps':[{'name':'a','witin':3}]}",
        "{'id':'p','version':1,'key':'series','owner':'x','steps':[{'name':'a'}]}",
        "{'id':'p','version':'1','key':'series','steps':[{'name':'a'}]}",
        "{'id':'p','version':1,'key':'series','severity':'bad','steps':[{'name':'a'}]}",
        "{'id':'p','version':1,'key':'series','within_ms':'30s','steps':[{'name':'a'}]}",
        "{'id':'p','version':1,'key':'series','steps':[{'name':'a','contiguity':'then'}]}",
        "{'id':'p','version':1,'key':'series','steps':[{'name':'a','optional':1}]}",
        "{'id':'p','version':1,'key':'series','after_match':{'kind':'skip_to_first'},"
            + "'steps':[{'name':'a'}]}",
        "{'id':'p','version':1,'key':'series','after_match':{'kind':'no_skip','step':'a'},"
            + "'steps':[{'name':'a'}]}"
      })
  void wrongFormIsRefused(String json) {
    assertThrows(PatternRefusedException.class, () -> Patterns.read(json));
  }

  @Test
  void aBadPatternStopsNoOther() {
    List<Refusal> refused = new ArrayList<>();
    String list =
        "[%s,{'id':'q','version':2,'key':'grahp'},%s,%s]"
            .formatted(pattern("p", "", A), pattern("r", "", A), pattern("p", "", A));
    List<PatternModel> models = PatternReader.readAll(json(list), refused);
    assertEquals(List.of("p", "r"), models.stream().map(PatternModel::id).toList());
    assertEquals(List.of("q", "p"), refused.stream().map(Refusal::pattern).toList());
    assertEquals(2, refused.get(0).version());
    CepEngine engine =
        new CepEngine(List.of(models.get(0), unruly(models.get(1))), CepSettings.DEFAULT);
    assertEquals(1, engine.patterns().size());
    assertEquals("r", engine.refused().get(0).pattern());
  }

  /** The same pattern with a step that Flink refuses. */
  private static PatternModel unruly(PatternModel model) {
    PatternModel.Repeat greedy =
        new PatternModel.Repeat(
            PatternModel.Contiguity.NEXT, null, false, false, true, false, false, null);
    return new PatternModel(
        model.id(),
        1,
        Key.SERIES,
        null,
        "info",
        null,
        0,
        PatternModel.AfterMatch.NO_SKIP,
        false,
        Map.of(),
        List.of(new PatternModel.Step("a", null, 0, greedy)));
  }
}
