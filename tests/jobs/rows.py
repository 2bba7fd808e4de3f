"""Frame rows and matches for tests, with little said about each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from jobs.alerts import Alert, alert_of
from jobs.signs import BASELINE_N, FROZEN, LEVEL, REL, SHARE, Z
from records.frames import EDGE_FEATURES, EDGE_SERIES, FEATURES, PRESENT, SILENT, FrameRow
from records.matches import Match
from records.signals import SIGNAL_INDEX, SIGNALS

T0 = 1_767_225_600_000
TICK = 15_000
NODES = ("cart", "checkout", "frontend")
EDGES = (("frontend", "cart"), ("frontend", "checkout"))
USUAL = ("cpu", "latency", "errors")


def tick_end(tick: int) -> int:
    """The end of a tick, ms."""
    return T0 + (tick + 1) * TICK


def frame_row(
    tick: int,
    wrong: Mapping[tuple[str, str], float] | None = None,
    *,
    silent: Mapping[str, int] | None = None,
    absent: Iterable[tuple[str, str]] = (),
    nodes: tuple[str, ...] = NODES,
    edges: tuple[tuple[str, str], ...] = EDGES,
    graph: str = "shop",
) -> FrameRow:
    """A row in which every node has cpu, latency and errors, all usual but for `wrong`: (node, signal) to z.

    `silent`: node to ticks since its last frame; `absent`: (node, signal) that are known but have no value.
    """
    frames = np.zeros((len(nodes), len(SIGNALS), len(FEATURES)), np.float32)
    for signal in USUAL:
        frames[:, SIGNAL_INDEX[signal], [SHARE, BASELINE_N, LEVEL]] = (1.0, 60.0, 0.25)
    for (node, signal), z in (wrong or {}).items():
        cell = frames[nodes.index(node), SIGNAL_INDEX[signal]]
        cell[[Z, REL, SHARE, BASELINE_N, LEVEL]] = (z, np.log1p(abs(z)) / 2, 1.0, 60.0, 0.25)
        cell[FROZEN] = float(abs(z) > 6)
    for node, signal in absent:
        frames[nodes.index(node), SIGNAL_INDEX[signal], [Z, REL, SHARE]] = 0.0
    presence = np.full(len(nodes), PRESENT, np.uint8)
    age = np.zeros(len(nodes), np.int32)
    for node, ticks in (silent or {}).items():
        place = nodes.index(node)
        presence[place], age[place], frames[place] = SILENT, ticks, 0.0
    pairs = np.array([[nodes.index(a), nodes.index(b)] for a, b in edges], np.int32).reshape(-1, 2)
    edge_frames = np.zeros((len(edges), len(EDGE_SERIES), len(EDGE_FEATURES)), np.float32)
    return FrameRow(graph, TICK, tick_end(tick), 1, nodes, presence, age, pairs, frames, edge_frames)


def match(
    tick: int, node: str = "cart", signal: str = "latency", *, pattern: str = "slow", **more: Any
) -> Match:
    """A match ready in the middle of a tick, on one series of a node, with one sample."""
    time = tick_end(tick) - TICK // 2
    sample = {
        "time": time,
        "value": 0.9,
        "z": 12.0,
        "metric": f"{signal}_m",
        "signal": signal,
        "baseline": 0.1,
    }
    fields: dict[str, Any] = {
        "graph": "shop",
        "node": node,
        "series": {"metric": f"{signal}_m", "labels": {}, "signal": signal, "unit": "s"},
        "pattern": pattern,
        "version": 1,
        "key": "series",
        "severity": "warning",
        "kind": "match",
        "time": time,
        "start": time,
        "end": time,
        "steps": [{"name": "slow", "samples": [sample]}],
        "runbook": None,
    }
    return Match.model_validate({**fields, **more})


def alert(tick: int, node: str = "cart", signal: str = "latency", **more: Any) -> Alert:
    """The alert of such a match."""
    return alert_of(match(tick, node, signal, **more))
