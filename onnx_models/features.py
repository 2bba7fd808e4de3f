"""Names and order of the features a model sees, and the hash that ties a bundle to them.

Owns the layout only: :mod:`onnx_models.encoding` fills it. Changing a name, an order or a formula here means
a new ``ENCODING_VERSION``, so that a bundle trained on the old layout is refused instead of being scored on
the wrong numbers.
"""

from __future__ import annotations

import hashlib
import json

from records.frames import EDGE_SERIES
from records.signals import SIGNALS

ENCODING_VERSION = 1
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
)

_PER_KIND = ("z_last", "z_extreme", "rel_last", "z_share", "present")
EDGE_FEATURES = (*(f"{kind}.{name}" for kind in EDGE_SERIES for name in _PER_KIND), "any")

INPUTS = ("x", "present", "node_present", "static", "node_static", "edge_index", "edge_attr", "mask")
OUTPUTS = ("node_score", "signal_score", "anomaly", "edge_weight")


def schema() -> dict[str, object]:
    """Return everything that fixes the meaning of the model's inputs, as plain data."""
    return {
        "encoding_version": ENCODING_VERSION,
        "window_ticks": WINDOW_TICKS,
        "signals": list(SIGNALS),
        "x": list(X_FEATURES),
        "static": list(STATIC_FEATURES),
        "node_static": list(NODE_FEATURES),
        "edge_attr": list(EDGE_FEATURES),
        "inputs": list(INPUTS),
        "outputs": list(OUTPUTS),
    }


def schema_hash() -> str:
    """Return the SHA-256 (hex) of the canonical JSON of :func:`schema`."""
    text = json.dumps(schema(), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
