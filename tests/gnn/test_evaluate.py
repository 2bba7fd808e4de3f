"""Metrics, baselines and rewired graphs, on cases small enough to count by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gnn.baselines import Window, baro, chance, nsigma
from gnn.calibration import degraded, fit_confidence, fit_temperature
from gnn.cases import Case
from gnn.evaluate import by_kind, judge
from gnn.evaluation.contenders import Answer
from gnn.evaluation.metrics import accuracy_at
from gnn.examples import Example
from gnn.rewire import shuffled, without_edges
from onnx_models.confidence import FEATURES, confidence_features, confidence_of
from onnx_models.encoding import encode
from onnx_models.fallback import rank_by_deviation
from onnx_models.features import NODE_FEATURES
from onnx_models.snapshot import Alarm, Snapshot
from tests.onnx_models.builders import quiet_row, random_snapshot, with_cell


def window(jump: float = 50.0) -> Window:
    rng = np.random.default_rng(0)
    before = rng.normal(10, 1, (60, 3))
    during = rng.normal(10, 1, (3, 3))
    during[-1, 1] += jump
    recent = np.concatenate([before[-7:], during])
    return Window(before, during, recent, np.array([0, 2, -1]), np.array(["cpu"] * 3))


def test_accuracy_counts_ties_as_drawn_at_random() -> None:
    assert accuracy_at([3.0, 2.0, 1.0], 0, 1) == 1.0
    assert accuracy_at([3.0, 2.0, 1.0], 2, 2) == 0.0
    assert accuracy_at([1.0, 1.0, 1.0, 1.0], 2, 1) == 0.25
    assert accuracy_at([5.0, 1.0, 1.0], 2, 2) == 0.5


def test_baselines_name_the_node_that_jumped() -> None:
    for score in (nsigma, baro):
        assert score(window(), 3).argmax() == 2
        assert score(window(), 3)[1] == 0.0


def test_baselines_survive_gaps_and_constant_series() -> None:
    one = window()
    one.before[:, 0] = np.nan
    one.before[:, 1] = 7.0
    for score in (nsigma, baro):
        assert np.isfinite(score(one, 3)).all()
        assert score(one, 3).argmax() == 2


def case(truth: int) -> Case:
    snapshot = random_snapshot(0, 4, 3)
    return Case(Example(snapshot, truth, 0, 0, np.zeros(3, bool), 0, 0), window())


def test_judge_leaves_healthy_cases_out_and_chance_is_chance() -> None:
    result = judge([case(1), case(2), case(-1)], lambda one: Answer(chance(4)))
    scores = {"AC@1": 0.25, "AC@3": 0.75, "AC@5": 1.0, "Avg@5": pytest.approx(0.7)}
    assert result == scores | {"low": 0.25, "high": 0.25, "cases": 2}


def test_the_interval_is_that_of_the_cases() -> None:
    right = np.array([0.0, 9.0, 0.0, 0.0])
    result = judge([case(1)] * 15 + [case(2)] * 5, lambda one: Answer(right))
    assert result["AC@1"] == 0.75
    assert 0.5 <= result["low"] < 0.65
    assert 0.85 < result["high"] <= 1.0


def test_kinds_are_judged_apart() -> None:
    right = np.array([0.0, 9.0, 0.0, 0.0])
    cases = [case(1), case(2)]
    other = replace(cases[1], example=replace(cases[1].example, kind=1))
    first, second = by_kind([cases[0], other], {"it": lambda one: Answer(right)}).values()
    assert (first["it"]["AC@1"], second["it"]["AC@1"]) == (1.0, 0.0)


def test_rivals_and_a_faint_trace_are_told_to_the_confidence() -> None:
    rows = [quiet_row(tick) for tick in range(10)]
    rows[-3:] = [with_cell(row, 0, "cpu", 50.0, 1.0) for row in rows[-3:]]
    alone = encode(rows)
    rows[-3:] = [with_cell(row, 1, "cpu", 45.0, 1.0) for row in rows[-3:]]
    both = encode(rows)
    p = np.array([0.8, 0.1, 0.1])

    def told(snapshot: Snapshot, name: str) -> float:
        return float(confidence_features(snapshot, p, 0.9, rank_by_deviation(snapshot))[FEATURES.index(name)])

    assert told(alone, "rivals") == 0.0
    assert told(both, "rivals") == pytest.approx(np.log(2))
    assert told(alone, "shown") == pytest.approx(np.log1p(50) / 3, abs=1e-5)


def test_degraded_windows_have_less_and_the_same_nodes() -> None:
    snapshot = random_snapshot(3, 6, 4)
    less = degraded(1, snapshot)
    gone = ~less.present.any((0, 2))
    assert 2 <= gone.sum() <= 5
    assert not less.x[:, gone].any()
    assert np.array_equal(less.present[:, ~gone], snapshot.present[:, ~gone])
    assert less.nodes == snapshot.nodes


def test_without_edges_nothing_of_the_topology_is_left() -> None:
    snapshot = encode([quiet_row(tick) for tick in range(10)], [Alarm("frontend")])
    bare = without_edges(snapshot)
    assert bare.edge_index.shape == (2, 0)
    for name in ("out_degree", "in_degree"):
        assert not bare.node_static[:, NODE_FEATURES.index(name)].any()
    assert bare.node_static[:, NODE_FEATURES.index("below_alarm")].tolist() == [0.0, 1.0, 0.0]


def test_shuffled_keeps_the_number_of_edges_and_their_data() -> None:
    snapshot = random_snapshot(2, 30, 60)
    mixed = shuffled(np.random.default_rng(0), snapshot)
    assert mixed.edge_index.shape == snapshot.edge_index.shape
    assert not np.array_equal(mixed.edge_index, snapshot.edge_index)
    assert np.array_equal(mixed.edge_attr, snapshot.edge_attr)


def test_temperature_cools_a_timid_model_and_warms_a_bold_one() -> None:
    rng = np.random.default_rng(0)
    truth = [0] * 200
    timid = [np.array([0.5, 0.0, 0.0]) for _ in truth]
    bold = [np.array([8.0, 0.0, 0.0]) if rng.random() < 0.7 else np.array([0.0, 8.0, 0.0]) for _ in truth]
    assert fit_temperature(timid, truth) < 0.6
    assert fit_temperature(bold, truth) > 2.0


def test_confidence_learns_when_the_first_node_is_right() -> None:
    snapshot = random_snapshot(3, 4, 3)
    rng = np.random.default_rng(1)
    examples, logits = [], []
    for _ in range(300):
        sure = rng.random() < 0.5
        logits.append(np.array([0.0, 6.0 if sure else 0.3, 0.0, 0.0]))
        truth = 1 if rng.random() < (0.95 if sure else 0.3) else 2
        examples.append(Example(snapshot, truth, 0, 0, np.zeros(3, bool), 0, 0))
    calibration = fit_confidence(examples, logits, [0.9] * 300, 1.0)

    def told(first: float) -> float:
        p = np.full(4, (1 - first) / 3)
        p[1] = first
        return confidence_of(calibration, confidence_features(snapshot, p, 0.9, rank_by_deviation(snapshot)))

    assert told(0.99) > 0.85
    assert told(0.31) < 0.5
