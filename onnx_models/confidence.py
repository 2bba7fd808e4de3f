"""Confidence: a calibrated probability that the first node of a ranking is the cause.

A softmax alone does not transfer between systems, so a small logistic model also looks at the lead over the
second node, at the anomaly probability, at the size of the graph, at how much of the graph is measured, and
at whether the fallback names the same node. Its weights ride in the bundle's manifest and are fitted on
simulated systems kept out of training.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from onnx_models.bundle import Confidence
from onnx_models.scores import Scores
from onnx_models.snapshot import Snapshot

FEATURES = ("logit_first", "lead", "logit_anomaly", "log_nodes", "measured", "fallback_agrees")
_EDGE = 1e-4


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
        ]
    )


def confidence_of(calibration: Confidence, features: npt.NDArray[Any]) -> float:
    """Return the confidence in [0, 1]."""
    value = calibration.bias + float(np.dot(calibration.weights, features))
    return float(1.0 / (1.0 + np.exp(-np.clip(value, -30.0, 30.0))))
