"""The fallback ranking on situations with a known answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from onnx_models.encoding import encode
from onnx_models.fallback import MAX_CONFIDENCE, rank_by_deviation
from onnx_models.scores import Scores
from onnx_models.snapshot import Snapshot
from records.signals import SIGNAL_INDEX
from tests.onnx_models.builders import deviating, quiet_row, random_snapshot, silent, with_cell

CHAIN = ("checkout", "frontend", "payment")
CALLS = ((0, 2), (1, 0))  # frontend -> checkout -> payment


def first(snapshot: Snapshot) -> str:
    return snapshot.nodes[int(rank_by_deviation(snapshot).ranking()[0])]


def chain(latency: dict[str, float], dead: str | None = None) -> Snapshot:
    rows = [quiet_row(tick, CHAIN, CALLS) for tick in range(10)]
    for place in range(6, 10):
        for name, z in latency.items():
            rows[place] = with_cell(rows[place], CHAIN.index(name), "latency", z, 1.0)
        if dead:
            rows[place] = silent(rows[place], CHAIN.index(dead), place - 5)
    return encode(rows)


def test_the_silence_of_a_node_that_is_seldom_called_is_no_news() -> None:
    rows = [quiet_row(tick, CHAIN, CALLS) for tick in range(10)]
    for place, row in enumerate(rows):
        frames = row.frames.copy()
        frames[CHAIN.index("payment"), :, 6] *= 9.0
        rows[place] = replace(row, frames=frames)
    for place in range(6, 10):
        rows[place] = with_cell(rows[place], CHAIN.index("checkout"), "latency", 50.0, 1.0)
        rows[place] = silent(rows[place], CHAIN.index("payment"), place - 5)
    assert first(encode(rows)) == "checkout"
    assert first(chain({"checkout": 50.0}, dead="payment")) == "payment"


def test_latency_is_blamed_on_the_deepest_deviating_callee() -> None:
    assert first(chain({"frontend": 60.0, "checkout": 50.0, "payment": 40.0})) == "payment"
    assert first(chain({"frontend": 60.0, "checkout": 50.0})) == "checkout"


def test_the_dead_are_suspects() -> None:
    assert first(chain({"frontend": 40.0}, dead="checkout")) == "checkout"


def test_a_node_that_is_silent_because_its_caller_died_comes_after_it() -> None:
    rows = [quiet_row(tick, CHAIN, CALLS) for tick in range(10)]
    for place in range(6, 10):
        rows[place] = silent(silent(rows[place], 0, place - 5), 2, place - 5)
    assert first(encode(rows)) == "checkout"


def test_lost_traffic_below_a_slow_node_is_a_symptom() -> None:
    rows = [quiet_row(tick, CHAIN, CALLS) for tick in range(10)]
    for place in range(6, 10):
        rows[place] = with_cell(rows[place], 0, "latency", 50.0, 1.0)
        rows[place] = with_cell(rows[place], 0, "traffic", -30.0, -1.0)
        rows[place] = with_cell(rows[place], 2, "traffic", -30.0, -1.0)
    assert first(encode(rows)) == "checkout"


def test_a_delay_only_the_caller_sees_counts_for_the_callee() -> None:
    rows = [quiet_row(tick, CHAIN, CALLS) for tick in range(10)]
    for place in range(6, 10):
        edge_frames = rows[place].edge_frames.copy()
        edge_frames[:, :3, 2] = 1.0
        edge_frames[0, 0] = (80.0, 1.5, 1.0)
        edge_frames[0, 2] = (90.0, 2.0, 1.0)
        rows[place] = replace(with_cell(rows[place], 1, "latency", 9.0, 0.4), edge_frames=edge_frames)
    assert first(encode(rows)) == "payment"


@pytest.mark.parametrize("signal", ["cpu", "latency", "errors"])
def test_the_signal_of_the_cause(signal: str) -> None:
    snapshot = deviating(0, signal, 40.0, 1.0)
    scores = rank_by_deviation(snapshot)
    assert scores.signal_of(int(scores.ranking()[0])) == SIGNAL_INDEX[signal]


def check(snapshot: Snapshot, scores: Scores) -> None:
    count, edges = len(snapshot.nodes), snapshot.edge_index.shape[1]
    assert scores.node_probability.shape == (count,)
    assert scores.signal_score.shape == (count, 11)
    assert scores.edge_weight.shape == (edges,)
    assert scores.node_probability.sum() == pytest.approx(1.0, abs=1e-5)
    assert np.isfinite(scores.signal_score).all()
    assert scores.signal_score.sum(1) == pytest.approx(np.ones(count), abs=1e-5)
    assert 0.0 <= scores.confidence <= MAX_CONFIDENCE
    assert 0.0 <= scores.anomaly <= 1.0
    assert scores.method == "fallback"


@pytest.mark.parametrize(("nodes", "edges"), [(1, 0), (2, 0), (3, 1), (50, 200)])
def test_any_size(nodes: int, edges: int) -> None:
    snapshot = random_snapshot(7, nodes, edges)
    check(snapshot, rank_by_deviation(snapshot))


def test_nothing_wrong_has_no_confidence() -> None:
    scores = rank_by_deviation(encode([quiet_row(tick) for tick in range(10)]))
    assert scores.confidence == 0.0
    assert scores.anomaly == 0.0


def test_masked_nodes_get_nothing_unless_all_are_masked() -> None:
    row = quiet_row(0)
    some = encode([replace(row, presence=np.array([1, 1, 0], np.uint8))])
    assert rank_by_deviation(some).node_probability[2] == 0.0
    none = encode([replace(row, presence=np.zeros(3, np.uint8))])
    assert rank_by_deviation(none).node_probability == pytest.approx([1 / 3] * 3)
