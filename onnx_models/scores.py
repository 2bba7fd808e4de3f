"""The answer of a model, or of the fallback, about one snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from onnx_models.snapshot import F32

Method = Literal["model", "fallback"]


@dataclass(frozen=True, slots=True)
class Scores:
    """Root-cause scores of one snapshot; every number is finite.

    ``node_probability`` [N] sums to 1 over the nodes (0 for masked ones, unless all are masked).
    ``signal_score`` [N,11]: per node, how likely each signal is where the cause shows, given that the node is
    the cause; rows sum to 1, signals that the node lacks get 0. ``anomaly`` in [0, 1]: is anything wrong in
    the graph. ``edge_weight`` [E] in [0, 1]: how much an edge (in the snapshot's order) lies on the way from
    symptoms to the cause. ``confidence`` in [0, 1]: calibrated probability that the first node is the cause.
    ``provider``: where it ran ("none" for the fallback).
    """

    node_probability: F32
    signal_score: F32
    anomaly: float
    edge_weight: F32
    confidence: float
    provider: str
    method: Method = "model"

    def ranking(self) -> npt.NDArray[np.int64]:
        """Return node indices, best first; equal scores keep the order of nodes."""
        return np.argsort(-self.node_probability, kind="stable").astype(np.int64)

    def signal_of(self, node: int) -> int:
        """Return the index of the likeliest signal of ``node``."""
        return int(self.signal_score[node].argmax())


def softmax(logits: npt.NDArray[Any], axis: int = -1) -> npt.NDArray[np.float64]:
    """Return the softmax of finite ``logits`` along ``axis``."""
    shifted = np.exp(np.asarray(logits, np.float64) - np.max(logits, axis=axis, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=axis, keepdims=True))
