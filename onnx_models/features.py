"""Names and order of the features a model sees, and the hash that ties a bundle to them.

Owns the layout only: :mod:`onnx_models.encoding` fills it. Changing a name, an order or a formula here means
a new ``ENCODING_VERSION``, so that a bundle trained on another layout is refused instead of being scored on
the wrong numbers. A version may only add features at the end of an axis: bundles of older versions are then
given the features they know (:func:`narrowed`), so a new release can be compared with the old one, and taken
back.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

import numpy.typing as npt

from records.frames import EDGE_SERIES
from records.signals import SIGNALS

ENCODING_VERSION = 2
WINDOW_TICKS = 10

X_FEATURES = ("z", "rel")
"""Per tick of a (node, signal): ``sign(z) log(1 + |z|) / 3`` and ``rel / 2``."""

STATIC_FEATURES = (
    "z_last",  # mean z' of the last 3 ticks
    "z_share",  # the same over the graph's largest |z_last| of that signal
    "z_extreme",  # z' of the tick with the largest |z'|
    "rel_last",  # mean rel' of the last 3 ticks
    "rel_share",  # the same over the graph's largest |rel_last| of that signal
    "baseline_coverage",  # min(1, log(1 + baseline values) / 5); under 5 values there is no z
    "window_coverage",  # mean presence over the window
    "frozen",  # share of the last 3 ticks with a frozen baseline
    "alarmed",  # this (node, signal) raised an alarm
    "gap",  # log(usual ticks from one value to the next) / 3; 0: a value in every tick, or not known
    "age",  # log(1 + ticks since the last value) / 3, the whole window where it has none
    "overdue",  # log((age + 1) / gap) / 3 where the age is beyond the usual gap, else 0
    "callee_z",  # z_last of the callee with the largest |z_last| of that signal
    "caller_z",  # the same over the callers
)

NODE_FEATURES = (
    "alarmed",  # this node raised an alarm
    "alarm_given",  # any node of the graph raised an alarm
    "traffic_share",  # log(usual traffic / the graph's largest) / 3
    "traffic_known",
    "out_degree",  # log(1 + distinct callees)
    "in_degree",  # log(1 + distinct callers)
    "below_alarm",  # 1 if reachable from an alarmed node along calls
    "below_closeness",  # 1 / (1 + hops) along calls, 0 if not reachable
    "above_alarm",  # 1 if an alarmed node is reachable from here
    "above_closeness",
    "silent",  # had frames, has none this tick
    "silence",  # log(1 + ticks since the last frame) / 3
    "never_seen",  # only an edge names it
    "history",  # min(1, log(1 + most baseline values of any signal) / 5)
    "gap",  # log(usual gap of the signal that reports most often) / 3
    "overdue",  # a silent node: log((ticks since the last frame + 1) / gap) / 3, 0 within the gap
)

_PER_KIND = ("z_last", "z_extreme", "rel_last", "z_share", "present")
EDGE_FEATURES = (*(f"{kind}.{name}" for kind in EDGE_SERIES for name in _PER_KIND), "any")

INPUTS = ("x", "present", "node_present", "static", "node_static", "edge_index", "edge_attr", "mask")
OUTPUTS = ("node_score", "signal_score", "anomaly", "edge_weight")


WIDTHS: Final[Mapping[int, Mapping[str, int]]] = {
    1: {"static": 9, "node_static": 14, "edge_attr": len(EDGE_FEATURES)},
    2: {
        "static": len(STATIC_FEATURES),
        "node_static": len(NODE_FEATURES),
        "edge_attr": len(EDGE_FEATURES),
    },
}
"""Number of features on the last axis, by encoding version and input."""


def schema(version: int = ENCODING_VERSION) -> dict[str, object]:
    """Return everything that fixes the meaning of the model's inputs, as plain data."""
    widths = WIDTHS[version]
    return {
        "encoding_version": version,
        "window_ticks": WINDOW_TICKS,
        "signals": list(SIGNALS),
        "x": list(X_FEATURES),
        "static": list(STATIC_FEATURES[: widths["static"]]),
        "node_static": list(NODE_FEATURES[: widths["node_static"]]),
        "edge_attr": list(EDGE_FEATURES[: widths["edge_attr"]]),
        "inputs": list(INPUTS),
        "outputs": list(OUTPUTS),
    }


def schema_hash(version: int = ENCODING_VERSION) -> str:
    """Return the SHA-256 (hex) of the canonical JSON of :func:`schema`."""
    text = json.dumps(schema(version), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def version_of(digest: str) -> int | None:
    """Return the encoding version with this schema hash, None for a foreign one."""
    return next((version for version in WIDTHS if schema_hash(version) == digest), None)


def narrowed(inputs: Mapping[str, npt.NDArray[Any]], version: int) -> dict[str, npt.NDArray[Any]]:
    """Return the inputs as a bundle of an encoding version knows them: without the features added since."""
    if version == ENCODING_VERSION:
        return dict(inputs)
    widths = WIDTHS[version]
    return {name: array[..., : widths[name]] if name in widths else array for name, array in inputs.items()}
