"""Gradient-boosted trees that judge each node by itself: what learning reaches without a graph.

They see the model's own inputs of a node, but for those that come from edges, and were trained on the same
simulated systems. Imports scikit-learn inside functions.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gnn.config import DataConfig
from gnn.dataset import build
from gnn.examples import Arrays, load
from gnn.matrix import FrameMaker, jvm_frames
from onnx_models.compress import LAST_TICKS
from onnx_models.features import NODE_FEATURES, STATIC_FEATURES
from onnx_models.habit import NEIGHBOURS
from onnx_models.snapshot import Snapshot
from records.errors import MachineError

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
_OF_EDGES = (
    "out_degree",
    "in_degree",
    "below_alarm",
    "below_closeness",
    "above_alarm",
    "above_closeness",
)
_STATIC = [i for i, name in enumerate(STATIC_FEATURES) if name not in NEIGHBOURS]
_NODE = [i for i, name in enumerate(NODE_FEATURES) if name not in _OF_EDGES]


class Trees:
    """Trained trees; made once by :func:`train_trees`, then asked about snapshots."""

    def __init__(self, classifier: Any, systems: int, nodes: int) -> None:
        self._classifier = classifier
        self.systems = systems
        """Simulated systems they were trained on."""
        self.nodes = nodes
        """Nodes in these systems' faulty snapshots."""

    def score(self, snapshot: Snapshot) -> F64:
        """Return [N]: how likely each node is the cause, by itself; 0 for nodes that cannot be ranked."""
        seen = columns(snapshot.x, snapshot.static, snapshot.node_static)
        with _one_thread():
            told: F64 = self._classifier.predict_proba(seen)[:, 1]
        return np.where(snapshot.mask, told, 0.0) if snapshot.mask.any() else told


def _one_thread() -> Any:
    """Return a context without a pool of threads, which spin where a machine has other work."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)


def columns(x: npt.NDArray[Any], static: npt.NDArray[Any], node_static: npt.NDArray[Any]) -> F32:
    """Return [N,F]: what a node shows by itself, from x [N,11,T,2], static [N,11,Ks], node_static [N,Kn]."""
    count = len(x)
    parts = (x[:, :, -LAST_TICKS:].reshape(count, -1), static[..., _STATIC].reshape(count, -1))
    joined: F32 = np.concatenate([*parts, node_static[:, _NODE]], 1).astype(np.float32)
    return joined


def train_trees(
    data: DataConfig, systems: int, work: Path, make: FrameMaker = jvm_frames, seed: int = 0
) -> Trees:
    """Return trees trained on the first ``systems`` systems of ``data``; snapshots are kept in ``work``.

    Raises MachineError without scikit-learn, JavaError when frames cannot be made.
    """
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError as error:
        raise MachineError(
            "scikit-learn is missing: the trees cannot be trained",
            "pip install 'faultline[train]', or leave them out with --trees 0",
        ) from error
    chosen = replace(data, systems=min(systems, data.systems))
    packed = load(build(chosen, work / f"trees-{data.seed}-{chosen.systems}", make))
    seen, truth = labelled(packed)
    classifier = HistGradientBoostingClassifier(
        max_iter=200, learning_rate=0.08, min_samples_leaf=40, l2_regularization=1.0, random_state=seed
    )
    with _one_thread():
        classifier.fit(seen, truth)
    return Trees(classifier, len(np.unique(packed["system"])), len(truth))


def labelled(packed: Arrays) -> tuple[F32, npt.NDArray[np.bool_]]:
    """Return the nodes [M,F] of all snapshots with a fault, and which of them are the cause, [M]."""
    first = np.cumsum(packed["nodes"]) - packed["nodes"]
    faulty = packed["truth"] >= 0
    cause = np.zeros(len(packed["mask"]), bool)
    cause[(first + packed["truth"])[faulty]] = True
    kept = np.repeat(faulty, packed["nodes"]) & packed["mask"]
    return columns(packed["x"][kept], packed["static"][kept], packed["node_static"][kept]), cause[kept]
