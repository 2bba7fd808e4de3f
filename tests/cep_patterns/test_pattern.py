"""The fluent API makes the very model that YAML makes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import yaml

from cep_patterns.document import read_document
from cep_patterns.model import StepModel
from cep_patterns.pattern import AfterMatch, Pattern, WithinType
from cep_patterns.rows import find
from records.errors import PatternError


def from_yaml(text: str) -> object:
    pattern, found = read_document(yaml.safe_load(text))
    assert pattern is not None, found
    return pattern


def test_the_design_s_example() -> None:
    pattern = (
        Pattern.begin("start", after_match=AfterMatch.skip_past_last)
        .where('signal == "cpu"')
        .next("peak")
        .where("value > 95 and value > first(start).value")
        .within("30s")
    )
    made = pattern.model("cpu-peak-after-start", severity="critical", owner="sre", misses=["a"])
    assert made == from_yaml("""
        id: cpu-peak-after-start
        version: 1
        key: series
        owner: sre
        misses: [a]
        severity: critical
        within: 30s
        after_match: skip_past_last
        steps:
        - {name: start, where: signal == "cpu"}
        - {name: peak, where: value > 95 and value > first(start).value, contiguity: next}
    """)


def test_every_method_reaches_the_model() -> None:
    pattern = (
        Pattern.begin("a", after_match=AfterMatch.skip_to_last("d"))
        .times(2, 3)
        .consecutive()
        .not_next("b")
        .where("value > 1")
        .followed_by("c")
        .one_or_more()
        .allow_combinations()
        .until("value < 0")
        .not_followed_by("e")
        .where("z > 9")
        .followed_by_any("d")
        .times(2)
        .followed_by("f")
        .times_or_more(2)
        .greedy()
        .followed_by("g")
        .within("1h")
    )
    assert pattern.model("p", key="node") == from_yaml("""
        id: p
        version: 1
        key: node
        within: 1h
        after_match: {skip_to_last: d}
        steps:
        - {name: a, times: {from: 2, to: 3}, consecutive: true}
        - {name: b, contiguity: not_next, where: value > 1}
        - {name: c, one_or_more: true, combinations: true, until: value < 0}
        - {name: e, contiguity: not_followed_by, where: z > 9}
        - {name: d, contiguity: followed_by_any, times: 2}
        - {name: f, times: {from: 2}, greedy: true}
        - {name: g}
    """)


def test_conditions_are_joined_without_surprise() -> None:
    pattern = Pattern.begin("a").where("value > 1 or value < 0").where("z > 2").or_where("z < -2").optional()
    made = pattern.followed_by("b").within("1m").model("p").steps[0]
    (expected,) = from_yaml_steps(
        "- {name: a, optional: true, where: ((value > 1 or value < 0) and z > 2) or z < -2}"
    )
    assert made == expected


def from_yaml_steps(steps: str) -> list[object]:
    pattern, _ = read_document(
        yaml.safe_load(f"id: p\nversion: 1\nkey: series\nwithin: 1m\nsteps:\n{steps}\n- {{name: b}}")
    )
    assert pattern is not None
    return list(pattern.steps[:1])


def test_a_pattern_is_immutable() -> None:
    base = Pattern.begin("a")
    base.where("value > 1")
    base.next("b")
    assert len(base.steps) == 1
    (step,) = base.model("p").steps
    assert isinstance(step, StepModel)
    assert step.where is None


def test_what_is_wrong_is_told_with_pattern_and_step() -> None:
    pattern = Pattern.begin("a").where("valeu > 1").next("b").times(3, 2)
    with pytest.raises(PatternError) as caught:
        pattern.model("p")
    assert "pattern p: step a: where: column 1" in caught.value.message


def test_the_strategies() -> None:
    kinds = [
        AfterMatch.no_skip,
        AfterMatch.skip_to_next,
        AfterMatch.skip_past_last,
        AfterMatch.skip_to_first("b"),
    ]
    made = [Pattern.begin("a", after_match=kind).next("b").model("p").after_match for kind in kinds]
    assert [each.kind for each in made] == ["no_skip", "skip_to_next", "skip_past_last", "skip_to_first"]
    assert made[-1].step == "b"


def test_a_window_may_be_a_timedelta() -> None:
    pattern = Pattern.begin("a").where("value > 1").next("b").where("value > 2")
    gap = pattern.within(timedelta(milliseconds=1_500), WithinType.PREVIOUS_AND_CURRENT)
    model = gap.within(timedelta(minutes=2)).model("p")
    assert model.within_ms == 120_000
    last = model.steps[-1]
    assert isinstance(last, StepModel)
    assert last.within_ms == 1_500
    for wrong, told in (
        (timedelta(seconds=-3), "a duration with its unit is wanted"),
        (timedelta(microseconds=500), "0.5ms is finer than 1 ms"),
        (timedelta.max, "is longer than 36525 days"),
    ):
        with pytest.raises(PatternError, match=told):
            pattern.within(wrong).model("p")


@pytest.mark.parametrize("wrong", [3, None, ["a"]])
def test_what_is_no_step_is_refused(wrong: Any) -> None:
    with pytest.raises(PatternError, match="a step's name or a pattern is wanted; this is"):
        Pattern.begin(wrong)


def test_an_unknown_type_of_window_is_refused() -> None:
    kind: Any = "previous"
    with pytest.raises(PatternError, match="'previous' is no type of a window"):
        Pattern.begin("a").within("3s", kind)


@pytest.mark.parametrize(
    ("row", "how", "told"),
    [
        ({"n": 1}, {}, "row 1: time: the event time in whole ms is wanted; this is None"),
        ({"n": 1, "time": "x"}, {}, "this is 'x'"),
        ({"n": 1, "time": 1.5}, {}, "this is 1.5"),
        ({"n": 1, "time": 1}, {"time": "at"}, "row 0: at: the event time"),
        ({"n": 1, "time": 1}, {"key": ["card"]}, "there is no field 'card' to key by"),
        ({"n": 1, "time": 1}, {"key": "n"}, "key: a list of fields is wanted"),
    ],
)
def test_rows_without_time_or_key_are_refused(row: dict[str, Any], how: dict[str, Any], told: str) -> None:
    with pytest.raises(PatternError, match=told):
        find(Pattern.begin("a").where("n > 0"), [{"n": 1, "time": 0}, row], **how)
