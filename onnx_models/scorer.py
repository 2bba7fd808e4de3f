"""Runs a bundle in ONNX Runtime. The only module that imports ``onnxruntime``, and only when a scorer is
made."""

from __future__ import annotations

import importlib
import logging
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from onnx_models.bundle import Bundle
from onnx_models.confidence import confidence_features, confidence_of
from onnx_models.errors import ScoringError
from onnx_models.fallback import rank_by_deviation
from onnx_models.features import OUTPUTS, narrowed
from onnx_models.scores import Scores, softmax
from onnx_models.snapshot import Snapshot
from records.signals import SIGNALS

Provider = Literal["cpu", "gpu"]
_PROVIDERS = {"cpu": ["CPUExecutionProvider"], "gpu": ["CUDAExecutionProvider", "CPUExecutionProvider"]}
_MASKED = -20.0
"""A signal logit below this is one that the model ruled out because the node lacks the signal."""

log = logging.getLogger(__name__)


class OnnxRun:
    """One ONNX Runtime session with one thread: arrays in, arrays out. ``model``: a file or the bytes
    themselves.

    ``provider`` is what the session says it runs on: ONNX Runtime falls back to the CPU silently when CUDA is
    missing.
    """

    def __init__(self, model: Path | bytes, provider: Provider = "cpu") -> None:
        runtime = importlib.import_module("onnxruntime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        source = model if isinstance(model, bytes) else str(model)
        self._session = runtime.InferenceSession(source, sess_options=options, providers=_PROVIDERS[provider])
        self.provider: str = self._session.get_providers()[0]
        self._runtime_errors = _runtime_errors()

    def run(self, inputs: dict[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
        """Return the outputs by name. Raises ScoringError when the runtime fails."""
        try:
            values = self._session.run(list(OUTPUTS), inputs)
        except self._runtime_errors as error:
            raise ScoringError("runtime_error", f"ONNX Runtime failed: {error}") from error
        return {name: np.asarray(value) for name, value in zip(OUTPUTS, values, strict=True)}


class Scorer:
    """One bundle in one session; made once per process and bundle, called from one thread."""

    def __init__(self, bundle: Bundle, provider: Provider = "cpu") -> None:
        self.bundle = bundle
        self._run = OnnxRun(bundle.model_file, provider)
        self.provider = self._run.provider
        if provider == "gpu" and self.provider != "CUDAExecutionProvider":
            log.warning(
                "event=gpu_not_there asked=%s provider=%s model=%s-%d",
                provider,
                self.provider,
                bundle.manifest.name,
                bundle.manifest.version,
            )

    def score(self, snapshot: Snapshot) -> Scores:
        """Return the model's answer for one snapshot. Raises ScoringError: NaN, wrong shape, or the runtime
        failed."""
        inputs = narrowed(snapshot.inputs(), self.bundle.encoding_version)
        return interpret(snapshot, self._run.run(inputs), self.bundle, self.provider)

    def check_golden(self) -> float:
        """Return the largest difference to the bundle's golden outputs; infinity for another shape or NaN."""
        worst = 0.0
        for inputs, expected in self.bundle.golden():
            actual = self._run.run(inputs)
            for name in OUTPUTS:
                same = actual[name].shape == expected[name].shape
                if not (same and np.isfinite(actual[name]).all()):
                    return float("inf")
                worst = max(worst, float(np.abs(actual[name] - expected[name]).max(initial=0.0)))
        return worst


def _runtime_errors() -> tuple[type[Exception], ...]:
    state = importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    names = ("Fail", "InvalidArgument", "RuntimeException", "InvalidGraph", "NotImplemented", "EPFail")
    return (RuntimeError, ValueError, *(getattr(state, name) for name in names))


def interpret(
    snapshot: Snapshot, outputs: dict[str, npt.NDArray[Any]], bundle: Bundle, provider: str
) -> Scores:
    """Turn raw outputs into Scores. Raises ScoringError on a wrong shape or a number that is not finite."""
    count, edges = len(snapshot.nodes), snapshot.edge_index.shape[1]
    shapes = {
        "node_score": (count,),
        "signal_score": (count, len(SIGNALS)),
        "anomaly": (1,),
        "edge_weight": (edges,),
    }
    model = f"{bundle.manifest.name}-{bundle.manifest.version}"
    for name, shape in shapes.items():
        if outputs[name].shape != shape:
            raise ScoringError("bad_shape", f"{model}: {name} has shape {outputs[name].shape}, not {shape}")
        if not np.isfinite(outputs[name]).all():
            raise ScoringError("nonfinite_score", f"{model}: {name} is not finite for graph {snapshot.graph}")
    probability = _node_probability(outputs["node_score"], snapshot.mask, bundle.manifest.temperature)
    anomaly = float(np.clip(outputs["anomaly"][0], 0.0, 1.0))
    features = confidence_features(snapshot, probability, anomaly, rank_by_deviation(snapshot))
    return Scores(
        node_probability=probability,
        signal_score=_signal_rows(outputs["signal_score"]),
        anomaly=anomaly,
        edge_weight=np.clip(outputs["edge_weight"], 0.0, 1.0).astype(np.float32),
        confidence=confidence_of(bundle.manifest.confidence, features),
        provider=provider,
    )


def _node_probability(
    logits: npt.NDArray[Any], mask: npt.NDArray[np.bool_], temperature: float
) -> npt.NDArray[np.float32]:
    allowed = mask if mask.any() else np.ones_like(mask)
    probability = softmax(np.where(allowed, np.asarray(logits, np.float64) / temperature, -1e9))
    return np.where(allowed, probability, 0.0).astype(np.float32)


def _signal_rows(logits: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return softmax rows in which signals that the model ruled out get 0 (unless it ruled out all)."""
    allowed = logits > _MASKED
    allowed |= ~allowed.any(1, keepdims=True)
    return softmax(np.where(allowed, np.asarray(logits, np.float64), -1e9)).astype(np.float32)
