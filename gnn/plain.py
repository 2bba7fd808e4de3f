"""Plain systems with one plain fault: a few quiet nodes, and one that fell silent, or one that deviates and
nobody else does.

Whoever looks at such a graph names the node at once. The simulator draws few of them, since most of its
systems are full of noise, so a training that learns to look past a deviation can forget them without losing
much elsewhere: they are asked about apart, and their score helps to choose the weights (:mod:`gnn.train`).
numpy only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from gnn.dataset import path_labels
from gnn.decoys import FROZEN_Z
from gnn.examples import Arrays, Example, pack
from gnn.simulator.noise import chance, log_uniform
from onnx_models.encoding import encode
from onnx_models.features import WINDOW_TICKS
from onnx_models.snapshot import Alarm
from records.frames import EDGE_FEATURES, EDGE_SERIES, FEATURES, PRESENT, SILENT, FrameRow
from records.signals import SIGNAL_INDEX, SIGNALS

SYSTEM: Final = -2
"""Number of the system of a plain example: none of the simulator's."""
_TICK_MS = 60_000
_MEASURED = ("cpu", "memory", "latency", "errors", "traffic")
_LONE = ("cpu", "memory", "latency", "errors")
_Z, _REL, _SHARE, _BASELINE_N, _LEVEL, _FROZEN, _GAP = range(len(FEATURES))
_ERRORS, _TRAFFIC = SIGNAL_INDEX["errors"], SIGNAL_INDEX["traffic"]


@dataclass(slots=True)
class _Plain:
    """A graph that is being drawn: ``frames`` [T,N,11,F], ``silent`` [N] ticks without a frame at the end,
    ``edges`` [E,2]; ``last``: how many of the
    last ticks the fault shows; ``freezes``: whether frames tell of frozen baselines."""

    frames: npt.NDArray[np.float32]
    edges: npt.NDArray[np.int32]
    silent: npt.NDArray[np.int64]
    node: int
    last: int
    freezes: bool
    signal: int = -1
    alarms: list[Alarm] = field(default_factory=list)


def plain_examples(seed: int, count: int) -> dict[str, list[Example]]:
    """Return ``count`` examples of each kind, ``silent`` and ``lone``; the same for the same ``seed``."""
    kinds: dict[str, Callable[[np.random.Generator], Example]] = {"silent": _silent, "lone": _lone}
    return {
        name: [make(np.random.default_rng((seed, place, number))) for number in range(count)]
        for place, (name, make) in enumerate(kinds.items())
    }


def plain_pack(seed: int, count: int) -> Arrays:
    """Return the examples of both kinds as one pack of 2 * ``count``."""
    return pack([one for kind in plain_examples(seed, count).values() for one in kind])


def _silent(rng: np.random.Generator) -> Example:
    """A node that sends nothing for the last ticks; longer than a window in some cases; callers may
    see errors and callees lose traffic."""
    one = _quiet(rng, int(rng.integers(2, 13)))
    if chance(rng, 0.5):
        one.last = int(rng.integers(6, 2 * WINDOW_TICKS))
    one.silent[one.node] = one.last
    callers = one.edges[one.edges[:, 1] == one.node, 0]
    if chance(rng, 0.3):
        callers = _above(one.edges, callers)
    if chance(rng, 0.75):
        for caller in callers:
            _deviates(one, int(caller), _ERRORS, _between(rng, 8.0, 1e4), _between(rng, 0.5, 4.0))
    if chance(rng, 0.3):
        for callee in one.edges[one.edges[:, 0] == one.node, 1]:
            _deviates(one, int(callee), _TRAFFIC, -_between(rng, 4.0, 60.0), -_between(rng, 0.3, 3.0))
    return _example(rng, one)


def _lone(rng: np.random.Generator) -> Example:
    """One signal of one node that deviates plainly, and nothing else anywhere."""
    one = _quiet(rng, int(rng.integers(2, 13)))
    measured = [SIGNAL_INDEX[name] for name in _LONE if one.frames[0, 0, SIGNAL_INDEX[name], _SHARE] > 0]
    one.signal = int(rng.choice(measured))
    _deviates(one, one.node, one.signal, _between(rng, 8.0, 200.0), _between(rng, 0.3, 2.5))
    return _example(rng, one)


