"""Where snapshots are cut out of a run of frames, and which alarms come with them.

Alarms are what plain robust-deviation patterns would give: the (node, signal) pairs over a threshold, read
off the same frames; the first of them during a fault is the moment the fault starts to show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from gnn.simulator.noise import chance
from onnx_models.snapshot import Alarm
from records.frames import EDGE_SERIES, SILENT, FrameRow
from records.signals import SIGNALS

Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.floating[Any]]

DELAYS = (0, 1, 2, 3, 5, 8)
_DELAY_WEIGHTS = (0.3, 0.24, 0.18, 0.14, 0.08, 0.06)
_THRESHOLDS: dict[str, tuple[float, float]] = {
    "cpu": (8.0, 0.3),
    "memory": (8.0, 0.2),
    "latency": (10.0, 0.5),
    "errors": (8.0, 0.5),
    "availability": (8.0, 0.3),
    "traffic": (8.0, 0.5),
}
_OTHERWISE = (10.0, 0.4)
_LIMITS = np.array([_THRESHOLDS.get(name, _OTHERWISE) for name in SIGNALS])
_FALLS = np.array([name == "traffic" for name in SIGNALS])
_BOTH_WAYS = np.array([name not in _THRESHOLDS for name in SIGNALS])
_UPSTREAM = ("latency", "errors", "availability")
_LATENCY = SIGNALS.index("latency")
_EDGE_LATENCY = (EDGE_SERIES.index("caller_latency"), EDGE_SERIES.index("callee_latency"))


@dataclass(frozen=True, slots=True)
class Cut:
    """One snapshot to take: index of its last row, alarms, ticks since the fault showed (-1: it never
    did)."""

    row: int
    alarms: tuple[Alarm, ...]
    delay: int


def over_threshold(row: FrameRow) -> Bools:
    """Return bool [N,11]: which pairs of one tick would raise an alarm; edge latency counts for the
    callee."""
    over = limits_of(row.frames[..., 0], row.frames[..., 1])
    for kind in _EDGE_LATENCY:
        slow = (row.edge_frames[:, kind, 0] > _LIMITS[_LATENCY, 0]) & (row.edge_frames[:, kind, 1] > 0.5)
        over[row.edges[slow, 1], _LATENCY] = True
    return np.asarray(over)


def limits_of(z: Numbers, rel: Numbers, axis: int = 1) -> Bools:
    """Return which values of z and rel are over the thresholds; ``axis``: the one of the 11 signals."""
    shape = [1] * z.ndim
    shape[axis] = -1
    signed = np.where(_FALLS, -1.0, 1.0).reshape(shape)
    both, least = _BOTH_WAYS.reshape(shape), _LIMITS.T.reshape(2, *shape)
    z, rel = np.where(both, np.abs(z), signed * z), np.where(both, np.abs(rel), signed * rel)
    return np.asarray((z > least[0]) & (rel > least[1]))


def newly_silent(row: FrameRow) -> Bools:
    """Return bool [N]: which nodes fell silent in this tick."""
    return np.asarray((row.presence == SILENT) & (row.age == 1))


def alarms_between(rows: Sequence[FrameRow], first: int, last: int) -> tuple[Alarm, ...]:
    """Return the distinct alarms of rows[first..last], in order of time, node and signal."""
    found: dict[Alarm, None] = {}
    for row in rows[first : last + 1]:
        for node, signal in zip(*np.nonzero(over_threshold(row)), strict=True):
            found[Alarm(row.nodes[node], SIGNALS[signal])] = None
    return tuple(found)


def shows_at(rows: Sequence[FrameRow], start: int, end: int) -> int | None:
    """Return the first row in [start, end] with an alarm or with a node newly silent; None when it never
    shows."""
    for index in range(start, min(end + 1, len(rows))):
        if over_threshold(rows[index]).any() or newly_silent(rows[index]).any():
            return index
    return None


def fault_cuts(
    rng: np.random.Generator, rows: Sequence[FrameRow], start: int, end: int, cuts: int
) -> list[Cut]:
    """Return up to ``cuts`` snapshots of a fault over rows [start, end): a few ticks after it shows, rarely
    later.

    A fault that raises no alarm is cut at a random tick, half of the time, and comes without alarms.
    """
    shown = shows_at(rows, start, end)
    if shown is None:
        if end - start < 2 or chance(rng, 0.5):
            return []
        return [Cut(min(start + int(rng.integers(1, min(end - start, 8))), len(rows) - 1), (), -1)]
    found: dict[int, Cut] = {}
    for _ in range(cuts):
        delay = int(rng.choice(DELAYS, p=_DELAY_WEIGHTS))
        row = min(shown + delay, end, len(rows) - 1)
        found[row] = Cut(
            row, _as_reported(rng, alarms_between(rows, shown, row), rows[row : row + 1]), row - shown
        )
    return list(found.values())


def _as_reported(
    rng: np.random.Generator, alarms: tuple[Alarm, ...], rows: Sequence[FrameRow]
) -> tuple[Alarm, ...]:
    """Return all alarms, or what one pattern on users' pain would report, or none, or a wrong one beside
    them: jobs differ in their patterns. ``rows``: where a wrong alarm may come from."""
    choice = rng.random()
    if choice < 0.06 and rows:
        row = rows[int(rng.integers(0, len(rows)))]
        name = row.nodes[int(rng.integers(0, len(row.nodes)))]
        return (*alarms, Alarm(name, SIGNALS[int(rng.integers(0, len(SIGNALS)))]))
    if choice < 0.25:
        return ()
    upstream = tuple(alarm for alarm in alarms if alarm.signal in _UPSTREAM)
    if choice < 0.55 and upstream:
        return (upstream[int(rng.integers(0, len(upstream)))],)
    return alarms


def healthy_cuts(
    rng: np.random.Generator,
    rows: Sequence[FrameRow],
    spans: Sequence[tuple[int, int]],
    false_alarms: int,
    quiet: int,
) -> list[Cut]:
    """Return snapshots without a fault, from spans [first, last] of rows: up to ``false_alarms`` where an
    alarm begins (what a job would ask about in vain), and up to ``quiet`` anywhere."""
    begins: list[int] = []
    for first, last in spans:
        over = [bool(over_threshold(row).any()) for row in rows[first - 1 : last + 1]]
        begins += [first + i for i, (before, now) in enumerate(pairwise(over)) if now and not before]
    anywhere = [index for first, last in spans for index in range(first, last + 1)]
    chosen = [
        *rng.permutation(np.array(begins, np.int64))[:false_alarms],
        *rng.permutation(np.array(anywhere, np.int64))[:quiet],
    ]
    return [
        Cut(
            int(index),
            _as_reported(
                rng, alarms_between(rows, max(0, index - 2), index), rows[int(index) : int(index) + 1]
            ),
            -1,
        )
        for index in chosen
    ]
