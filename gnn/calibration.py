"""Temperature and confidence, fitted on simulated systems that training never saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from gnn.examples import Example
from onnx_models.bundle import Confidence
from onnx_models.confidence import FEATURES, confidence_features
from onnx_models.fallback import rank_by_deviation
from onnx_models.scores import softmax
from onnx_models.snapshot import Snapshot
from records.signals import SIGNALS

F64 = npt.NDArray[np.float64]
_TEMPERATURES = np.exp(np.linspace(np.log(0.4), np.log(4.0), 40))
_RIDGE = 1e-2
_NEWTON_STEPS = 30


def fit_temperature(logits: Sequence[F64], truth: Sequence[int]) -> float:
    """Return the temperature with the least mean negative log-likelihood of the true nodes."""

    def loss(temperature: float) -> float:
        return float(
            np.mean(
                [
                    -np.log(softmax(one / temperature)[at] + 1e-12)
                    for one, at in zip(logits, truth, strict=True)
                ]
            )
        )

    return float(min(_TEMPERATURES, key=lambda t: loss(float(t))))


def fit_confidence(
    examples: Sequence[Example], logits: Sequence[F64], anomaly: Sequence[float], temperature: float
) -> Confidence:
    """Return the logistic calibration of "the first node is the cause"; a healthy snapshot has no cause."""
    features, right = [], []
    for example, one, wrong in zip(examples, logits, anomaly, strict=True):
        probability = softmax(np.where(example.snapshot.mask, one / temperature, -1e9))
        features.append(
            confidence_features(example.snapshot, probability, wrong, rank_by_deviation(example.snapshot))
        )
        right.append(float(int(probability.argmax()) == example.truth))
    weights = _logistic(np.array(features), np.array(right))
    return Confidence(bias=float(weights[-1]), weights=tuple(float(w) for w in weights[: len(FEATURES)]))


def degraded(seed: int, snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with two to five signals missing, and in two of five cases without its edges' data.

    Confidence is fitted on such windows too, since real systems are measured in other ways than simulated
    ones.
    """
    rng = np.random.default_rng(seed)
    kept = np.ones(len(SIGNALS), np.float32)
    kept[rng.choice(len(SIGNALS), int(rng.integers(2, 6)), replace=False)] = 0.0
    data = np.float32(rng.random() >= 0.4)
    return replace(
        snapshot,
        x=snapshot.x * kept[:, None, None],
        present=snapshot.present * kept[:, None],
        static=snapshot.static * kept[:, None],
        edge_attr=snapshot.edge_attr * data,
    )


def _logistic(features: F64, right: F64) -> F64:
    """Return the weights and the bias of a ridge-penalised logistic regression, by Newton's method."""
    x = np.c_[features, np.ones(len(features))]
    weights = np.zeros(x.shape[1])
    for _ in range(_NEWTON_STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (p - right) / len(x) + _RIDGE * weights
        curvature = (x * (p * (1 - p))[:, None]).T @ x / len(x) + _RIDGE * np.eye(x.shape[1])
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights
