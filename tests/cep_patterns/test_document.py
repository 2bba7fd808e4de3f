"""Documents to models: every key, every short form, and what is refused, with pattern, step and reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from cep_patterns.document import read_document
from cep_patterns.model import PatternModel, StepModel
from cep_patterns.validate import Problem

CASES = Path(__file__).with_name("cases")
REFUSED: list[dict[str, Any]] = yaml.safe_load((CASES / "refused_at_load.yaml").read_text())

FULL = """
id: full
version: 2
maturity: production
owner: sre
description: everything
misses: [nothing]
key: node
severity: critical
runbook: https://example.org/full
within: 1m30s
after_match: {skip_to_last: peak}
steps:
- {name: start, where: signal == "cpu"}
- {name: peak, where: value > first(start).value, contiguity: next, times: {from: 2, to: 3}, optional: true}
- {name: calm, where: value < 1, contiguity: not_followed_by}
- {name: again, contiguity: followed_by_any, one_or_more: true, until: count(again) > 3}
"""


def problems(text: str) -> list[Problem]:
    return read_document(yaml.safe_load(text), "f.yaml")[1]


def model(text: str) -> PatternModel:
    pattern, found = read_document(yaml.safe_load(text))
    assert pattern is not None, found
    return pattern


def refusal(text: str) -> str:
    pattern, found = read_document(yaml.safe_load(text), "f.yaml")
    errors = [str(problem) for problem in found if problem.severity == "error"]
    assert pattern is None
    assert len(errors) == 1, errors
    return errors[0]


def with_steps(steps: str, more: str = "") -> str:
    return f"id: p\nversion: 1\nkey: series\nsteps:\n{steps}\n{more}"


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["name"])
def test_the_field_cases(case: dict[str, Any]) -> None:
    pattern, found = read_document(case["pattern"], "f.yaml")
    errors = [problem for problem in found if problem.severity == "error"]
    assert (pattern is not None) == case["accept"]
    assert bool(errors) != case["accept"]
    assert all(problem.pattern == case["name"] and problem.file == "f.yaml" for problem in found)
    if not case["accept"] and case["name"] != "within-zero":
        assert all(problem.step for problem in errors)


def test_the_field_cases_are_all_there() -> None:
    assert len(REFUSED) == 13
    assert sum(case["accept"] for case in REFUSED) == 2


def test_every_key_reaches_the_model_in_the_agreed_json() -> None:
    text = FULL.replace("optional: true", "optional: false")
    wire = model(text).wire()
    peak = wire["steps"][1]
    assert peak["times"] == {"from": 2, "to": 3}
    assert peak["where"]["right"] == {"agg": "first", "step": "start", "field": "value"}
    assert wire["steps"][3]["until"]["left"] == {"agg": "count", "step": "again"}
    for step in wire["steps"]:
        step["where"] = step["until"] = None
    quantifiers = {"one_or_more": False, "optional": False, "greedy": False, "consecutive": False}
    none = {
        "where": None,
        "until": None,
        "times": None,
        **quantifiers,
        "combinations": False,
        "within_ms": None,
    }
    assert wire == {
        "id": "full",
        "version": 2,
        "key": "node",
        "maturity": "production",
        "severity": "critical",
        "runbook": "https://example.org/full",
        "within_ms": 90_000,
        "on_timeout": "nothing",
        "fields": None,
        "after_match": {"kind": "skip_to_last", "step": "peak"},
        "select": {"signals": None, "metrics": None},
        "steps": [
            {**none, "name": "start", "contiguity": "followed_by"},
            {**none, "name": "peak", "contiguity": "next", "times": {"from": 2, "to": 3}},
            {**none, "name": "calm", "contiguity": "not_followed_by"},
            {**none, "name": "again", "contiguity": "followed_by_any", "one_or_more": True},
        ],
    }


def test_the_wire_form_is_read_back() -> None:
    pattern = model(FULL.replace("optional: true", "optional: false"))
    again = PatternModel.model_validate(pattern.wire())
    assert again.wire() == pattern.wire()


def test_defaults() -> None:
    pattern = model(with_steps("- {name: a}"))
    assert (pattern.severity, pattern.maturity, pattern.within_ms) == ("warning", "experimental", None)
    assert pattern.after_match.kind == "no_skip"
    (step,) = pattern.steps
    assert isinstance(step, StepModel)
    assert step.where is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (with_steps("- {name: a}", "witin: 30s"), "unknown key 'witin'; did you mean 'within'?"),
        (with_steps("- {name: a, wher: value > 1}"), "step a: unknown key 'wher'; did you mean 'where'?"),
        (with_steps("- {name: a}", "within: 30"), "within: a duration with its unit"),
        (with_steps("- {name: a}", "within: 30 parsecs"), "within: a duration with its unit"),
        (with_steps("- {name: a}", "within: 0.5ms"), "finer than 1 ms"),
        (with_steps("- {name: a}", "within: 99999999999999999999d"), "is longer than 36525 days"),
        (with_steps("- {name: a}\n- {name: b, within: 36526d}"), "step b: within: 36526d is longer"),
        (with_steps("- {name: a}", "after_match: skip_past"), "did you mean 'skip_past_last'?"),
        (with_steps("- {name: a}", "after_match: skip_to_last"), "say the step"),
        (with_steps("- {name: a}", "after_match: {skip_to: a}"), "after_match: a strategy's name"),
        (with_steps("- {name: a}", "severity: bad"), "severity: Input should be"),
        (with_steps("- {name: a}", "severity: warn"), "did you mean 'warning'?"),
        (with_steps("- {name: a}", "maturity: prod"), "did you mean 'production'?"),
        (with_steps("- {name: a, contiguity: folowed_by}"), "did you mean 'followed_by'?"),
        (with_steps("- {name: a, times: many}"), "step a: times: a number or {from, to}"),
        (with_steps("- {name: a, times: true}"), "step a: times: a number or {from, to}"),
        (with_steps("- {name: a, times: {form: 1}}"), "step a: unknown key 'form'; did you mean 'from'?"),
        (with_steps("- {name: a, where: 7}"), "step a: where: a condition is text; this is a number"),
        (with_steps("- {name: a, contiguity: followed}"), "step a: contiguity: Input should be"),
        (with_steps("- {where: value > 1}"), "step number 1: name: Field required"),
        (with_steps("- {name: 1a}"), "step 1a: name: String should match"),
        (with_steps("- value > 1"), "step number 1: a step is a mapping"),
        (with_steps("- {group: [{name: a, wher: 1}]}"), "step a: unknown key 'wher'; did you mean 'where'?"),
        ("id: p\nversion: 1\nkey: series\nsteps: []", "steps: a list of at least one step"),
        ("id: p\nversion: 1\nkey: grahp\nsteps: [{name: a}]", "unknown key 'grahp'; did you mean 'graph'?"),
        ("id: p\nversion: 1\nkey: row\nsteps: [{name: a}]", "fields is a mapping"),
        (
            "id: p\nversion: 1\nkey: node\nfields: {a: number}\nsteps: [{name: a}]",
            "belongs to patterns with key: row",
        ),
        ("id: p\nversion: 1\nkey: row\nfields: {a: int}\nsteps: [{name: a}]", "fields: a: 'int' is no type"),
        (with_steps("- {group: [{name: a}], name: g}"), "group of a: a group has no name"),
        (with_steps("- {group: [{name: a}], where: z > 1}"), "group of a: a group takes no condition"),
        (with_steps("- {group: [{name: a}], greedy: true}"), "Flink has no greedy groups"),
        (with_steps("- {group: [{name: a}], within: 3s}"), "Flink does not look at within of a group"),
        (with_steps("- {group: [{name: a}], tims: 3}"), "unknown key 'tims'; did you mean 'times'?"),
        (with_steps("- {group: []}"), "group: a list of at least one step"),
        (with_steps("- {name: a}", "on_timeout: alarm"), "on_timeout: Input should be"),
        ("id: p\nversion: 1\nsteps: [{name: a}]", "key: Field required"),
        ("id: p\nversion: 0\nkey: node\nsteps: [{name: a}]", "version: Input should be greater"),
        ("id: p\nversion: 2147483648\nkey: node\nsteps: [{name: a}]", "version: Input should be less"),
        (with_steps(f"- {'{group: [' * 21}{{name: a}}{']}' * 21}"), "groups nested deeper than 20"),
        ("id: p\nversion: 1\nkey: node\nsteps: &all [{group: *all}]", "groups nested deeper than 20"),
        ("id: p\nversion: '1'\nkey: node\nsteps: [{name: a}]", "version: Input should be a valid integer"),
        ("id: 'a b'\nversion: 1\nkey: node\nsteps: [{name: a}]", "id: String should match"),
        ("[]", "a pattern is a mapping of keys to values; this is a list"),
        ("", "a pattern is a mapping of keys to values; this is empty"),
        ("hello", "a pattern is a mapping of keys to values; this is text"),
    ],
)
def test_what_is_no_document(text: str, told: str) -> None:
    assert told in refusal(text)


def test_of_a_long_condition_only_what_is_wrong_is_shown() -> None:
    told = refusal(
        with_steps(f"- {{name: a, where: '{'value > 1 and ' * 100} valeu > 2 {' or z > 3' * 100}'}}")
    )
    assert "unknown name 'valeu'; did you mean 'value'?" in told
    assert "...nd value > 1 and" in told
    assert "valeu > 2  or z > 3" in told
    assert told.endswith("...")
    assert len(told) < 300


def test_every_wrong_step_is_told_in_one_pass() -> None:
    found = problems(with_steps("- {name: a, where: valeu > 1}\n- {name: b, where: z > 'x'}", "within: 0s"))
    assert [problem.step for problem in found] == ["a", "b", None]


WRONG_EVERYWHERE = """
id: a b
version: soon
key: series
within: 5
after_match: skip
severty: high
steps:
- {name: one, where: vlue > 1, times: often, within: 0s}
- group: [{name: two, whre: value > 1}]
  until: z >
