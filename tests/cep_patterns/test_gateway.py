"""What is asked of the JVM and what is made of its answers; the JVM itself is asked in test_library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from cep_patterns import gateway
from cep_patterns.gateway import Run, Settings, run_patterns
from cep_patterns.pattern import Pattern
from records.errors import JavaError
from records.samples import Edge, Sample

SAMPLE = Sample(graph="shop", node="cart", metric="cpu", value=1.0, time=5, signal="cpu")
EDGE = Edge(graph="shop", source="web", target="cart", time=1)
PATTERN = Pattern.begin("a").where("value > 1").model("p")
DONE = {"run": "r", "type": "done", "samples": 1, "late": 0}


@pytest.fixture
def jvm(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Lines that the JVM will answer; the request is appended once it was asked."""
    lines: list[Any] = []

    def run_main(main_class: str, request: Any, *, jvm_options: Any) -> Iterator[Any]:
        answers = list(lines)
        lines.append(request)
        return iter(answers)

    monkeypatch.setattr(gateway, "run_main", run_main)
    return lines


def test_the_request(jvm: list[Any]) -> None:
    jvm.append(DONE)
    settings = Settings(tick_ms=15_000, window_ticks=5, out_of_orderness_ms=3, rules=[{"metric": "x"}])
    run_patterns([PATTERN], [Run("r", [SAMPLE], [EDGE])], settings)
    assert jvm[-1] == {
        "patterns": [{**PATTERN.wire(), "maturity": "production"}],
        "rules": [{"metric": "x"}],
        "tick_ms": 15_000,
        "window_ticks": 5,
        "out_of_orderness_ms": 3,
        "runs": [
            {
                "name": "r",
                "samples": [
                    {
                        "graph": "shop",
                        "node": "cart",
                        "metric": "cpu",
                        "value": 1.0,
                        "time": 5,
                        "signal": "cpu",
                    }
                ],
                "edges": [{"graph": "shop", "source": "web", "target": "cart", "time": 1}],
                "patterns": None,
                "tick_ms": None,
                "out_of_orderness_ms": None,
                "trace": False,
            }
        ],
    }


def test_the_answers(jvm: list[Any]) -> None:
    match = {
        "run": "r",
        "type": "match",
        "pattern": "p",
        "key": "shop/cart",
        "steps": {"a": [5]},
        "ready_at": 5,
    }
    jvm += [
        {**match, "match": {"peer": "web"}},
        {**match, "type": "timeout", "ready_at": 9},
        {"run": "r", "type": "late", "index": 0},
        {"run": "r", "type": "refused", "pattern": "q", "reason": "no"},
        DONE,
    ]
    result = run_patterns([PATTERN], [Run("r", [SAMPLE])])["r"]
    assert [(each.kind, each.ready_at, each.steps, each.match) for each in result.found] == [
        ("match", 5, {"a": [5]}, {"peer": "web"}),
        ("timeout", 9, {"a": [5]}, {}),
    ]
    assert (result.late, result.refused, result.samples) == ([0], {"q": "no"}, 1)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([], "did not finish r"),
        ([{"run": "other", "type": "done"}], "unknown run"),
        (["text"], "unknown run"),
        ([{"run": "r", "type": "surprise"}], "unknown line"),
    ],
)
def test_answers_unlike_agreed_are_errors(jvm: list[Any], lines: list[Any], told: str) -> None:
    jvm += lines
    with pytest.raises(JavaError, match=told):
        run_patterns([PATTERN], [Run("r", [])])


def test_two_runs_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two runs of one name"):
        run_patterns([PATTERN], [Run("r", []), Run("r", [])])
