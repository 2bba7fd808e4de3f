"""A level that shifts for good shortly before a fault, at another node: not all that changed is the cause."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gnn.simulator.noise import chance, log_uniform
from gnn.simulator.series import Series
from gnn.simulator.system import Simulation

_LEVELS = ("cpu", "memory", "disk", "network", "latency", "traffic", "other")
_BEFORE = 8
_SIZES = (0.3, 1.4)


def shifted(rng: np.random.Generator, simulation: Simulation) -> Simulation:
    """Return the simulation with the levels of one node, or its latency alone, at exp(.3 to 1.4) times what
    they were, or at one part in as many, from up to 8 ticks before the first fault on.

    Nothing changes without a fault, or where no other node has such a series.
    """
    if not simulation.faults:
        return simulation
    fault = simulation.faults[0]
    others = sorted({one.node for one in simulation.series if _moves(one) and one.node != fault.node})
    if not others:
        return simulation
    node = int(rng.choice(others))
    begins = max(0, fault.start - int(rng.integers(0, _BEFORE + 1)))
    size = float(log_uniform(rng, *_SIZES)) * (1.0 if chance(rng, 0.67) else -1.0)
    alone = chance(rng, 0.7)
    moving = [column for column, one in enumerate(simulation.series) if one.node == node and _moves(one)]
    latency = [column for column in moving if simulation.series[column].signal == "latency"]
    matrix = simulation.matrix.copy()
    matrix[begins:, latency if alone and latency else moving] *= np.exp(size)
    return replace(simulation, matrix=matrix)


def _moves(one: Series) -> bool:
    return one.peer is None and one.kind == "gauge" and one.signal in _LEVELS
