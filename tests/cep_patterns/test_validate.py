"""The rules of structure, the warnings, and the derived index hint."""

from __future__ import annotations

import pytest
import yaml

from cep_patterns.document import read_document
from cep_patterns.validate import Problem


def problems(steps: str, more: str = "within: 60s", key: str = "series") -> list[Problem]:
    text = f"id: p\nversion: 1\nkey: {key}\n{more}\nsteps:\n{steps}"
    return read_document(yaml.safe_load(text))[1]


A = "- {name: a, where: value > 1}\n"
B = "- {name: b, where: value > 2}\n"


@pytest.mark.parametrize(
    ("steps", "more", "step", "told"),
    [
        (A + A, "", "a", "used 2 times"),
        ("- {name: a, times: 2, one_or_more: true}", "", "a", "exclude each other"),
        ("- {name: a, times: 2, until: value > 1}", "", "a", "until belongs to a loop"),
        ("- {name: a, until: value > 1}", "", "a", "until belongs to a loop"),
        ("- {name: a, times: 2, consecutive: true, combinations: true}", "", "a", "exclude each other"),
        ("- {name: a, greedy: true}", "", "a", "greedy belongs to"),
        ("- {name: a, consecutive: true}", "", "a", "consecutive belongs to"),
        ("- {name: a, combinations: true}", "", "a", "combinations belongs to"),
        ("- {name: a, one_or_more: true, greedy: true, combinations: true}", "", "a", "greedy does not go"),
        (
            A + "- {name: b, contiguity: followed_by_any, one_or_more: true, greedy: true}",
            "",
            "b",
            "greedy does not",
        ),
        ("- {name: a, times: 1001}", "", "a", "more than 1000"),
        ("- {name: a, contiguity: not_next, where: value > 1}\n" + B, "", "a", "cannot begin"),
        (A + "- {name: c, contiguity: not_next}\n" + B, "", "c", "forbid every sample"),
        (A + "- {name: c, contiguity: not_followed_by, where: value > 1}", "", "c", "needs within"),
        (A + "- {name: b, within: 2m}", "within: 1m", "b", "longer than the whole pattern may take"),
        (
            A + "- {name: c, contiguity: not_followed_by, where: value > 1, within: 1s}\n" + B,
            "",
            "c",
            "counts only where it ends",
        ),
        (A + "- {group: [{name: b, optional: true}]}", "within: 1m", "group of b", "make the group optional"),
        (
            A + "- {group: [{name: b}], contiguity: not_next}\n- {name: d}",
            "within: 1m",
            "group of b",
            "Flink has no not_next for groups",
        ),
        (
            "- {group: [{name: b}, {name: c, contiguity: not_next, where: z > 1}]}\n" + A,
            "",
            "c",
            "cannot end a group; put it behind",
        ),
        (
            "- {group: [{name: b, contiguity: not_next, where: z > 1}, {name: c}]}\n" + A,
            "",
            "b",
            "a group cannot begin",
        ),
        ("- {group: [{name: b}], until: z > 1}\n" + A, "", "group of b", "until belongs to a loop"),
        (A + "- {group: [{name: a}]}", "", "a", "used 2 times"),
        (A + "- {group: [{name: b}]}", "after_match: {skip_to_last: b}", "b", "inside a group"),
        (
            "- {group: [{name: a, times: 900}, {name: b, times: 900}], times: 20}",
            "",
            None,
            "more than 10000 states",
        ),
        (
            A + "- {name: c, contiguity: not_followed_by, where: value > 1}\n- {name: d, optional: true}",
            "within: 1m",
            "c",
            "every step after it is optional",
        ),
        (
            "- {name: a, one_or_more: true, greedy: true}\n- {name: b, optional: true}",
            "",
            "b",
            "after the greedy step a",
        ),
        ("- {name: a, optional: true}", "", "a", "every step is optional"),
        (
            A + "- {name: c, contiguity: not_followed_by, where: value < 1}\n" + B,
            "after_match: {skip_to_last: c}",
            "c",
            "no sample to skip to",
        ),
    ],
)
def test_what_is_refused_names_the_step(steps: str, more: str, step: str | None, told: str) -> None:
    errors = [problem for problem in problems(steps, more) if problem.severity == "error"]
    assert [problem.step for problem in errors] == [step]
    assert told in errors[0].message


@pytest.mark.parametrize(
    ("steps", "more"),
    [
        (A + B, "within: 1m\nafter_match: {skip_to_last: b}"),
        ("- {name: a, times: 3, consecutive: true}", "after_match: {skip_to_last: a}"),
        (A + "- {name: c, contiguity: not_followed_by, where: value < 1}\n" + B, ""),
        ("- {name: a, times: {from: 2}, until: value < 1}", ""),
        ("- {name: a, one_or_more: true, greedy: true}\n" + B, ""),
        (A + "- {name: c, contiguity: not_next, where: value > 1}", "within: 1m"),
        (A + "- {name: c, contiguity: not_followed_by, where: value > 1, within: 1m}", ""),
        ("- {group: [{name: a}, {name: b, optional: true}], one_or_more: true, until: z > 1}", ""),
    ],
)
def test_what_is_accepted(steps: str, more: str) -> None:
    assert [problem for problem in problems(steps, more) if problem.severity == "error"] == []


