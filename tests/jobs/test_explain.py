"""Path, blast radius and action plan."""

from __future__ import annotations

import pytest

from jobs.explain import action_plan, blast_radius, path_to
from records.signals import SIGNALS
from tests.jobs.rows import alert, frame_row

NODES = ("a", "b", "c", "d", "e")
#   a -> b -> d -> e, a -> c -> d
EDGES = (("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e"))


def pairs(weights: list[float], cause: str, *alarmed: str) -> list[tuple[str, str]]:
    row = frame_row(0, nodes=NODES, edges=EDGES)
    return [
        (edge.source, edge.target) for edge in path_to(cause, row, weights, [alert(0, n) for n in alarmed])
    ]


def test_the_heaviest_way_from_the_alarmed_node_to_the_cause() -> None:
    assert pairs([0.9, 0.1, 0.9, 0.9, 0.8], "e", "a") == [("a", "b"), ("b", "d"), ("d", "e")]
    assert pairs([0.1, 0.9, 0.9, 0.9, 0.8], "e", "a") == [("a", "c"), ("c", "d"), ("d", "e")]


def test_weights_come_with_the_edges() -> None:
    row = frame_row(0, nodes=NODES, edges=EDGES)
    (edge,) = path_to("e", row, [0.9, 0.1, 0.9, 0.9, 0.75], [alert(0, "d")])
    assert edge.weight == 0.75


def test_weights_of_zero_still_give_a_way() -> None:
    assert len(pairs([0.0] * 5, "e", "a")) == 3


def test_against_the_calls_where_there_is_no_way_along_them() -> None:
    assert pairs([0.5] * 5, "a", "d")[-1][0] == "a"
    assert len(pairs([0.5] * 5, "a", "d")) == 2


@pytest.mark.parametrize(("cause", "alarmed"), [("e", "e"), ("nobody", "a"), ("e", "nobody"), ("b", "c")])
def test_no_way_no_path(cause: str, alarmed: str) -> None:
    assert pairs([0.5] * 5, cause, alarmed) == []


def test_a_ring_of_calls_ends() -> None:
    row = frame_row(0, nodes=("a", "b"), edges=(("a", "b"), ("b", "a")))
    assert len(path_to("b", row, [0.5, 0.5], [alert(0, "a")])) == 1


def test_the_blast_radius_is_who_suffers_among_those_who_reach_the_cause() -> None:
    wrong = {("d", "latency"): 40.0, ("a", "errors"): 20.0, ("e", "cpu"): 40.0}
    row = frame_row(0, wrong, silent={"c": 2}, nodes=NODES, edges=EDGES)
    assert blast_radius("e", row, ()) == ["d", "c", "a"]
    assert blast_radius("d", row, [alert(0, "b")]) == ["b", "c", "a"]
    assert blast_radius("a", row, ()) == []
    assert blast_radius("nobody", row, ()) == []


def test_the_plan_is_the_runbooks_then_a_check() -> None:
    alerts = [
        alert(1, "a", runbook="https://runbooks.example/second"),
        alert(0, "b", runbook="https://runbooks.example/first"),
        alert(2, "c", runbook="https://runbooks.example/second"),
        alert(2, "d"),
    ]
    plan = action_plan("e", "cpu", False, alerts)
    assert [(action.step, action.kind, action.target) for action in plan] == [
        (1, "runbook", "b"),
        (2, "runbook", "a"),
        (3, "check", "e"),
    ]
    assert "CPU" in plan[-1].title


def test_a_runbook_may_say_itself_what_to_do() -> None:
    plan = action_plan("e", "cpu", False, [alert(0, "b", runbook="Stop the retries at the callers.")])
    assert (plan[0].kind, plan[0].title, plan[0].url) == ("runbook", "Stop the retries at the callers.", None)
    page = action_plan("e", "cpu", False, [alert(0, "b", runbook="https://runbooks.example/b")])[0]
    assert page.url == "https://runbooks.example/b"
    assert "runbook of" in page.title


def test_every_signal_has_its_check_and_silence_too() -> None:
    titles = {action_plan("e", signal, False, ())[0].title for signal in SIGNALS}
    assert len(titles) == len(SIGNALS)
    assert all("e" in title.split() or "e:" in title.split() or "e," in title for title in titles)
    assert "runs" in action_plan("e", "cpu", True, ())[0].title
    assert action_plan("e", None, False, ())[0].kind == "check"
