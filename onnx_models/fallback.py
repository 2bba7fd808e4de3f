"""The fallback ranking: robust deviation over the topology, from the same snapshot as the model. No weights,
no runtime.

A node's own deviation is what is left of it after its callees (latency, errors, availability) or its callers
(traffic) explain their part. A node that is silent for longer than it usually is is a suspect as strong as
the strongest deviation of its graph, unless its callers fell silent too; silence explains what its callers
show. Delay that a caller sees and the callee does not (the network) counts for the callee.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from onnx_models.compress import LAST_TICKS, squash
from onnx_models.features import EDGE_FEATURES, NODE_FEATURES, STATIC_FEATURES
from onnx_models.habit import OVERDUE
from onnx_models.scores import Scores, softmax
from onnx_models.snapshot import F32, Snapshot
from records.signals import SIGNAL_INDEX, SIGNALS

QUIET_Z = 3.0
MAX_CONFIDENCE = 0.5
"""A heuristic is never sure: its confidence is its lead over the second node, cut here."""

_EXPLAINED_BY_CALLEES = tuple(SIGNAL_INDEX[name] for name in ("latency", "errors", "availability"))
_TRAFFIC, _CPU, _AVAILABILITY = (SIGNAL_INDEX[name] for name in ("traffic", "cpu", "availability"))
_DOWN_IS_BAD = np.array([name == "traffic" for name in SIGNALS])
_WRONG_WAY = 0.3
_WEIGHT = np.array([0.9 if name != "other" else 0.5 for name in SIGNALS], np.float32)
_EXPLAINS = 0.9
_SHARPNESS = 4.0
_LONG_SILENCE = 1.2
"""``silence`` feature (log(1 + ticks)/3) above which a silent node is old news: about 35 ticks."""


def rank_by_deviation(snapshot: Snapshot) -> Scores:
    """Return the fallback's scores for ``snapshot``; never fails on a valid snapshot, whatever N >= 1 and E
    >= 0."""
    shown = _deviation(snapshot)
    silence = _silence(snapshot, shown)
    own = _unexplained(snapshot, shown, silence)
    own[:, SIGNAL_INDEX["latency"]] = np.maximum(own[:, SIGNAL_INDEX["latency"]], _network(snapshot))
    own[:, _AVAILABILITY] = np.maximum(own[:, _AVAILABILITY], silence)
    weighted = own * _WEIGHT
    score = weighted.max(1) + 0.1 * (weighted.sum(1) - weighted.max(1))
    allowed = snapshot.mask if snapshot.mask.any() else np.ones(len(snapshot.nodes), bool)
    probability = softmax(np.where(allowed, _SHARPNESS * score, -30.0))
    best = float(np.where(allowed, score, 0.0).max())
    return Scores(
        node_probability=np.where(allowed, probability, 0.0).astype(np.float32),
        signal_score=_rows(weighted),
        anomaly=float(1.0 - np.exp(-2.0 * best)),
        edge_weight=_edge_weight(snapshot, shown, silence),
        confidence=min(MAX_CONFIDENCE, _lead(probability), best),
        provider="none",
        method="fallback",
    )


def _lead(probability: npt.NDArray[Any]) -> float:
    """Return how far the first is ahead of the second; 1 for a graph of one node."""
    order = np.sort(probability)[::-1]
    return float(order[0] - order[1]) if len(order) > 1 else 1.0


def _strength(z: npt.NDArray[Any], rel: npt.NDArray[Any]) -> F32:
    """Return how far z' (compressed) is beyond ``QUIET_Z``, damped where the relative change is small."""
    quiet = float(squash(np.array(QUIET_Z)))
    return np.asarray(np.maximum(np.abs(z) - quiet, 0.0) * np.tanh(np.abs(rel) / 0.1), np.float32)


def _deviation(snapshot: Snapshot) -> F32:
    """Return [N,11]: how much each signal deviates now (mean and worst of the last ticks), the harmless way
    damped."""
    recent = snapshot.x[:, :, -LAST_TICKS:]
    each = _strength(recent[..., 0], recent[..., 1])
    shown = 0.5 * each.mean(2) + 0.5 * each.max(2)
    falls = recent[..., 0].mean(2) < 0
    return np.asarray(np.where(falls == _DOWN_IS_BAD, shown, _WRONG_WAY * shown), np.float32)