def test_different_signals_on_one_series_never_match() -> None:
    steps = '- {name: a, where: signal == "cpu"}\n- {name: b, where: signal == "errors"}'
    (error,) = problems(steps)
    assert error.severity == "error"
    assert "key: node" in error.message
    assert problems(steps, key="node") == []


STRICT = A + "- {name: b, where: value > 2, contiguity: next}"


@pytest.mark.parametrize(
    ("steps", "more", "warned"),
    [
        (A + B, "within: 60s\nafter_match: skip_past_last", True),
        ("- {name: a, one_or_more: true}", "within: 60s\nafter_match: skip_past_last", True),
        (STRICT, "within: 60s\nafter_match: skip_past_last", False),
        ("- {name: a, times: 3, consecutive: true}", "after_match: skip_past_last", False),
        ("- {name: a, times: 3}", "within: 60s\nafter_match: skip_past_last", False),
        (A, "after_match: skip_to_next", False),
        (A + B, "within: 60s", False),
    ],
)
def test_a_skip_strategy_that_withholds_is_told(steps: str, more: str, warned: bool) -> None:
    found = problems(steps, more)
    assert [problem.severity for problem in found] == (["warning"] if warned else [])
    assert all("withholds" in problem.message and "60000 ms" in problem.message for problem in found)


@pytest.mark.parametrize(
    ("steps", "warned"),
    [
        (A + B, True),
        (A, False),
        (STRICT, False),
        ("- {name: a, times: 3}", True),
        ("- {name: a, times: 3, consecutive: true}", False),
    ],
)
def test_a_missing_window_is_told(steps: str, warned: bool) -> None:
    assert any("without within" in problem.message for problem in problems(steps, "")) == warned


def test_a_contiguity_of_the_first_step_is_told() -> None:
    (warning,) = problems("- {name: a, contiguity: next}")
    assert (warning.severity, warning.step) == ("warning", "a")


def select(steps: str, key: str) -> tuple[list[str] | None, list[str] | None]:
    text = f"id: p\nversion: 1\nkey: {key}\nwithin: 1m\nsteps:\n{steps}"
    pattern, found = read_document(yaml.safe_load(text))
    assert pattern is not None, found
    return pattern.select.signals, pattern.select.metrics


CPU = '- {name: a, where: signal == "cpu" and value > 1}\n'
ERRORS = '- name: b\n  where: signal in ("errors", "latency") and metric == "m"\n'


@pytest.mark.parametrize(
    ("steps", "key", "expected"),
    [
        (CPU + B, "series", (["cpu"], None)),
        ("- {name: o, optional: true}\n" + CPU, "series", (["cpu"], None)),
        ('- {name: a, where: signal == "cpu" or signal == "disk"}', "series", (["cpu", "disk"], None)),
        ('- {name: a, where: signal == "cpu" or value > 1}', "series", (None, None)),
        ('- {name: a, where: not signal == "cpu"}', "series", (None, None)),
        (ERRORS, "series", (["errors", "latency"], ["m"])),
        (CPU + ERRORS, "node", (["cpu", "errors", "latency"], None)),
        (CPU + B, "node", (None, None)),
        (CPU + ERRORS + "  contiguity: next\n", "node", (None, None)),
        (CPU.replace("name: a", "name: a, times: 2, consecutive: true"), "node", (None, None)),
    ],
)
def test_what_can_matter(steps: str, key: str, expected: tuple[list[str] | None, list[str] | None]) -> None:
    assert select(steps, key) == expected


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ("- {name: a, within: 1s}", "no effect on the first step"),
        (A + "- {name: b, times: 3, within: 1s}", "before the last sample"),
        (A + "- {name: b, one_or_more: true, within: 1s}", "the samples it needs"),
        (A + "- {name: b, optional: true, within: 1s}", "ends with the first sample that does not fit"),
        (A + "- {group: [{name: b, contiguity: next}, {name: c}]}", "no effect on the first step"),
    ],
)
def test_where_flink_looks_at_a_window_less_often_than_one_may_think(steps: str, told: str) -> None:
    (found,) = problems(steps)
    assert found.severity == "warning"
    assert told in found.message


def test_a_window_for_every_wait_is_enough() -> None:
    assert problems(A + "- {name: b, within: 1s}", "") == []
    assert "without within" in problems(A + "- {name: b, within: 1s}\n- {name: c}", "")[0].message
    (found,) = problems(A + "- {name: b, contiguity: next}", "on_timeout: match")
    assert "nothing ever times out" in found.message
