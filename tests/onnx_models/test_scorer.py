"""The released bundle in ONNX Runtime: golden outputs, any size, relabelling, isolation of a bad snapshot."""

from __future__ import annotations

import logging
from dataclasses import replace

import numpy as np
import pytest

from onnx_models.bundle import default_bundle, load_bundle
from onnx_models.encoding import encode
from onnx_models.errors import ScoringError
from onnx_models.scorer import Scorer
from onnx_models.snapshot import Alarm
from records.signals import SIGNAL_INDEX
from tests.onnx_models.builders import deviating, quiet_row, random_snapshot, silent, with_cell


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    return Scorer(load_bundle(default_bundle()))


def test_the_released_bundle_reproduces_its_golden_outputs(scorer: Scorer) -> None:
    assert len(scorer.bundle.golden()) >= 3
    assert scorer.check_golden() < 1e-4


def test_every_file_of_the_bundle_is_under_a_megabyte(scorer: Scorer) -> None:
    sizes = {file.name: file.stat().st_size for file in scorer.bundle.path.iterdir()}
    assert set(sizes) == {"model.onnx", "manifest.json", "golden.npz", "card.md"}
    assert max(sizes.values()) < 1_000_000


@pytest.mark.parametrize(("nodes", "edges"), [(1, 0), (2, 0), (3, 1), (50, 200), (1000, 3000)])
def test_any_size_gives_finite_scores(scorer: Scorer, nodes: int, edges: int) -> None:
    snapshot = random_snapshot(5, nodes, edges)
    scores = scorer.score(snapshot)
    assert scores.node_probability.shape == (nodes,)
    assert scores.signal_score.shape == (nodes, 11)
    assert scores.edge_weight.shape == (edges,)
    assert scores.node_probability.sum() == pytest.approx(1.0, abs=1e-4)
    assert scores.signal_score.sum(1) == pytest.approx(np.ones(nodes), abs=1e-4)
    assert 0.0 <= scores.confidence <= 1.0
    assert 0.0 <= scores.anomaly <= 1.0
    assert (scores.method, scores.provider) == ("model", "CPUExecutionProvider")


@pytest.mark.parametrize("signal", ["cpu", "latency", "errors"])
def test_one_plain_deviation_is_ranked_first_with_its_signal(scorer: Scorer, signal: str) -> None:
    scores = scorer.score(deviating(0, signal, 60.0, 1.5, ticks=3))
    assert scores.ranking()[0] == 0
    assert scores.signal_of(0) == SIGNAL_INDEX[signal]


def test_a_dead_node_beats_its_callers_errors(scorer: Scorer) -> None:
    rows = [quiet_row(tick, ("checkout", "frontend", "payment"), ((0, 2), (1, 0))) for tick in range(10)]
    for place in range(7, 10):
        rows[place] = silent(with_cell(rows[place], 1, "errors", 80.0, 2.0), 0, place - 6)
        rows[place] = with_cell(rows[place], 2, "traffic", -30.0, -1.5)
    scores = scorer.score(encode(rows, [Alarm("frontend", "errors")]))
    assert scores.ranking()[0] == 0


def test_one_node_alone_is_its_own_cause(scorer: Scorer) -> None:
    rows = [quiet_row(tick, ("solo",), ()) for tick in range(10)]
    rows[-3:] = [with_cell(row, 0, "latency", 50.0, 1.0) for row in rows[-3:]]
    scores = scorer.score(encode(rows))
    assert scores.node_probability.tolist() == [1.0]
    assert scores.signal_of(0) == SIGNAL_INDEX["latency"]


def test_relabelled_nodes_and_reordered_edges_relabel_the_answer(scorer: Scorer) -> None:
    snapshot = random_snapshot(8, 20, 40)
    rng = np.random.default_rng(1)
    nodes, edges = rng.permutation(20), rng.permutation(40)
    moved = replace(
        snapshot,
        nodes=tuple(snapshot.nodes[i] for i in nodes),
        x=snapshot.x[nodes],
        present=snapshot.present[nodes],
        node_present=snapshot.node_present[nodes],
        static=snapshot.static[nodes],
        node_static=snapshot.node_static[nodes],
        mask=snapshot.mask[nodes],
        edge_index=np.argsort(nodes)[snapshot.edge_index][:, edges],
        edge_attr=snapshot.edge_attr[edges],
    )
    before, after = scorer.score(snapshot), scorer.score(moved)
    assert after.node_probability == pytest.approx(before.node_probability[nodes], abs=1e-4)
    assert after.signal_score == pytest.approx(before.signal_score[nodes], abs=1e-4)
    assert after.edge_weight == pytest.approx(before.edge_weight[edges], abs=1e-4)
    assert after.anomaly == pytest.approx(before.anomaly, abs=1e-4)
    assert after.confidence == pytest.approx(before.confidence, abs=1e-3)


def test_a_bad_snapshot_costs_only_its_own_answer(scorer: Scorer) -> None:
    good = random_snapshot(1, 5, 4)
    broken = replace(good, node_static=np.full_like(good.node_static, np.nan))
    wrong = replace(good, static=good.static[:, :, :5])
    first = scorer.score(good)
    for bad, reason in ((broken, "nonfinite_score"), (wrong, "runtime_error")):
        with pytest.raises(ScoringError) as refused:
            scorer.score(bad)
        assert refused.value.reason == reason
    assert scorer.score(good).node_probability.tolist() == first.node_probability.tolist()


def test_a_gpu_that_is_not_there_is_said(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        asked = Scorer(load_bundle(default_bundle()), "gpu")
    on_gpu = asked.provider == "CUDAExecutionProvider"
    assert on_gpu or "event=gpu_not_there" in caplog.text
