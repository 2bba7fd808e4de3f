"""A snapshot with its graph spoilt: edges taken away or laid elsewhere, and the features that follow from
them made anew. numpy only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from onnx_models.features import NODE_FEATURES, STATIC_FEATURES
from onnx_models.habit import NEIGHBOURS, neighbours
from onnx_models.reach import closeness, hops
from onnx_models.snapshot import Snapshot


def without_edges(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot as if nobody knew the topology."""
    return _rewired(snapshot, np.zeros((2, 0), np.int64), snapshot.edge_attr[:0])


def shuffled(rng: np.random.Generator, snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with its edges laid between other nodes: the same graph on permuted nodes."""
    place = rng.permutation(len(snapshot.nodes))
    return _rewired(snapshot, place[snapshot.edge_index], snapshot.edge_attr)


def _rewired(
    snapshot: Snapshot, edge_index: npt.NDArray[np.int64], edge_attr: npt.NDArray[np.float32]
) -> Snapshot:
    """Return the snapshot with other edges, and with the node features that follow from them."""
    count = len(snapshot.nodes)
    static = snapshot.node_static.copy()
    source, target = edge_index
    start = np.flatnonzero(static[:, NODE_FEATURES.index("alarmed")] > 0)
    below, above = hops(count, source, target, start), hops(count, target, source, start)
    columns = {
        "out_degree": np.log1p(np.bincount(source, minlength=count)),
        "in_degree": np.log1p(np.bincount(target, minlength=count)),
        "below_alarm": below >= 0,
        "below_closeness": closeness(below),
        "above_alarm": above >= 0,
        "above_closeness": closeness(above),
    }
    for name, values in columns.items():
        static[:, NODE_FEATURES.index(name)] = values
    cells = snapshot.static.copy()
    near = neighbours(cells[..., STATIC_FEATURES.index("z_last")], source, target)
    for place, name in enumerate(NEIGHBOURS):
        cells[..., STATIC_FEATURES.index(name)] = near[..., place]
    return replace(snapshot, edge_index=edge_index, edge_attr=edge_attr, static=cells, node_static=static)