def _quiet(rng: np.random.Generator, nodes: int) -> _Plain:
    """Return a tree of ``nodes``, all at their usual level but for noise, which a third have not."""
    frames = np.zeros((WINDOW_TICKS, nodes, len(SIGNALS), len(FEATURES)), np.float32)
    measured = [name for name in _MEASURED if chance(rng, 0.7)]
    if not set(measured) & set(_LONE):
        measured.append(str(rng.choice(_LONE)))
    noise = float(rng.choice([0.0, 0.5, 1.0]))
    for name in measured:
        cells = frames[:, :, SIGNAL_INDEX[name]]
        cells[..., _Z] = rng.normal(0.0, noise, cells.shape[:2]) if noise else 0.0
        cells[..., _REL] = cells[..., _Z] * log_uniform(rng, 0.01, 0.1)
        cells[..., _SHARE], cells[..., _GAP] = 1.0, 1.0
        cells[..., _BASELINE_N] = float(rng.integers(20, 129))
        cells[..., _LEVEL] = log_uniform(rng, 0.1, 100.0)
    callees = np.arange(1, nodes)
    callers = np.array([int(rng.integers(max(0, callee - 4), callee)) for callee in callees], np.int64)
    renamed = rng.permutation(nodes)
    return _Plain(
        frames=frames,
        edges=np.stack([renamed[callers], renamed[callees]], 1).astype(np.int32),
        silent=np.zeros(nodes, np.int64),
        node=int(rng.integers(0, nodes)),
        last=int(rng.integers(1, 6)),
        freezes=chance(rng, 0.7),
    )


def _deviates(one: _Plain, node: int, signal: int, z: float, rel: float) -> None:
    """Let one signal of a node deviate over the last ticks, where it is measured, and alarm."""
    cells = one.frames[-one.last :, node, signal]
    if cells[0, _SHARE] == 0:
        return
    cells[:, _Z], cells[:, _REL], cells[:, _FROZEN] = z, rel, float(one.freezes and abs(z) > FROZEN_Z)
    one.alarms.append(Alarm(f"n{node}", SIGNALS[signal]))


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    return float(log_uniform(rng, low, high))


def _above(
    edges: npt.NDArray[np.int32],
    nodes: npt.NDArray[np.int32],
) -> npt.NDArray[np.int32]:
    """Return ``nodes`` and all that call them, however indirectly."""
    while True:
        more = np.union1d(nodes, edges[np.isin(edges[:, 1], nodes), 0])
        if len(more) == len(nodes):
            return np.asarray(more, np.int32)
        nodes = more


def _example(rng: np.random.Generator, one: _Plain) -> Example:
    """Return the snapshot, with all alarms or none told, and the truth."""
    nodes = len(one.silent)
    rows = []
    for tick in range(WINDOW_TICKS):
        age = np.maximum(one.silent - (WINDOW_TICKS - 1 - tick), 0)
        here = (age == 0)[:, None, None]
        rows.append(
            FrameRow(
                graph="plain",
                tick_ms=_TICK_MS,
                time=(tick + 1) * _TICK_MS,
                topology_version=1,
                nodes=tuple(f"n{number}" for number in range(nodes)),
                presence=np.where(age > 0, SILENT, PRESENT).astype(np.uint8),
                age=age.astype(np.int32),
                edges=one.edges,
                frames=np.where(here, one.frames[tick], 0.0).astype(np.float32),
                edge_frames=np.zeros((len(one.edges), len(EDGE_SERIES), len(EDGE_FEATURES)), np.float32),
            )
        )
    snapshot = encode(rows, one.alarms if chance(rng, 0.5) else ())
    return Example(snapshot, one.node, one.signal, -1, path_labels(snapshot, one.node), SYSTEM, one.last - 1)
