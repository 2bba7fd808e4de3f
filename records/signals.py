"""Signals: the eleven, and their order. Imports nothing."""

from __future__ import annotations

from typing import Final, Literal, get_args

Signal = Literal[
    "cpu",
    "memory",
    "disk",
    "network",
    "latency",
    "errors",
    "traffic",
    "saturation",
    "availability",
    "restarts",
    "other",
]

SIGNALS: Final[tuple[Signal, ...]] = get_args(Signal)
"""The signals; a signal's position is its index in frames and in the model."""

SIGNAL_INDEX: Final[dict[str, int]] = {name: index for index, name in enumerate(SIGNALS)}
"""Signal name to its index in frames."""
