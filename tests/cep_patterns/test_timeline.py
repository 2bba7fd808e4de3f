"""The timeline of a failed test, by the production engine: what was taken, and which condition failed."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from cep_patterns.junit import junit_xml
from cep_patterns.testing import TestOutcome, run_tests

HIGH = """id: high
version: 1
key: series
steps:
- {name: up, where: signal == "latency" and value > 10}
- {name: still, where: value > first(up).value + 5, contiguity: next}
within: 5m
"""
GRAPH = """id: cascade
version: 1
key: graph
steps:
- {name: bad, where: pattern == "high"}
- {name: worse, where: 'pattern == "high" and calls(node, first(bad).node)'}
within: 5m
"""
DIP = """id: dip
version: 1
key: node
steps:
- {name: up, where: value > 10}
- {name: down, where: value < 2, contiguity: not_followed_by}
- {name: again, where: value > 20}
within: 5m
"""


def failed(folder: Path, pattern: str, series: str, more: str = "", file: str = "a") -> TestOutcome:
    (folder / f"{file}.yaml").write_text(pattern)
    test = folder / f"{file}.test.yaml"
    expect = "expect: [{at: 50m, node: cart}]"
    head = f"{more}interval: 60s\ntests:\n"
    test.write_text(f"{head}- {{name: t, kind: match, input_series: [{series}], {expect}}}\n")
    (outcome,) = run_tests([test])
    assert not outcome.passed
    return outcome


def values(text: str, node: str = "cart", labels: str = 'signal="latency"') -> str:
    return f"{{series: 'm{{node=\"{node}\",{labels}}}', values: '{text}'}}"


def test_it_shows_the_step_that_was_reached_and_what_failed(tmp_path: Path) -> None:
    lines = failed(tmp_path, HIGH, values("1x2 11 12 1")).timeline
    assert lines[0].startswith("closest: 4m cart m = 12: no still: value > first(up).value + 5;")
    assert "first(up).value is 11" in lines[0]
    told = [" ".join(line.split()) for line in lines[1:]]
    assert told[0] == "0s..2m cart m = 1: no up: value > 10"
    assert told[1] == "3m..4m cart m = 11 to 12: taken as up"


def test_series_that_a_pattern_does_not_look_at_are_left_out(tmp_path: Path) -> None:
    outcome = failed(tmp_path, HIGH, values("99x3", labels='signal="cpu"'))
    assert outcome.timeline == ("no sample was of a kind that the pattern looks at",)


def test_what_must_not_come_is_named(tmp_path: Path) -> None:
    lines = failed(tmp_path, DIP, values("11 5 1 25")).timeline
    assert lines[0] == "closest: 2m cart m = 1: down must not come and did: ends up 0s", "not what waited"
    assert any("down must not come and did: ends up 0s" in line for line in lines[1:])
    assert any("no again: value > 20; waits on after up 0s" in line for line in lines)


def test_graph_patterns_show_the_matches_that_they_saw(tmp_path: Path) -> None:
    (tmp_path / "high.yaml").write_text(HIGH)
    both = ", ".join(values("1 11 20 1", node=node) for node in ("cart", "web"))
    outcome = failed(tmp_path, GRAPH, both, "beside: [high.yaml]\n")
    lines = outcome.timeline
    assert any("cart match of high: " in line and "taken as bad" in line for line in lines)
    assert any("calls(node, first(bad).node)" in line and "waits on after bad" in line for line in lines)


def test_junit_tells_counts_and_failures(tmp_path: Path) -> None:
    outcome = failed(tmp_path, HIGH, values("1x2 11 12 1"))
    fine = TestOutcome(tmp_path / "b.test.yaml", "fine \x00", "match", ("b",), ())
    broken = TestOutcome(tmp_path / "c.test.yaml", "c.test.yaml", "error", (), ("c: no <YAML>\n  mend: it",))
    root = ElementTree.fromstring(junit_xml([outcome, fine, broken]))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "1", "1")
    assert [suite.get("name") for suite in root] == ["a.test.yaml", "b.test.yaml", "c.test.yaml"]
    assert [(suite.get("failures"), suite.get("errors")) for suite in root] == [
        ("1", "0"),
        ("0", "0"),
        ("0", "1"),
    ]
    (error,) = root.iter("error")
    assert error.get("message") == "c: no <YAML>\n  mend: it"
    failure = root.find("testsuite/testcase/failure")
    assert failure is not None
    assert "missing match" in str(failure.get("message"))
    assert "closest: 4m" in str(failure.text)
    assert [case.get("name") for case in root.iter("testcase")] == ["t", "fine ?", "c.test.yaml"]


@pytest.mark.parametrize("count", [200])
def test_a_long_timeline_is_cut(tmp_path: Path, count: int) -> None:
    lines = failed(tmp_path, HIGH, values(" ".join("1 11" for _ in range(count)))).timeline
    assert len(lines) < 50
    assert any(" more ..." in line for line in lines)
