"""Confidence: a calibrated probability that the first node of a ranking is the cause.

A softmax alone does not transfer between systems, so a small logistic model also looks at the lead over the
second node, at the anomaly probability, at the size of the graph, at how much of the graph is measured, at
whether the fallback names the same node, at how plainly the first node deviates, and at how many others do
as much. A feature may only be added at the end: an older bundle weighs those it knows. Its weights ride in
the bundle's manifest and are fitted on simulated systems kept out of training.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from onnx_models.bundle import Confidence
from onnx_models.compress import LAST_TICKS
from onnx_models.scores import Scores
from onnx_models.snapshot import Snapshot

FEATURES = (
    "logit_first",
    "lead",
    "logit_anomaly",
    "log_nodes",
    "measured",
    "fallback_agrees",
    "shown",
    "rivals",
)
_EDGE = 1e-4
_NEARLY, _QUIET = 0.8, 0.4
"""Another node deviates as much from this share on; z' below this is noise (z of 2.3)."""


def _logit(p: float) -> float:
    cut = min(max(p, _EDGE), 1.0 - _EDGE)
    return float(np.log(cut / (1.0 - cut)))


def confidence_features(
    snapshot: Snapshot, probability: npt.NDArray[Any], anomaly: float, fallback: Scores
) -> npt.NDArray[np.float64]:
    """Return float64 [len(FEATURES)] for one answer; ``probability`` [N] after the temperature."""
    order = np.argsort(-probability, kind="stable")
    first = float(probability[order[0]])
    second = float(probability[order[1]]) if len(order) > 1 else 0.0
    agrees = float(fallback.ranking()[0] == order[0])
    measured = float(snapshot.present.max(2).mean())
    return np.array(
        [
            _logit(first),
            np.log((first + _EDGE) / (second + _EDGE)),
            _logit(anomaly),
            np.log(len(order)),
            measured,
            agrees,
            *_trace(snapshot, int(order[0])),
        ]
    )


def _trace(snapshot: Snapshot, first: int) -> tuple[float, float]:
    """Return the largest |z'| of a node in its last ticks, and log(1 + number of others with nearly as
    much)."""
    shown = np.abs(snapshot.x[:, :, -LAST_TICKS:, 0]).max((1, 2))
    rivals = int((shown >= _NEARLY * max(float(shown[first]), _QUIET)).sum()) - int(shown[first] >= _QUIET)
    return float(shown[first]), float(np.log1p(max(rivals, 0)))


def confidence_of(calibration: Confidence, features: npt.NDArray[Any]) -> float:
    """Return the confidence in [0, 1]."""
    known = features[: len(calibration.weights)]
    value = calibration.bias + float(np.dot(calibration.weights, known))
    return float(1.0 / (1.0 + np.exp(-np.clip(value, -30.0, 30.0))))
