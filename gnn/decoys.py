"""Levels that shift for reasons of their own, laid over snapshots in training: a release, another load,
another season. No fault, though a node deviates.

Two ways: many series differ a little from their baseline all through the window (it was learnt at other
times), and one or two nodes step within the window, before or after the fault begins, and stay there. What
follows from the values is made anew with the encoder's own formulas, so that nothing but time and neighbours
tells a decoy from a cause. numpy only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from gnn.cuts import limits_of
from gnn.examples import Example
from gnn.simulator.noise import F64, chance, log_uniform
from onnx_models.compress import LAST_TICKS, lengthened, shorten, squash, unsquashed
from onnx_models.encoding import around, of_values
from onnx_models.features import NODE_FEATURES, STATIC_FEATURES, WINDOW_TICKS
from onnx_models.habit import NEIGHBOURS, neighbours
from records.signals import SIGNALS

F32 = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

FROZEN_Z = 6.0
"""Beyond this |z| a tick freezes its baseline: ``ANOMALOUS_Z`` of the job's ``Baseline``; a test holds both
equal."""
SHOWN = 0.6
"""z' of about 5: from there on a node deviates."""
PLAIN = 1.0
"""z' of about 19: from there on it does so plainly."""
_MOVES = np.array(
    [name in ("cpu", "memory", "disk", "network", "latency", "traffic", "other") for name in SIGNALS]
)
_STEADINESS = (3.0, 50.0)
"""Usual level over usual spread of a series whose window does not tell."""
_TOLD = 0.05
_STATIC = {name: place for place, name in enumerate(STATIC_FEATURES)}
_NODE = {name: place for place, name in enumerate(NODE_FEATURES)}


@dataclass(slots=True)
class Cells:
    """One snapshot's inputs as arrays that may be written: ``x`` [N,11,T,2], ``present`` [N,11,T], ``static``
    [N,11,K], ``node_static`` [N,K'], ``source`` and ``target`` [E], and ``truth``, the index of the cause
    (-1: none)."""

    x: F32
    present: F32
    static: F32
    node_static: F32
    source: Ints
    target: Ints
    truth: int


def lay_decoys(rng: np.random.Generator, cells: Cells) -> None:
    """Shift levels of one snapshot in place, one of the two ways or both.

    None beside a cause that fell silent, and none that moves a node by much where the cause itself does not
    show (:func:`shows`): what alone is silent or deviates is to be named.
    """
    if cells.truth >= 0 and cells.node_static[cells.truth, _NODE["silent"]] > 0:
        return
    movable = (cells.present.max(2) > 0) & _MOVES & (cells.static[..., _STATIC["baseline_coverage"]] > 0)
    shift = np.zeros((len(cells.x), len(SIGNALS), WINDOW_TICKS))
    way = rng.random()
    plain = cells.truth < 0 or shows(cells)
    if way < 0.5:
        _older(rng, movable, shift, plain)
    if way >= 0.3 and plain:
        _steps(rng, movable, cells.truth, shift)
    moved = shift != 0
    if moved.any():
        _move(rng, cells, shift, moved)


def shows(cells: Cells) -> bool:
    """Return whether the cause deviates enough to be told from a decoy beside it: plainly, or with others
    that it moves."""
    largest = np.abs(cells.x[..., -LAST_TICKS:, 0]).max((1, 2))
    own = float(largest[cells.truth])
    others = np.delete(largest, cells.truth).max(initial=0.0)
    return own > PLAIN or (own > SHOWN and float(others) > SHOWN)


def laid(seed: int, example: Example) -> Example:
    """Return the example with decoys laid over it, the same for the same ``seed``."""
    snapshot = example.snapshot
    source, target = snapshot.edge_index
    cells = Cells(
        x=snapshot.x.copy(),
        present=snapshot.present,
        static=snapshot.static.copy(),
        node_static=snapshot.node_static.copy(),
        source=source,
        target=target,
        truth=example.truth,
    )
    lay_decoys(np.random.default_rng((seed, 1)), cells)
    shown = replace(snapshot, x=cells.x, static=cells.static, node_static=cells.node_static)
    return replace(example, snapshot=shown)


def _older(rng: np.random.Generator, movable: npt.NDArray[np.bool_], shift: F64, plain: bool) -> None:
    """Levels that have been others since before the window: all a little, some by more beside a ``plain``
    cause."""
    spread = float(rng.choice([0.0, 0.02, 0.08, 0.2])) if plain else 0.02
    moves = movable * rng.normal(0.0, spread, movable.shape)
    some = plain & movable & (rng.random(movable.shape) < float(rng.choice([0.02, 0.06])))
    moves[some] += _sizes(rng, int(some.sum()))
    shift += moves[..., None]