def _silence(snapshot: Snapshot, shown: F32) -> F32:
    """Return [N]: suspicion of nodes that fell silent, or whose own series all ended while callers still see
    them."""
    late = snapshot.static[:, :, STATIC_FEATURES.index("overdue")].max(1) > 0.99 * OVERDUE
    ended = snapshot.present.any((1, 2)) & ~snapshot.present[:, :, -1].any(1) & late
    silent = ended | (_facts(snapshot, "silent") > 0) & _is_news(snapshot)
    recent = snapshot.node_static[:, NODE_FEATURES.index("silence")] < _LONG_SILENCE
    source, target = snapshot.edge_index
    caller_silent = np.zeros(len(silent), bool)
    caller_silent[target[silent[source]]] = True
    strongest = max(1.0, float(shown.max(initial=0.0)))
    weight = np.where(recent, 1.0, 0.4) * np.where(caller_silent, 0.4, 1.1)
    return np.asarray(strongest * silent * weight, np.float32)


def _facts(snapshot: Snapshot, name: str) -> F32:
    return np.asarray(snapshot.node_static[:, NODE_FEATURES.index(name)], np.float32)


def _is_news(snapshot: Snapshot) -> npt.NDArray[np.bool_]:
    """Return [N]: whether a node that is silent is so beyond its habit, as far as that is known."""
    known = snapshot.node_present.any(1)
    return np.asarray(~known | (_facts(snapshot, "overdue") > 0.99 * OVERDUE))


def _unexplained(snapshot: Snapshot, shown: F32, silence: F32) -> F32:
    """Return [N,11]: deviations less what callees, callers or the node's own traffic explain."""
    source, target = snapshot.edge_index
    own = shown.copy()
    through = np.maximum(shown[:, _EXPLAINED_BY_CALLEES].max(1), silence)
    callee = np.zeros(len(through), np.float32)
    np.maximum.at(callee, source, through[target])
    for signal in _EXPLAINED_BY_CALLEES:
        own[:, signal] = np.maximum(own[:, signal] - _EXPLAINS * callee, 0.0)
    caller = np.zeros(len(through), np.float32)
    np.maximum.at(caller, target, shown[source, _TRAFFIC])
    own[:, _TRAFFIC] = np.maximum(own[:, _TRAFFIC] - _EXPLAINS * np.maximum(caller, callee), 0.0)
    own[:, _CPU] = np.maximum(own[:, _CPU] - shown[:, _TRAFFIC] / _WRONG_WAY, 0.0)
    return own


def _edge_column(snapshot: Snapshot, name: str) -> F32:
    return np.asarray(snapshot.edge_attr[:, EDGE_FEATURES.index(name)], np.float32)


def _network(snapshot: Snapshot) -> F32:
    """Return [N]: delay on incoming edges that only the caller sees."""
    result = np.zeros(len(snapshot.nodes), np.float32)
    kinds = {
        kind: _strength(_edge_column(snapshot, f"{kind}.z_last"), _edge_column(snapshot, f"{kind}.rel_last"))
        for kind in ("net_delay", "caller_latency", "callee_latency")
    }
    seen = np.maximum(kinds["caller_latency"] - kinds["callee_latency"], 0.0)
    np.maximum.at(result, snapshot.edge_index[1], np.minimum(seen, kinds["net_delay"]).astype(np.float32))
    return result


def _edge_weight(snapshot: Snapshot, shown: F32, silence: F32) -> F32:
    """Return [E]: the weaker deviation of both ends, over the largest of the graph."""
    at_node = np.maximum(shown.max(1), silence)
    source, target = snapshot.edge_index
    weight = np.minimum(at_node[source], at_node[target])
    return np.asarray(weight / max(1e-6, float(weight.max(initial=0.0))), np.float32)


def _rows(weighted: F32) -> F32:
    """Return rows that sum to 1, uniform where a node shows nothing."""
    total = weighted.sum(1, keepdims=True)
    return np.where(total > 0, weighted / np.maximum(total, 1e-9), 1.0 / len(SIGNALS)).astype(np.float32)
