"""Raw outputs become scores, or an error; never a ranking made of NaN."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onnx_models.bundle import Bundle, Confidence
from onnx_models.confidence import FEATURES
from onnx_models.encoding import encode
from onnx_models.errors import ScoringError
from onnx_models.scorer import interpret
from onnx_models.snapshot import Snapshot
from tests.onnx_models.builders import quiet_row
from tests.onnx_models.test_bundle import manifest

CALIBRATION = Confidence(bias=0.0, weights=tuple(1.0 if name == "logit_first" else 0.0 for name in FEATURES))


@pytest.fixture
def snapshot() -> Snapshot:
    return encode([quiet_row(tick) for tick in range(10)])


def bundle(temperature: float = 1.0) -> Bundle:
    changes = {"temperature": temperature, "confidence": CALIBRATION}
    return Bundle(Path("tiny-1"), manifest().model_copy(update=changes))


def outputs(scores: list[float]) -> dict[str, np.ndarray[Any, Any]]:
    return {
        "node_score": np.array(scores, np.float32),
        "signal_score": np.zeros((3, 11), np.float32),
        "anomaly": np.array([0.9], np.float32),
        "edge_weight": np.array([0.2, 1.7], np.float32),
    }


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["node_score", "signal_score", "anomaly", "edge_weight"])
def test_a_number_that_is_not_finite_is_an_error(snapshot: Snapshot, name: str, bad: float) -> None:
    raw = outputs([0.2, 1.0, 0.7])
    raw[name].flat[-1] = bad
    with pytest.raises(ScoringError, match="not finite") as caught:
        interpret(snapshot, raw, bundle(), "cpu")
    assert caught.value.reason == "nonfinite_score"


def test_clean_scores_are_ranked(snapshot: Snapshot) -> None:
    scores = interpret(snapshot, outputs([0.1, 0.8, 0.3]), bundle(), "cpu")
    assert scores.ranking().tolist() == [1, 2, 0]
    assert scores.node_probability.sum() == pytest.approx(1.0)
    assert scores.edge_weight.tolist() == [pytest.approx(0.2), 1.0]
    assert scores.method == "model"


def test_a_wrong_shape_is_an_error(snapshot: Snapshot) -> None:
    with pytest.raises(ScoringError) as caught:
        interpret(snapshot, outputs([0.1, 0.8]), bundle(), "cpu")
    assert caught.value.reason == "bad_shape"


def test_temperature_flattens_and_confidence_follows(snapshot: Snapshot) -> None:
    sharp = interpret(snapshot, outputs([0.0, 4.0, 0.0]), bundle(1.0), "cpu")
    flat = interpret(snapshot, outputs([0.0, 4.0, 0.0]), bundle(4.0), "cpu")
    assert flat.node_probability[1] < sharp.node_probability[1]
    assert sharp.confidence == pytest.approx(float(sharp.node_probability[1]), abs=1e-3)
    assert flat.confidence < sharp.confidence


def test_masked_nodes_are_never_ranked_first(snapshot: Snapshot) -> None:
    masked = replace(snapshot, mask=np.array([True, False, True]))
    scores = interpret(masked, outputs([0.0, 9.0, 1.0]), bundle(), "cpu")
    assert scores.node_probability[1] == 0.0
    assert scores.ranking()[0] == 2


def test_signals_the_model_ruled_out_get_nothing(snapshot: Snapshot) -> None:
    raw = outputs([0.0, 0.0, 0.0])
    raw["signal_score"][:, 2:] = -30.0
    scores = interpret(snapshot, raw, bundle(), "cpu")
    assert scores.signal_score[0].tolist() == [0.5, 0.5] + [0.0] * 9