"""


def test_all_that_is_wrong_is_told_in_one_pass() -> None:
    told = "\n".join(map(str, problems(WRONG_EVERYWHERE)))
    wanted = (
        "unknown key 'severty'; did you mean 'severity'?",
        "id: String should match",
        "version: Input should be a valid integer",
        "within: a duration with its unit is wanted",
        "after_match: unknown strategy 'skip'",
        "step one: where: column 1: unknown name 'vlue'",
        "step one: times: a number or {from, to} is wanted",
        "step one: within: 0s is no time at all",
        "step two: unknown key 'whre'; did you mean 'where'?",
        ": group of two: until: column 1: not an expression",
    )
    assert [each for each in wanted if each not in told] == []
    assert len(problems(WRONG_EVERYWHERE)) == len(wanted) - 1, "id and version are one"


@pytest.mark.parametrize("steps", ["3", "[]"])
def test_wrong_steps_do_not_hide_the_rest(steps: str) -> None:
    told = "\n".join(map(str, problems(f"id: p\nversion: 0\nkey: series\nwithin: 5\nsteps: {steps}")))
    assert told.count("\n") == 2
    assert all(each in told for each in ("steps: a list of at least one", "version: ", "within: "))


def test_a_wrong_version_does_not_hide_the_structure() -> None:
    told = "\n".join(map(str, problems("id: p\nversion: 0\nkey: series\nsteps: [{name: a}, {name: a}]")))
    assert "version: " in told
    assert "step a: the name is used 2 times" in told


def test_a_step_looks_at_itself_and_at_earlier_ones_only() -> None:
    model(
        with_steps(
            "- {name: a, where: value > last(a).value or count(a) == 0, one_or_more: true}", "within: 1m"
        )
    )
    assert "step 'b'" in refusal(with_steps("- {name: a, where: count(b) > 1}\n- {name: b}"))
    negated = "- {name: a}\n- {name: b, contiguity: not_next}\n- {name: c, where: count(b) > 1}"
    assert "step c" in refusal(with_steps(negated))


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("30s", 30_000), ("500ms", 500), ("1h30m", 5_400_000), ("2d", 172_800_000), ("1.5s", 1_500)],
)
def test_durations(text: str, milliseconds: int) -> None:
    assert model(with_steps("- {name: a}", f"within: {text}")).within_ms == milliseconds


GROUPED = """
- group:
  - {name: up, where: value > last(down).value or count(down) == 0}
  - group:
    - {name: down, where: value < last(up).value}
    optional: true
  times: {from: 2}
  until: value == 0
- {name: end, where: value > max(up.value), within: 10s}
"""


def test_groups_are_read_with_what_is_in_them() -> None:
    steps = model(with_steps(GROUPED, "within: 1m\non_timeout: match")).wire()["steps"]
    assert [part["name"] for part in steps[0]["group"] if "name" in part] == ["up"]
    assert steps[0]["group"][1]["optional"]
    assert steps[0]["times"] == {"from": 2, "to": None}
    assert steps[0]["until"]["op"] == "=="
    assert steps[1]["within_ms"] == 10_000


def test_only_a_repeated_group_looks_ahead() -> None:
    assert "step 'down'" in refusal(
        with_steps(GROUPED.replace("times: {from: 2}", "optional: false"), "within: 1m")
    )


def test_a_wrong_condition_has_its_column() -> None:
    (problem,) = problems(with_steps("- {name: a, where: value > zz}"))
    assert problem.column == 9
