"""Frame rows and snapshots for tests, made from a few words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from onnx_models.encoding import encode
from onnx_models.snapshot import Snapshot
from records.frames import EDGE_FEATURES, EDGE_SERIES, FEATURES, PRESENT, FrameRow
from records.signals import SIGNAL_INDEX, SIGNALS

TICK_MS = 60_000
START = 1_767_225_600_000


def quiet_row(
    tick: int,
    nodes: Sequence[str] = ("cart", "frontend", "redis"),
    edges: Sequence[tuple[int, int]] = ((0, 2), (1, 0)),
    signals: Sequence[str] = ("cpu", "latency", "errors", "traffic"),
) -> FrameRow:
    """Return a row in which every node has the named signals, all at their baseline of 60 values."""
    count = len(nodes)
    frames = np.zeros((count, len(SIGNALS), len(FEATURES)), np.float32)
    for signal in signals:
        frames[:, SIGNAL_INDEX[signal]] = (0.0, 0.0, 1.0, 60.0, 10.0, 0.0, 1.0)
    return FrameRow(
        graph="shop",
        tick_ms=TICK_MS,
        time=START + tick * TICK_MS,
        topology_version=1,
        nodes=tuple(nodes),
        presence=np.full(count, PRESENT, np.uint8),
        age=np.zeros(count, np.int32),
        edges=np.array(edges, np.int32).reshape(-1, 2),
        frames=frames,
        edge_frames=np.zeros((len(edges), len(EDGE_SERIES), len(EDGE_FEATURES)), np.float32),
    )


def with_cell(row: FrameRow, node: int, signal: str, z: float, rel: float) -> FrameRow:
    """Return ``row`` with another z and rel in one cell."""
    frames = row.frames.copy()
    frames[node, SIGNAL_INDEX[signal], :2] = (z, rel)
    return replace(row, frames=frames)


def silent(row: FrameRow, node: int, age: int) -> FrameRow:
    """Return ``row`` with one node silent for ``age`` ticks."""
    presence, ages, frames = row.presence.copy(), row.age.copy(), row.frames.copy()
    presence[node], ages[node], frames[node] = 2, age, 0.0
    return replace(row, presence=presence, age=ages, frames=frames)


def deviating(node: int, signal: str, z: float, rel: float, ticks: int = 4, **layout: object) -> Snapshot:
    """Return a snapshot of ten ticks in which one cell deviates over the last ``ticks``."""
    rows = [quiet_row(tick, **layout) for tick in range(10)]  # type: ignore[arg-type]
    rows[-ticks:] = [with_cell(row, node, signal, z, rel) for row in rows[-ticks:]]
    return encode(rows)


def random_snapshot(seed: int, nodes: int, edges: int) -> Snapshot:
    """Return a snapshot with random frames, edges and gaps."""
    rng = np.random.default_rng(seed)
    names = [f"n{i:04d}" for i in range(nodes)]
    pairs = rng.integers(0, nodes, (edges, 2))
    rows = []
    for tick in range(10):
        row = quiet_row(tick, names, [(int(a), int(b)) for a, b in pairs])
        frames = row.frames.copy()
        frames[..., 0] = rng.standard_t(2, frames.shape[:2]) * 3
        frames[..., 1] = rng.standard_normal(frames.shape[:2])
        frames[..., 2] = rng.random(frames.shape[:2]) < 0.6
        edge_frames = np.asarray(rng.standard_normal(row.edge_frames.shape), np.float32)
        edge_frames[..., 2] = rng.random(edge_frames.shape[:2]) < 0.5
        rows.append(replace(row, frames=frames, edge_frames=edge_frames))
    return encode(rows)
