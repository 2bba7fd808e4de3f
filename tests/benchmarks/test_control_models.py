"""What `benchmarks.control_models` takes for lost or half loaded: each finding is one, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import figures
from benchmarks.control_models import WAIT_TICKS, bundles, by_bundle, scored_in_time
from benchmarks.live import TICK_MS
from records.matches import Match

T0 = 1_767_225_600_000
LABELS = {"gnn-1", "gnn-2"}


def match(time: int, graph: str = "shop") -> Match:
    step = {"name": "high", "samples": [{"time": time}]}
    said = {"graph": graph, "node": "cart", "pattern": "p", "version": 1, "key": "node", "severity": "info"}
    return Match.model_validate(
        {**said, "kind": "match", "start": time, "end": time, "time": time, "steps": [step]}
    )


def scored(time: int, model: str | None = "gnn-1", reason: str | None = None) -> dict[str, Any]:
    return {"graph": "shop", "time": time, "model": model, "reason": reason}


def test_a_match_is_scored_within_its_ticks_and_the_last_are_not_due_yet() -> None:
    end = scored(T0 + 100 * TICK_MS)
    lines = [scored(T0 + WAIT_TICKS * TICK_MS), end]
    assert scored_in_time([match(T0), match(T0 + 100 * TICK_MS)], lines) == 1
    with pytest.raises(RuntimeError, match="1 of 1 matches were not scored"):
        scored_in_time([match(T0)], [scored(T0 + WAIT_TICKS * TICK_MS + 1), end])
    with pytest.raises(RuntimeError, match="1 of 2"):
        scored_in_time([match(T0), match(T0, "bank")], lines)
    with pytest.raises(RuntimeError, match="0 of 0"):
        scored_in_time([], lines)


def test_answers_are_of_the_two_bundles_or_excused() -> None:
    lines = [scored(1), scored(2, "gnn-2"), scored(3, "gnn-2"), scored(4, None, "breaker_open")]
    assert by_bundle(lines, LABELS) == {"fallback, breaker_open": 1, "gnn-1": 1, "gnn-2": 2}
    with pytest.raises(RuntimeError, match="model_not_ready"):
        by_bundle([*lines, scored(5, None, "model_not_ready")], LABELS)
    with pytest.raises(RuntimeError, match="gnn-3"):
        by_bundle([*lines, scored(5, "gnn-3")], LABELS)
    with pytest.raises(RuntimeError, match="wanted by"):
        by_bundle(lines[:1], LABELS)


def test_two_released_bundles_take_turns() -> None:
    one, other = bundles()
    assert one.sha256 != other.sha256
    assert {one.path, other.path} == {one.label, other.label}


def test_the_page_tells_what_was_measured() -> None:
    found = {
        "updates": 40,
        "rate": 99_950.0,
        "p50_ms": 101.2,
        "p99_ms": 412.7,
        "worst_ms": 500.1,
        "samples": {"fed": 1_000, "decoded": 1_000, "seen": 10, "matched": 10},
        "matches": 12,
        "scored": {"gnn-1": 30, "gnn-2": 31},
        "events": 50,
        "derived": 6,
    }
    page = figures.page({"models": found})
    assert "**p50 101 ms, p99 413 ms** (worst 500 ms)" in page
    assert "12 matches was scored in its time (30 by gnn-1, 31 by gnn-2)" in page