def _steps(rng: np.random.Generator, movable: npt.NDArray[np.bool_], truth: int, shift: F64) -> None:
    """One or two nodes that are not the cause step within the window, in one signal or in all that move."""
    nodes = np.flatnonzero(movable.any(1) & (np.arange(len(movable)) != truth))
    count = min(len(nodes), 1 + int(chance(rng, 0.3)))
    for node in rng.choice(nodes, count, replace=False) if count else ():
        signals = np.flatnonzero(movable[node])
        if chance(rng, 0.75):
            signals = rng.choice(signals, 1, p=_likely(signals))
        begins = int(rng.integers(1, WINDOW_TICKS))
        shift[node, signals, begins:] += _sizes(rng, len(signals))[:, None]


def _likely(signals: Ints) -> F64:
    """Latency is what moves most often, and what is mistaken for a cause most easily."""
    weight = np.where(signals == SIGNALS.index("latency"), 3.0, 1.0)
    return np.asarray(weight / weight.sum())


def _sizes(rng: np.random.Generator, count: int) -> F64:
    """Changes of the logarithm of a level: .1 to 1.4, upwards in two of three."""
    return np.asarray(np.where(rng.random(count) < 0.67, 1.0, -1.0) * log_uniform(rng, 0.1, 1.4, count))


def _move(rng: np.random.Generator, cells: Cells, shift: F64, moved: npt.NDArray[np.bool_]) -> None:
    z, rel = unsquashed(cells.x[..., 0]), lengthened(cells.x[..., 1])
    steady = _steadiness(rng, z, rel)[..., None]
    z = z + np.where(moved, steady * np.exp(rel) * np.expm1(shift), 0.0)
    rel = rel + np.where(moved, shift, 0.0)
    touched = moved.any(2)
    cells.x[touched, :, 0] = squash(z)[touched]
    cells.x[touched, :, 1] = shorten(rel)[touched]
    _told_again(cells, touched, z)
    _alarm_again(rng, cells, touched, z, rel)


def _steadiness(rng: np.random.Generator, z: F64, rel: F64) -> F64:
    """Return [N,11]: by how much z grows with the relative change of a series, from its own window if that
    tells."""
    change = np.abs(np.expm1(rel))
    total = change.sum(2)
    own = np.abs(z).sum(2) / np.maximum(total, 1e-9)
    drawn = log_uniform(rng, *_STEADINESS, own.size).reshape(own.shape)
    return np.asarray(np.where(total > _TOLD, np.clip(own, 0.3, 60.0), drawn))


def _told_again(cells: Cells, touched: npt.NDArray[np.bool_], z: F64) -> None:
    """Make anew what the encoder derives from the values."""
    known = cells.static[..., _STATIC["baseline_coverage"]] > 0
    columns = of_values(cells.x)
    for name, values in columns.items():
        cells.static[..., _STATIC[name]] = values
    frozen = (np.abs(z[:, :, -LAST_TICKS:]) > FROZEN_Z).mean(2) * known
    place = _STATIC["frozen"]
    cells.static[..., place] = np.where(touched, frozen, cells.static[..., place])
    near = neighbours(columns["z_last"], cells.source, cells.target)
    for index, name in enumerate(NEIGHBOURS):
        cells.static[..., _STATIC[name]] = near[..., index]


def _alarm_again(
    rng: np.random.Generator, cells: Cells, touched: npt.NDArray[np.bool_], z: F64, rel: F64
) -> None:
    """Let decoys over the thresholds raise alarms too, where alarms are told at all; a lone alarm may stay
    alone."""
    flags = cells.static[..., _STATIC["alarmed"]]
    if not flags.any() or (flags.sum() == 1 and chance(rng, 0.5)):
        return
    recent = slice(-1 - int(rng.integers(0, LAST_TICKS)), None)
    flags[touched & limits_of(z[:, :, recent], rel[:, :, recent]).any(2)] = 1.0
    alarmed = flags.any(1) | (cells.node_static[:, _NODE["alarmed"]] > 0)
    for name, values in {"alarmed": alarmed, **around(alarmed, cells.source, cells.target)}.items():
        cells.node_static[:, _NODE[name]] = values
