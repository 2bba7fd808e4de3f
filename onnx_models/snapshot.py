"""The snapshot: what a model sees of one graph at one time."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from onnx_models.features import INPUTS

F32 = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Alarm:
    """What raised the alarm: a node, and its signal where that is known."""

    node: str
    signal: str | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Arrays of one graph over T ticks. N nodes (>= 1), E edges (>= 0), 11 signals; features: see
    ``features.py``.

    ``x`` [N,11,T,2], ``present`` [N,11,T] (share of the signal's series with a value), ``node_present``
    [N,T], ``static`` [N,11,Ks], ``node_static`` [N,Kn], ``edge_index`` int64 [2,E] (caller, callee),
    ``edge_attr`` [E,Ke], ``mask`` bool [N] (False: never seen and without edge data: cannot be ranked). Every
    number is finite. ``time`` is the end of the last tick in ms.
    """

    graph: str
    time: int
    nodes: tuple[str, ...]
    x: F32
    present: F32
    node_present: F32
    static: F32
    node_static: F32
    edge_index: npt.NDArray[np.int64]
    edge_attr: F32
    mask: npt.NDArray[np.bool_]

    def inputs(self) -> dict[str, npt.NDArray[np.generic]]:
        """Return the model's inputs by name."""
        return {name: getattr(self, name) for name in INPUTS}

    def input_hash(self) -> str:
        """Return the SHA-256 (hex) of graph, time, nodes and every array: the event's ``input_hash``."""
        digest = hashlib.sha256(repr((self.graph, self.time, self.nodes)).encode())
        for name in INPUTS:
            digest.update(np.ascontiguousarray(getattr(self, name)).tobytes())
        return digest.hexdigest()
