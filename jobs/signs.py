"""Signs of trouble in frame rows: which signals, edges and nodes are out of their usual range.

Imports records and numpy only. `frames` are [N,S,F] with F = (z, rel, present, baseline_n, level, frozen,
gap),
edge frames [E,K,3] with (z, rel, present): see records/frames.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jobs.alerts import Alert
from records.frames import EDGE_SERIES, FEATURES, PRESENT, SILENT, FrameRow
from records.signals import SIGNAL_INDEX, SIGNALS

ANOMALOUS_Z: Final = 6.0
"""Beyond it a tick is anomalous: the JVM's own bound for freezing a baseline."""
Z, REL, SHARE, BASELINE_N, LEVEL, FROZEN, GAP = range(len(FEATURES))
_EDGE_KINDS: Final[Mapping[str, tuple[int, ...]]] = {
    "latency": tuple(EDGE_SERIES.index(name) for name in ("caller_latency", "callee_latency", "net_delay")),
    "traffic": (EDGE_SERIES.index("traffic"),),
    "errors": (EDGE_SERIES.index("errors"),),
}
_EVERY_KIND: Final = tuple(range(len(EDGE_SERIES)))


def index_of(row: FrameRow) -> dict[str, int]:
    """Node name to its index in the row."""
    return {name: index for index, name in enumerate(row.nodes)}


def is_data(row: FrameRow) -> bool:
    """True where any node of the graph sent something in this tick: silence of all is the end of the data."""
    return bool((row.presence == PRESENT).any())


def are_back(row: FrameRow, alerts: Iterable[Alert]) -> bool:
    """True where every signal that raised an alarm is there and in its usual range in this tick.

    A silent node is not back, nor is a signal that is known but has no value. A node or edge that the graph
    has forgotten no longer counts.
    """
    index = index_of(row)
    return all(_is_back(row, index, alert) for alert in alerts)


def _is_back(row: FrameRow, index: Mapping[str, int], alert: Alert) -> bool:
    node = index.get(alert.node)
    if node is None:
        return True
    if row.presence[node] != PRESENT:
        return False
    if alert.peer is not None:
        return _edge_is_back(row, index.get(alert.peer, -1), node, alert.signal)
    wanted = range(len(SIGNALS)) if alert.signal is None else (SIGNAL_INDEX[alert.signal],)
    cells = row.frames[node, list(wanted)]
    unknown = cells[:, BASELINE_N] <= 0
    usual = (cells[:, SHARE] > 0) & (cells[:, FROZEN] <= 0) & (np.abs(cells[:, Z]) <= ANOMALOUS_Z)
    return bool((unknown | usual).all())


def _edge_is_back(row: FrameRow, source: int, target: int, signal: str | None) -> bool:
    kinds = list(_EVERY_KIND if signal is None else _EDGE_KINDS.get(signal, ()))
    found = np.flatnonzero((row.edges[:, 0] == source) & (row.edges[:, 1] == target))
    cells = row.edge_frames[found][:, kinds]
    return bool(((cells[..., 2] <= 0) | (np.abs(cells[..., 0]) <= ANOMALOUS_Z)).all())


def anomalous_signals(row: FrameRow) -> NDArray[np.bool_]:
    """[N,S]: a value beyond its usual range in this tick, or a baseline frozen by one."""
    frames = row.frames
    measured = (frames[..., SHARE] > 0) & (row.presence == PRESENT)[:, None]
    beyond = (np.abs(frames[..., Z]) > ANOMALOUS_Z) | (frames[..., FROZEN] > 0)
    return np.asarray(measured & beyond)


def troubled_nodes(row: FrameRow, alerts: Iterable[Alert]) -> NDArray[np.bool_]:
    """[N]: nodes that raised an alarm, fell silent, show an anomalous signal, or are called anomalously."""
    troubled = anomalous_signals(row).any(1) | (row.presence == SILENT)
    index = index_of(row)
    for alert in alerts:
        if alert.node in index:
            troubled[index[alert.node]] = True
    if len(row.edges):
        beyond = (row.edge_frames[..., 2] > 0) & (np.abs(row.edge_frames[..., 0]) > ANOMALOUS_Z)
        troubled[row.edges[beyond.any(1), 1]] = True
    return np.asarray(troubled, np.bool_)


def column(rows: Iterable[FrameRow], node: str) -> NDArray[Any]:
    """[T,S,F]: the node's frames over `rows`, NaN where a row lacks the node or it was not present."""
    cells = []
    for row in rows:
        here = row.nodes.index(node) if node in row.nodes else -1
        present = here >= 0 and row.presence[here] == PRESENT
        cells.append(row.frames[here] if present else np.full(row.frames.shape[1:], np.nan, np.float32))
    return np.stack(cells) if cells else np.empty((0, len(SIGNALS), len(FEATURES)), np.float32)
