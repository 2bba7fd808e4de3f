"""A pattern's automaton is Flink's own: states, edges with the pattern's words, and a picture."""

from __future__ import annotations

import pytest

from cep_patterns.automaton import dot, summary, text
from cep_patterns.gateway import automata
from cep_patterns.model import PatternModel
from cep_patterns.yaml_loader import load_patterns

WRITTEN = """id: p
version: 3
key: node
steps:
- {name: up, where: value > 9, one_or_more: true, until: value < 0}
- {name: calm, where: 'metric == "x"', contiguity: not_followed_by}
- {name: end, where: value < 1, optional: false}
- group: [{name: low, where: value < 3}, {name: lower, where: value < 2}]
  times: 2
within: 5m
"""


@pytest.fixture(scope="module")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> PatternModel:
    file = tmp_path_factory.mktemp("automaton") / "p.yaml"
    file.write_text(WRITTEN)
    (one,) = load_patterns([file])
    return one


@pytest.fixture(scope="module")
def lines(pattern: PatternModel) -> list[str]:
    (automaton,) = automata([pattern])
    return [*text(automaton), "", *dot(automaton, pattern).splitlines()]


def test_the_text_begins_at_the_start_and_ends_at_the_end(lines: list[str]) -> None:
    told = lines[: lines.index("")]
    assert told[0].endswith("(start)")
    assert told[-1] == "$endState$ (final)"
    assert any(line.endswith("(stop)") for line in told)
    assert any("take" in line and "up" in line and "until of up" in line for line in told)
    assert any("ignore  stays  not " in line for line in told)


def test_the_picture_names_every_state_and_condition(lines: list[str]) -> None:
    picture = "\n".join(lines[lines.index("") + 1 :])
    assert picture.startswith('digraph "p" {')
    assert picture.rstrip().endswith("}")
    assert "shape=doublecircle" in picture
    assert "shape=octagon" in picture
    assert "up: value > 9\\luntil" not in picture
    assert "up: value > 9\\l" in picture
    assert "until up: value < 0\\l" in picture
    assert picture.count('"') % 2 == picture.count('\\"') % 2


def test_the_summary_says_what_each_step_wants(pattern: PatternModel) -> None:
    head, up, calm, _, *group = summary(pattern)
    assert head == "p@3: a run follows one node; within 5m; after a match no skip"
    assert up == "  up: value > 9  (one_or_more, until value < 0)"
    assert calm == '  calm: metric == "x"  (not_followed_by)'
    assert group == ["  group  (2 times)", "    low: value < 3", "    lower: value < 2"]
