"""Two bundles' answers for one snapshot, side by side, for the audit. Imports numpy, onnx_models."""

from __future__ import annotations

from typing import Any, Final

from onnx_models.scores import Scores
from onnx_models.snapshot import Snapshot
from records.signals import SIGNALS

SHOWN: Final = 3


def compared(snapshot: Snapshot, candidate: Scores, live: Scores) -> dict[str, Any]:
    """Whether both name the same first cause, and the first causes and confidence of either."""
    ours, theirs = _causes(snapshot, candidate), _causes(snapshot, live)
    return {
        "agree": ours[0]["node"] == theirs[0]["node"],
        "root_causes": ours,
        "confidence_score": round(float(candidate.confidence), 4),
        "live_root_causes": theirs,
        "live_confidence_score": round(float(live.confidence), 4),
        "input_hash": f"sha256:{snapshot.input_hash()}",
    }


def _causes(snapshot: Snapshot, scores: Scores) -> list[dict[str, Any]]:
    return [
        {
            "node": snapshot.nodes[node],
            "signal": SIGNALS[scores.signal_of(node)],
            "score": round(float(scores.node_probability[node]), 4),
        }
        for node in scores.ranking()[:SHOWN].tolist()
    ]
