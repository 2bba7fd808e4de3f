"""The network: sizes, invariances, batches, masks, export and what the export check refuses."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gnn.batches import augment, make_batch
from gnn.config import ModelConfig, TrainConfig
from gnn.examples import Example, pack, select, unpack
from gnn.export import check_parity, difference, random_inputs, run_torch, to_onnx
from gnn.loss import loss_of
from gnn.model import RULED_OUT, RootCauseNet, parameters_of
from onnx_models.errors import BundleError
from records.signals import SIGNAL_INDEX
from tests.onnx_models.builders import random_snapshot


@pytest.fixture(scope="module")
def model() -> RootCauseNet:
    torch.manual_seed(0)
    return RootCauseNet(ModelConfig()).eval()


def examples(sizes: tuple[tuple[int, int], ...] = ((4, 3), (1, 0), (9, 12))) -> list[Example]:
    return [
        Example(random_snapshot(i, n, e), 0 if i else -1, 4 if i else -1, 0, np.ones(e, bool), i, 1)
        for i, (n, e) in enumerate(sizes)
    ]


def test_at_most_a_million_parameters(model: RootCauseNet) -> None:
    assert parameters_of(model) <= 1_000_000


@pytest.mark.parametrize(("nodes", "edges"), [(1, 0), (2, 0), (3, 1), (50, 200)])
def test_shapes(model: RootCauseNet, nodes: int, edges: int) -> None:
    outputs = run_torch(model, random_inputs(1, nodes, edges))
    shapes = {name: array.shape for name, array in outputs.items()}
    assert shapes == {
        "node_score": (nodes,),
        "signal_score": (nodes, 11),
        "anomaly": (1,),
        "edge_weight": (edges,),
    }
    assert all(np.isfinite(array).all() for array in outputs.values())


def test_graphs_in_a_batch_do_not_see_each_other(model: RootCauseNet) -> None:
    packed = pack(examples())
    batch = make_batch(packed)
    with torch.no_grad():
        together = model(batch.inputs, batch.batch, batch.graphs)[0].numpy()
    alone = np.concatenate(
        [run_torch(model, dict(example.snapshot.inputs()))["node_score"] for example in unpack(packed)]
    )
    assert together == pytest.approx(alone, abs=1e-4)


def test_relabelling_and_edge_order(model: RootCauseNet) -> None:
    arrays = random_inputs(3, 12, 20)
    rng = np.random.default_rng(0)
    nodes, edges = rng.permutation(12), rng.permutation(20)
    moved = {name: array[nodes] for name, array in arrays.items() if not name.startswith("edge")}
    moved["edge_index"] = np.argsort(nodes)[arrays["edge_index"]][:, edges]
    moved["edge_attr"] = arrays["edge_attr"][edges]
    before, after = run_torch(model, arrays), run_torch(model, moved)
    assert after["node_score"] == pytest.approx(before["node_score"][nodes], abs=1e-4)
    assert after["edge_weight"] == pytest.approx(before["edge_weight"][edges], abs=1e-4)
    assert np.abs(before["node_score"] - before["node_score"][nodes]).max() > 1e-3


def test_direction_of_calls_matters(model: RootCauseNet) -> None:
    arrays = random_inputs(3, 12, 20)
    turned = {**arrays, "edge_index": arrays["edge_index"][::-1].copy()}
    assert difference(run_torch(model, arrays), run_torch(model, turned)) > 1e-3


def test_masked_nodes_and_impossible_signals_are_ruled_out(model: RootCauseNet) -> None:
    arrays = random_inputs(4, 6, 0)
    arrays["mask"] = np.array([True, False, True, True, True, True])
    arrays["present"][2] = 0.0
    arrays["node_present"][2] = 0.0
    outputs = run_torch(model, arrays)
    assert outputs["node_score"][1] == RULED_OUT
    assert (outputs["node_score"][[0, 2]] > RULED_OUT).all()
    possible = np.flatnonzero(outputs["signal_score"][2] > RULED_OUT)
    assert possible.tolist() == [SIGNAL_INDEX["availability"]]


def test_pack_select_unpack_give_the_same_examples() -> None:
    made = examples()
    again = list(unpack(select(pack(made), np.array([2, 0]))))
    assert [example.system for example in again] == [2, 0]
    for one, other in zip((made[2], made[0]), again, strict=True):
        assert other.truth == one.truth
        assert other.snapshot.edge_index.tolist() == one.snapshot.edge_index.tolist()
        assert other.snapshot.x == pytest.approx(one.snapshot.x, abs=2e-3)
        assert other.snapshot.mask.tolist() == one.snapshot.mask.tolist()


def test_the_loss_is_finite_whatever_is_taken_away(model: RootCauseNet) -> None:
    config = TrainConfig(drop_edges=0.5, drop_edge_features=0.5, drop_signals=1.0, drop_alarms=0.5)
    batch = make_batch(pack(examples()))
    for seed in range(8):
        seen = augment(np.random.default_rng(seed), batch, config)
        loss = loss_of(model(seen.inputs, seen.batch, seen.graphs), seen, config)
        assert torch.isfinite(loss)
        assert seen.inputs["edge_index"].shape[1] == len(seen.path)


def test_a_better_answer_costs_less() -> None:
    batch = make_batch(pack(examples(((4, 0), (4, 0)))))
    signal, anomaly, path = torch.zeros(8, 11), torch.tensor([-5.0, 5.0]), torch.zeros(0)
    right, wrong = torch.zeros(8), torch.zeros(8)
    right[4], wrong[5] = 5.0, 5.0
    config = TrainConfig()
    assert loss_of((right, signal, anomaly, path), batch, config) < loss_of(
        (wrong, signal, anomaly, path), batch, config
    )


def test_export_agrees_with_torch_and_a_wrong_export_is_refused(model: RootCauseNet) -> None:
    exported = to_onnx(model)
    assert check_parity(model, exported) < 1e-4
    torch.manual_seed(1)
    other = RootCauseNet(ModelConfig()).eval()
    with pytest.raises(BundleError, match="differ by"):
        check_parity(other, exported)
