"""Frames to arrays: the one encoder that training, backtest and serving share.

numpy and ``records`` only. A frame row's ``frames`` are [N, 11, F] with F = (z, rel, present, baseline_n,
level, frozen, gap) and its ``edge_frames`` [E, 5, 3] with (z, rel, present) per kind of
``records.frames.EDGE_SERIES``.

A cell is one (tick, node, signal), or one (tick, edge, kind). A cell with NaN or infinity in z, rel or
present counts as not measured; no other cell changes. A cell that was not measured takes the value before it
(or, in front of the first one, the first measured: a zero there would look like a step); ``present`` keeps
the truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from onnx_models.compress import LAST_TICKS, extreme, fill, share_of_graph, shorten, squash
from onnx_models.edges import edge_features
from onnx_models.features import NODE_FEATURES, STATIC_FEATURES, WINDOW_TICKS
from onnx_models.habit import HABIT, NEIGHBOURS, habit, neighbours, node_habit
from onnx_models.reach import closeness, hops
from onnx_models.snapshot import F32, Alarm, Snapshot
from records.frames import FEATURES, NEVER_SEEN, PRESENT, SILENT, FrameRow
from records.signals import SIGNALS

_Z, _REL, _SHARE, _BASELINE_N, _LEVEL, _FROZEN, _ = range(len(FEATURES))
MIN_BASELINE = 5
_TRAFFIC = SIGNALS.index("traffic")


def encode(frames: Sequence[FrameRow], alarms: Iterable[Alarm] | None = None) -> Snapshot:
    """Return the snapshot at the last of ``frames`` (one graph, any order; older than the window is ignored).

    Nodes and edges are those of the last row; a tick without a row counts as silence. ``alarms`` on unknown
    nodes are ignored. Raises ValueError without frames, without nodes, or with frames of two graphs or two
    tick lengths.
    """
    last, rows = _window(frames)
    values, node_present = _node_values(last, rows)
    x, present, measured = _series(values)
    edge_attr = edge_features(last, rows)
    source, target = _edge_ends(last)
    raised = _alarm_flags(last, alarms or ())
    static = _static(x, present, measured, values, raised)
    static = np.concatenate([static, habit(values, present), neighbours(static[..., 0], source, target)], 2)
    node_static = _node_static(last, values, raised, source, target)
    seen = last.presence != NEVER_SEEN
    has_edge_data = np.zeros(len(last.nodes), bool)
    has_edge_data[source[edge_attr[:, -1] > 0]] = True
    has_edge_data[target[edge_attr[:, -1] > 0]] = True
    return Snapshot(
        graph=last.graph,
        time=last.time,
        nodes=tuple(last.nodes),
        x=x,
        present=present,
        node_present=node_present,
        static=static,
        node_static=node_static,
        edge_index=np.stack([source, target]),
        edge_attr=edge_attr,
        mask=seen | has_edge_data,
    )


def _window(frames: Sequence[FrameRow]) -> tuple[FrameRow, list[FrameRow | None]]:
    """Return the last row and the T slots of its window, oldest first, None where a tick has no row."""
    if not frames:
        raise ValueError("no frames to encode")
    last = max(frames, key=lambda row: row.time)
    if not last.nodes:
        raise ValueError(f"graph {last.graph!r} has no nodes at {last.time}")
    if any((row.graph, row.tick_ms) != (last.graph, last.tick_ms) for row in frames):
        raise ValueError(f"frames of more than one graph or tick length beside {last.graph!r}")
    slots: list[FrameRow | None] = [None] * WINDOW_TICKS
    for row in frames:
        age = (last.time - row.time) // last.tick_ms
        if age < WINDOW_TICKS:
            slots[WINDOW_TICKS - 1 - age] = row
    return last, slots


def _node_values(last: FrameRow, rows: Sequence[FrameRow | None]) -> tuple[F32, F32]:
    """Return frames float32 [T,N,11,6] in the last row's node order (NaN where there is none) and
    node_present [N,T]."""
    count = len(last.nodes)
    values = np.full((len(rows), count, len(SIGNALS), len(FEATURES)), np.nan, np.float32)
    here = np.zeros((count, len(rows)), np.float32)
    index = {name: i for i, name in enumerate(last.nodes)}
    for tick, row in enumerate(rows):
        if row is None:
            continue
        if row.nodes == last.nodes:
            there = place = np.flatnonzero(row.presence == PRESENT)
        else:
            mapped = np.array([index.get(name, -1) for name in row.nodes], np.int64)
            there = np.flatnonzero((row.presence == PRESENT) & (mapped >= 0))
            place = mapped[there]
        values[tick, place] = row.frames[there]
        here[place, tick] = 1.0
    return values, here


def _series(values: F32) -> tuple[F32, F32, npt.NDArray[np.bool_]]:
    """Return x [N,11,T,2], present [N,11,T] and which (node, signal) have any measured value, bool [N,11]."""
    valid = np.isfinite(values[..., : _SHARE + 1]).all(-1) & (values[..., _SHARE] > 0)
    present = np.where(valid, values[..., _SHARE], 0.0).clip(0.0, 1.0)
    scored = valid & (np.nan_to_num(values[..., _BASELINE_N], nan=0.0) >= MIN_BASELINE)
    x = np.stack([squash(values[..., _Z]), shorten(values[..., _REL])], -1)
    x = fill(np.where(scored[..., None], x, 0.0), scored)
    return (
        np.ascontiguousarray(x.transpose(1, 2, 0, 3)).astype(np.float32),
        np.ascontiguousarray(present.transpose(1, 2, 0)).astype(np.float32),
        scored.any(0),
    )


def _static(
    x: F32, present: F32, measured: npt.NDArray[np.bool_], values: F32, raised: npt.NDArray[np.bool_]
) -> F32:
    """Return the first of ``STATIC_FEATURES``, up to ``alarmed``: float32 [N,11,9]."""
    frozen = np.nan_to_num(values[-LAST_TICKS:, ..., _FROZEN], nan=0.0, posinf=0.0, neginf=0.0).mean(0)
    columns = [
        *of_values(x).values(),
        _log_count(values) * measured,
        present.mean(2),
        np.clip(frozen, 0.0, 1.0),
        raised[:, : len(SIGNALS)],
    ]
    assert len(columns) + len(HABIT) + len(NEIGHBOURS) == len(STATIC_FEATURES)
    return np.stack([np.asarray(column, np.float32) for column in columns], -1)


def of_values(x: F32) -> dict[str, F32]:
    """Return those of ``STATIC_FEATURES`` that follow from ``x`` [N,11,T,2] alone, by name and in their
    order, [N,11] each."""
    last = x[:, :, -LAST_TICKS:].mean(2)
    return {
        "z_last": last[..., 0],
        "z_share": share_of_graph(last[..., 0]),
        "z_extreme": extreme(x[..., 0], 2),
        "rel_last": last[..., 1],
        "rel_share": share_of_graph(last[..., 1]),
    }


def around(
    alarmed: npt.NDArray[np.bool_], source: npt.NDArray[np.int64], target: npt.NDArray[np.int64]
) -> dict[str, npt.NDArray[Any]]:
    """Return those of ``NODE_FEATURES`` that tell where a node lies to those that are ``alarmed``, bool [N],
    by name and in their order, [N] each."""
    start = np.flatnonzero(alarmed)
    below, above = hops(len(alarmed), source, target, start), hops(len(alarmed), target, source, start)
    return {
        "below_alarm": below >= 0,
        "below_closeness": closeness(below),
        "above_alarm": above >= 0,
        "above_closeness": closeness(above),
    }


def _log_count(values: F32) -> F32:
    """Return [N,11]: min(1, log(1 + largest baseline count in the window) / 5)."""
    count = np.nan_to_num(values[..., _BASELINE_N], nan=0.0, posinf=0.0, neginf=0.0).max(0)
    return np.asarray(np.minimum(np.log1p(np.maximum(count, 0.0)) / 5.0, 1.0), np.float32)


def _node_static(
    last: FrameRow,
    values: F32,
    raised: npt.NDArray[np.bool_],
    source: npt.NDArray[np.int64],
    target: npt.NDArray[np.int64],
) -> F32:
    """Return node_static float32 [N,Kn] in the order of ``NODE_FEATURES``."""
    count = len(last.nodes)
    alarmed = raised.any(1)
    traffic, traffic_known = _traffic_share(values)
    silence = np.where(last.presence == SILENT, np.log1p(np.maximum(last.age, 0)) / 3.0, 0.0)
    columns = [
        alarmed,
        np.full(count, alarmed.any()),
        traffic,
        traffic_known,
        np.log1p(np.bincount(source, minlength=count)),
        np.log1p(np.bincount(target, minlength=count)),
        *around(alarmed, source, target).values(),
        last.presence == SILENT,
        np.minimum(silence, 2.0),
        last.presence == NEVER_SEEN,
        _log_count(values).max(1),
        *node_habit(last, values),
    ]
    assert len(columns) == len(NODE_FEATURES)
    return np.stack([np.asarray(column, np.float32) for column in columns], -1)


def _traffic_share(values: F32) -> tuple[F32, npt.NDArray[np.bool_]]:
    """Return log(usual traffic / the graph's largest) / 3, [N], and for which nodes it is known."""
    level = np.nan_to_num(values[:, :, _TRAFFIC, _LEVEL], nan=0.0, posinf=0.0, neginf=0.0).max(0)
    known = level > 0
    largest = float(level.max(initial=0.0))
    share = np.log((level + 1e-3 * largest + 1e-9) / (largest + 1e-9)) / 3.0
    return np.where(known, share, 0.0).astype(np.float32), known


def _alarm_flags(last: FrameRow, alarms: Iterable[Alarm]) -> npt.NDArray[np.bool_]:
    """Return bool [N, 12]: which (node, signal) raised an alarm; the last column is a node without a
    signal."""
    flags = np.zeros((len(last.nodes), len(SIGNALS) + 1), bool)
    index = {name: i for i, name in enumerate(last.nodes)}
    for alarm in alarms:
        if alarm.node in index:
            column = SIGNALS.index(alarm.signal) if alarm.signal in SIGNALS else len(SIGNALS)
            flags[index[alarm.node], column] = True
    return flags


def _edge_ends(last: FrameRow) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return caller and callee indices, int64 [E] each."""
    edges = np.asarray(last.edges, np.int64).reshape(-1, 2)
    return np.ascontiguousarray(edges[:, 0]), np.ascontiguousarray(edges[:, 1])
