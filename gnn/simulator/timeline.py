"""When things happen: a healthy warm-up, then faults with healthy time between them for the baseline to
recover."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gnn.simulator.faults import Fault, draw_kind
from gnn.simulator.noise import chance, log_uniform
from gnn.simulator.topology import Topology

WARM_UPS = (12, 20, 40, 80, 120, 160)
_WARM_UP_WEIGHTS = (0.08, 0.12, 0.2, 0.22, 0.2, 0.18)


@dataclass(frozen=True, slots=True)
class Timeline:
    """``ticks`` of a system, its ``faults`` in order of time (one at a time)."""

    ticks: int
    faults: list[Fault]


def random_timeline(rng: np.random.Generator, topology: Topology, episodes: int) -> Timeline:
    """Return a warm-up of 12 to 160 ticks and ``episodes`` faults, a seventh of them left out for a healthy
    stretch."""
    now = int(rng.choice(WARM_UPS, p=_WARM_UP_WEIGHTS))
    faults: list[Fault] = []
    for _ in range(episodes):
        length = int(np.clip(log_uniform(rng, 3, 24), 3, 24))
        if not chance(rng, 0.14):
            faults.append(draw_fault(rng, topology, now, now + length))
        now += length + int(rng.integers(14, 38))
    return Timeline(now, faults)


def draw_fault(rng: np.random.Generator, topology: Topology, start: int, end: int) -> Fault:
    """Return a fault at a random node, seldom at a proxy; an early return needs callees, else it is an error
    burst."""
    weight = np.where(topology.proxy, 0.25, 1.0)
    node = int(rng.choice(topology.count, p=weight / weight.sum()))
    kind = draw_kind(rng)
    if kind == "early_return" and not topology.outgoing(node).size:
        kind = "error_burst"
    return Fault(node, kind, start, end, float(log_uniform(rng, 0.25, 8.0)))
