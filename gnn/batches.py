"""Packs of examples to batches of tensors: several graphs side by side, and what training takes away at
random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from gnn.config import TrainConfig
from gnn.decoys import Cells, lay_decoys
from gnn.examples import Arrays, select, starts
from onnx_models.features import INPUTS, NODE_FEATURES, STATIC_FEATURES
from onnx_models.habit import NEIGHBOURS
from records.signals import SIGNAL_INDEX, SIGNALS

_ALARM_COLUMNS = [
    NODE_FEATURES.index(name)
    for name in ("alarmed", "alarm_given", "below_alarm", "below_closeness", "above_alarm", "above_closeness")
]
_DEGREES = [NODE_FEATURES.index(name) for name in ("out_degree", "in_degree")]
_DISTANCES = [
    NODE_FEATURES.index(name) for name in ("below_alarm", "below_closeness", "above_alarm", "above_closeness")
]
_NEIGHBOUR_COLUMNS = [STATIC_FEATURES.index(name) for name in NEIGHBOURS]
_TRAFFIC_COLUMNS = [NODE_FEATURES.index(name) for name in ("traffic_share", "traffic_known")]
_ALARMED = STATIC_FEATURES.index("alarmed")
_TRAFFIC = SIGNAL_INDEX["traffic"]


@dataclass(frozen=True, slots=True)
class Batch:
    """G graphs side by side. ``truth`` int64 [G]: node index in the batch, -1 healthy; ``signal`` [G];
    ``path`` [E]; ``batch`` [N] graph of each node; ``edge_graph`` [E] graph of each edge."""

    inputs: dict[str, Tensor]
    batch: Tensor
    edge_graph: Tensor
    truth: Tensor
    signal: Tensor
    path: Tensor

    @property
    def graphs(self) -> int:
        """Number of graphs."""
        return len(self.truth)


def make_batch(packed: Arrays) -> Batch:
    """Return all examples of a (small) pack as one batch."""
    nodes, edges = packed["nodes"], packed["edges"]
    graph = np.arange(len(nodes))
    first = starts(nodes)[:-1]
    edge_graph = np.repeat(graph, edges)
    arrays = {name: packed[name] for name in INPUTS}
    arrays["edge_index"] = packed["edge_index"].astype(np.int64) + first[edge_graph]
    inputs = {
        name: torch.from_numpy(
            np.ascontiguousarray(array if name in ("edge_index", "mask") else array.astype(np.float32))
        )
        for name, array in arrays.items()
    }
    truth = np.where(packed["truth"] >= 0, packed["truth"] + first, -1)
    return Batch(
        inputs=inputs,
        batch=torch.from_numpy(np.repeat(graph, nodes)),
        edge_graph=torch.from_numpy(edge_graph),
        truth=torch.from_numpy(truth.astype(np.int64)),
        signal=torch.from_numpy(packed["signal"].astype(np.int64)),
        path=torch.from_numpy(packed["path"].astype(np.float32)),
    )


def batches(packed: Arrays, order: npt.NDArray[np.int64], size: int) -> Iterator[Batch]:
    """Yield batches of ``size`` examples in the given order; the last one may be smaller."""
    for begin in range(0, len(order), size):
        yield make_batch(select(packed, order[begin : begin + size]))


def with_decoys(rng: np.random.Generator, batch: Batch, share: float) -> Batch:
    """Return the batch with levels shifted in a ``share`` of its graphs (:mod:`gnn.decoys`)."""
    chosen = np.flatnonzero(rng.random(batch.graphs) < share)
    if not len(chosen):
        return batch
    inputs = dict(batch.inputs)
    for name in ("x", "static", "node_static"):
        inputs[name] = inputs[name].clone()
    arrays = {name: inputs[name].numpy() for name in ("x", "present", "static", "node_static", "edge_index")}
    node_at = np.searchsorted(batch.batch.numpy(), np.arange(batch.graphs + 1))
    edge_at = np.searchsorted(batch.edge_graph.numpy(), np.arange(batch.graphs + 1))
    for graph in chosen.tolist():
        first, end = node_at[graph : graph + 2].tolist()
        source, target = arrays["edge_index"][:, edge_at[graph] : edge_at[graph + 1]] - first
        cells = Cells(
            x=arrays["x"][first:end],
            present=arrays["present"][first:end],
            static=arrays["static"][first:end],
            node_static=arrays["node_static"][first:end],
            source=source,
            target=target,
            truth=int(batch.truth[graph]) - first if batch.truth[graph] >= 0 else -1,
        )
        lay_decoys(rng, cells)
    return replace(batch, inputs=inputs)


def augment(rng: np.random.Generator, batch: Batch, config: TrainConfig) -> Batch:
    """Return the batch with decoys laid, and edges, their features, signals or alarms taken away, in some
    graphs."""
    batch = with_decoys(rng, batch, config.decoys)
    graphs = batch.graphs
    keep_signals = torch.from_numpy(_signals_kept(rng, graphs, config.drop_signals))[batch.batch]
    keep_alarms = torch.from_numpy(rng.random(graphs) >= config.drop_alarms)[batch.batch]
    inputs = dict(batch.inputs)
    shown = keep_signals.float()
    inputs["x"] = inputs["x"] * shown[:, :, None, None]
    inputs["present"] = inputs["present"] * shown[:, :, None]
    inputs["static"] = inputs["static"] * shown[:, :, None]
    inputs["static"][:, :, _ALARMED] *= keep_alarms.float()[:, None]
    node_static = inputs["node_static"].clone()
    node_static[:, _ALARM_COLUMNS] *= keep_alarms.float()[:, None]
    node_static[:, _TRAFFIC_COLUMNS] *= shown[:, _TRAFFIC, None]
    without = rng.random(graphs) < config.drop_edges
    linked = torch.from_numpy(~without)[batch.batch].float()
    node_static[:, _DEGREES] *= linked[:, None]
    alone = (1 - linked) * node_static[:, NODE_FEATURES.index("alarmed")]
    node_static[:, _DISTANCES] = node_static[:, _DISTANCES] * linked[:, None] + alone[:, None]
    inputs["static"][:, :, _NEIGHBOUR_COLUMNS] *= linked[:, None, None]
    inputs["node_static"] = node_static
    featured = torch.from_numpy(rng.random(graphs) >= config.drop_edge_features)[batch.edge_graph]
    inputs["edge_attr"] = inputs["edge_attr"] * featured.float()[:, None]
    kept = torch.from_numpy(~without)[batch.edge_graph]
    inputs["edge_index"] = inputs["edge_index"][:, kept]
    inputs["edge_attr"] = inputs["edge_attr"][kept]
    return Batch(inputs, batch.batch, batch.edge_graph[kept], batch.truth, batch.signal, batch.path[kept])


def _signals_kept(rng: np.random.Generator, graphs: int, probability: float) -> npt.NDArray[np.bool_]:
    """Return bool [G,11]: one or two signals of a share of the graphs are dropped."""
    keep = np.ones((graphs, len(SIGNALS)), bool)
    for graph in np.flatnonzero(rng.random(graphs) < probability):
        keep[graph, rng.choice(len(SIGNALS), int(rng.integers(1, 3)), replace=False)] = False
    return keep
