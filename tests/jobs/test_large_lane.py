"""Large graphs are scored apart: others do not wait for them, and all else is as if there were one lane."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jobs.serving import ServeSettings
from onnx_models.bundle import Bundle
from onnx_models.encoding import encode
from records.frames import FrameRow
from records.incidents import IncidentEvent
from records.matches import Match
from tests.jobs import minicluster
from tests.jobs.bundles import WIDTH, bundle
from tests.jobs.minicluster import audit, configuration, events, observations
from tests.jobs.rows import frame_row, match
from tests.jobs.test_operators import SLOW, incident

FOUR = ("cart", "checkout", "frontend", "web")
LIVE = [{"type": "kafka", "bootstrap_servers": "unused:1", "topic": "unused"}]
LARGE = {"large": {"nodes": 3}}


def large(first: int, last: int, until: int, small_until: int = -1) -> Iterator[FrameRow | Match]:
    """As `incident`, of a graph with four nodes, three of them up to a tick."""
    for tick in range(until + 1):
        slow = first <= tick <= last
        if slow and (tick - first) % 2:
            yield match(tick, graph="large")
        nodes = FOUR[:3] if tick <= small_until else FOUR
        yield frame_row(tick, SLOW if slow else None, graph="large", nodes=nodes)


def told(sent: list[minicluster.Sent], graph: str) -> list[IncidentEvent]:
    return [event for event in events(sent) if event.graph == graph]


@pytest.fixture(scope="module")
def loudest(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return bundle(tmp_path_factory.mktemp("bundle"))


@pytest.mark.parametrize("live", [False, True])
def test_a_small_graph_s_event_is_out_while_a_large_one_is_scored(tmp_path: Path, live: bool) -> None:
    """Four nodes take this model many times as long as three, and their match comes first."""
    slow = bundle(tmp_path, fault="is slow", always=False, width=2 * WIDTH)
    rows = observations([*large(8, 10, 10), *incident("shop", 8, 10, 10)])
    score = {**LARGE, "timeout_ms": 600_000, "call_timeout_ms": 600_000, "breaker": {"enabled": False}}
    more: dict[str, Any] = {"sources": LIVE} if live else {}
    sent = minicluster.run(rows, configuration(slow.path, score=score, **more), slow.manifest)
    opened = [event.graph for event in events(sent) if event.status == "opened"]
    assert opened == ["shop", "large"]
    assert {event.method for event in events(sent)} == {"model"}


@pytest.mark.parametrize("small_until", [-1, 11, 30])
def test_the_lane_changes_nothing_but_the_way(loudest: Bundle, small_until: int) -> None:
    rows = observations([*large(10, 16, 39, small_until), *incident("bank", 12, 14, 39)])
    one = minicluster.run(rows, configuration(loudest.path), loudest.manifest)
    apart = minicluster.run(rows, configuration(loudest.path, score=LARGE), loudest.manifest)
    assert [event.status for event in told(one, "large")] == ["opened", "resolved"]
    assert sorted(map(repr, apart)) == sorted(map(repr, one))
    for graph in ("large", "bank"):
        assert [event.id for event in told(apart, graph)] == [event.id for event in told(one, graph)]


def test_a_live_job_gives_the_same_answers_and_ends_with_none_missing(loudest: Bundle) -> None:
    rows = observations([*large(10, 16, 39), *incident("bank", 12, 14, 39)])
    one = minicluster.run(rows, configuration(loudest.path), loudest.manifest)
    score = {**LARGE, "timeout_ms": 600_000, "call_timeout_ms": 600_000, "breaker": {"enabled": False}}
    live = minicluster.run(rows, configuration(loudest.path, sources=LIVE, score=score), loudest.manifest)
    assert sorted(map(repr, live)) == sorted(map(repr, one))


def test_more_than_may_wait_is_ranked_by_the_fallback_and_says_so(tmp_path: Path) -> None:
    slow = bundle(tmp_path, fault="is slow", always=False, width=2 * WIDTH)
    score = {"large": {"nodes": 3, "waiting": 1}, "timeout_ms": 600_000, "call_timeout_ms": 600_000}
    config = configuration(slow.path, sources=LIVE, score={**score, "breaker": {"enabled": False}})
    sent = minicluster.run(observations(large(8, 12, 14)), config, slow.manifest)
    methods = [(line["method"], line["reason"]) for line in audit(sent) if line["type"] == "scored"]
    assert methods[0] == ("model", None)
    assert ("fallback", "busy") in methods


def test_a_snapshot_over_its_time_is_ranked_by_the_fallback(tmp_path: Path) -> None:
    slow = bundle(tmp_path, fault="is slow", always=True)
    score = {"call_timeout_ms": 1, "timeout_ms": 600_000, "breaker": {"enabled": False}}
    config = configuration(slow.path, score=score)
    sent = minicluster.run(observations(incident("shop", 8, 9, 10)), config, slow.manifest)
    scored = [line for line in audit(sent) if line["type"] == "scored"]
    assert {(line["method"], line["reason"]) for line in scored} == {("fallback", "timeout")}


def test_a_large_snapshot_may_take_longer_in_proportion() -> None:
    settings = ServeSettings("cpu", 5, None, call_ms=62, large_nodes=2)
    few, many = encode([frame_row(0, nodes=FOUR[:1], edges=())]), encode([frame_row(0, nodes=FOUR)])
    assert settings.allowed_s(few) == pytest.approx(0.062)
    assert settings.allowed_s(many) == pytest.approx(0.124)
