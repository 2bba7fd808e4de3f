"""A baseline that was never clean: part of the fault already lies in the ticks before it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gnn.simulator.noise import F64
from gnn.simulator.system import Simulation

SHARE = 0.2
APART_TICKS = 10
"""The last ticks before a fault stay clean: they are the window of the snapshot, not the baseline."""


def polluted(rng: np.random.Generator, simulation: Simulation, share: float = SHARE) -> Simulation:
    """Return the simulation with a ``share`` of the ticks before its first fault, drawn at random, showing
    what ticks of that fault show; counters go on from there. Without a fault nothing changes."""
    if not simulation.faults:
        return simulation
    fault = simulation.faults[0]
    before = np.arange(max(0, fault.start - APART_TICKS))
    chosen = np.sort(rng.permutation(before)[: round(share * len(before))])
    source = np.arange(len(simulation.matrix))
    source[chosen] = rng.integers(fault.start, fault.end, len(chosen))
    matrix = simulation.matrix[source]
    for column, one in enumerate(simulation.series):
        if one.kind == "counter":
            matrix[:, column] = _counted(simulation.matrix[:, column], source)
    return replace(simulation, matrix=matrix)


def _counted(counter: F64, source: np.ndarray[tuple[int], np.dtype[np.int64]]) -> F64:
    """Return a counter [R] that grows in each tick as it grew in the tick of ``source`` [R]; NaN stays."""
    there = ~np.isnan(counter)
    last = np.maximum.accumulate(np.where(there, counter, 0.0))
    grown = np.diff(last, prepend=0.0)[source]
    return np.where(there[source], np.cumsum(grown), np.nan)
