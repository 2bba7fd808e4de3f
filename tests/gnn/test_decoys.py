"""Decoys laid over snapshots: what they move, what follows from it, and what they leave alone."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from gnn.batches import make_batch, with_decoys
from gnn.config import TrainConfig
from gnn.decoys import FROZEN_Z, laid
from gnn.examples import Example, pack
from gnn.loss import loss_of
from gnn.model import RootCauseNet
from gnn.simulator.families import systems_of
from onnx_models.compress import extreme, share_of_graph
from onnx_models.encoding import encode
from onnx_models.features import NODE_FEATURES, STATIC_FEATURES
from onnx_models.habit import neighbours
from onnx_models.snapshot import Alarm, Snapshot
from records.signals import SIGNALS
from tests.gnn.test_course import SMALL
from tests.onnx_models.builders import quiet_row, random_snapshot, with_cell

LATENCY = SIGNALS.index("latency")
_PLACE = {name: place for place, name in enumerate(STATIC_FEATURES)}


def laid_over(snapshot: Snapshot, seed: int, truth: int = 0) -> Snapshot:
    example = Example(snapshot, truth, LATENCY, 0, np.zeros(len(snapshot.edge_attr), bool), 0, 1)
    return laid(seed, example).snapshot


def test_what_follows_from_the_values_is_what_the_encoder_would_say() -> None:
    snapshot = random_snapshot(3, 8, 12)
    for seed in range(20):
        found = laid_over(snapshot, seed)
        last = found.x[:, :, -3:].mean(2)
        expected = {
            "z_last": last[..., 0],
            "z_share": share_of_graph(last[..., 0]),
            "z_extreme": extreme(found.x[..., 0], 2),
            "rel_last": last[..., 1],
            "rel_share": share_of_graph(last[..., 1]),
        }
        for name, values in expected.items():
            assert np.allclose(found.static[..., _PLACE[name]], values, atol=1e-6), (seed, name)
        near = neighbours(last[..., 0], *snapshot.edge_index)
        assert np.allclose(found.static[..., -2:], near, atol=1e-6)


def test_an_untouched_snapshot_says_the_same_of_itself() -> None:
    snapshot = random_snapshot(5, 6, 9)
    changed = [laid_over(snapshot, seed) for seed in range(30)]
    untouched = [one for one in changed if np.array_equal(one.x, snapshot.x)]
    assert len(changed) - len(untouched) > 20
    for one in untouched:
        assert np.array_equal(one.static, snapshot.static)


def test_only_levels_that_are_measured_move_and_only_in_step_with_their_relative_change() -> None:
    snapshot = random_snapshot(7, 8, 12)
    steady = [SIGNALS.index(name) for name in ("errors", "saturation", "availability", "restarts")]
    absent = snapshot.present.max(2) == 0
    moved = 0
    for seed in range(30):
        found = laid_over(snapshot, seed)
        assert np.array_equal(found.x[:, steady], snapshot.x[:, steady])
        assert np.array_equal(found.x[absent], snapshot.x[absent])
        up = found.x[..., 1] > snapshot.x[..., 1] + 1e-5
        assert (found.x[..., 0][up] >= snapshot.x[..., 0][up] - 1e-5).all()
        moved += int(up.any())
    assert moved > 15


def test_the_cause_itself_never_steps_within_the_window() -> None:
    """Of a system with one node, the cause, only the levels from before the window move: all ticks alike."""
    rows = [quiet_row(tick, ["a"], []) for tick in range(10)]
    snapshot = encode(rows)
    for seed in range(40):
        found = laid_over(snapshot, seed)
        rel = found.x[0, :, :, 1] - snapshot.x[0, :, :, 1]
        assert np.allclose(rel, rel[:, :1], atol=1e-6)


def test_a_decoy_over_the_thresholds_raises_its_alarm_where_several_are_told() -> None:
    names = ["a", "b", "c", "d"]
    rows = [quiet_row(tick, names, [(0, 1), (1, 2), (0, 3)]) for tick in range(10)]
    rows[-3:] = [with_cell(row, 0, "latency", 60.0, 1.5) for row in rows[-3:]]
    alarms = (Alarm("a", "latency"), Alarm("a", "errors"))
    told, untold = encode(rows, alarms), encode(rows)
    alarmed, below = NODE_FEATURES.index("alarmed"), NODE_FEATURES.index("below_alarm")
    raised = 0
    for seed in range(200):
        found = laid_over(told, seed)
        flags = found.static[..., _PLACE["alarmed"]].any(1)
        assert np.array_equal(found.node_static[:, alarmed] > 0, flags)
        assert flags[0]
        assert (found.node_static[:, below] > 0).all()
        raised += int(flags.sum() > 1)
        assert not laid_over(untold, seed).static[..., _PLACE["alarmed"]].any()
    assert raised > 10


def test_beside_a_cause_that_does_not_show_no_node_moves_by_much() -> None:
    """Else a network would learn to name a quiet node where one deviates plainly, and alone."""
    names = ["a", "b", "c", "d"]
    rows = [quiet_row(tick, names, [(0, 1), (1, 2), (0, 3)]) for tick in range(10)]
    quiet = encode(rows)
    rows[-3:] = [with_cell(row, 2, "latency", 60.0, 1.5) for row in rows[-3:]]
    plain = encode(rows)
    moves = [
        [np.abs(laid_over(one, seed, 2).x[..., 1] - one.x[..., 1]).max() for seed in range(60)]
        for one in (quiet, plain)
    ]
    assert max(moves[0]) < 0.06
    assert max(moves[1]) > 0.3


def test_a_batch_keeps_its_graphs_apart_and_itself() -> None:
    examples = [
        Example(random_snapshot(i, 4 + i, 6), i % 3 - 1, 4, 0, np.ones(6, bool), i, 1) for i in range(6)
    ]
    batch = make_batch(pack(examples))
    before = {name: value.clone() for name, value in batch.inputs.items()}
    rng = np.random.default_rng(0)
    assert with_decoys(rng, batch, 0.0) is batch
    found = with_decoys(rng, batch, 0.5)
    assert all(torch.equal(value, before[name]) for name, value in batch.inputs.items())
    differs = (found.inputs["x"] != before["x"]).flatten(1).any(1)
    touched = {int(graph) for graph in batch.batch[differs]}
    assert 0 < len(touched) < 6
    again = (
        with_decoys(np.random.default_rng(5), batch, 1.0),
        with_decoys(np.random.default_rng(5), batch, 1.0),
    )
    assert all(torch.equal(again[0].inputs[name], again[1].inputs[name]) for name in before)


def test_a_network_learns_from_a_batch_with_decoys() -> None:
    examples = [Example(random_snapshot(i, 5, 6), i % 4, 4, 0, np.ones(6, bool), i, 1) for i in range(6)]
    batch = with_decoys(np.random.default_rng(1), make_batch(pack(examples)), 1.0)
    torch.manual_seed(1)
    model = RootCauseNet(SMALL)
    loss = loss_of(model(batch.inputs, batch.batch, batch.graphs), batch, replace(TrainConfig(), decoys=1.0))
    loss.backward()
    assert all(torch.isfinite(one.grad).all() for one in model.parameters() if one.grad is not None)


def test_a_shifted_system_differs_at_one_other_node_and_only_from_shortly_before_the_fault() -> None:
    pairs = list(zip(systems_of("one-fault", 8, 1), systems_of("shifted", 8, 1), strict=True))
    assert len(pairs) == 16
    moved = 0
    for clean, other in pairs:
        same = (clean.matrix == other.matrix) | (np.isnan(clean.matrix) & np.isnan(other.matrix))
        if not clean.faults:
            assert same.all()
            continue
        assert clean.faults == other.faults
        fault = clean.faults[0]
        columns = np.flatnonzero(~same.all(0))
        nodes = {clean.series[column].node for column in columns}
        assert len(nodes) <= 1
        assert fault.node not in nodes
        assert same[: max(0, fault.start - 8)].all()
        moved += len(nodes)
    assert moved > 5


def test_a_baseline_freezes_from_the_same_deviation_on_as_in_the_job() -> None:
    source = Path(__file__).parents[2] / "jvm/src/main/java/io/faultline/node/Baseline.java"
    told = re.findall(r"ANOMALOUS_Z = ([0-9.]+);", source.read_text(encoding="utf-8"))
    assert [float(one) for one in told] == [FROZEN_Z]
