"""When things happen: a healthy warm-up, then faults with healthy time between them for the baseline to
recover."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from gnn.simulator.faults import Fault, draw_kind
from gnn.simulator.noise import chance, log_uniform
from gnn.simulator.topology import Topology

WARM_UPS = (12, 20, 40, 80, 120, 160)
_WARM_UP_WEIGHTS = (0.08, 0.12, 0.2, 0.22, 0.2, 0.18)


@dataclass(frozen=True, slots=True)
class Timeline:
    """``ticks`` of a system, its ``faults`` in order of time (one at a time), and ``decoys``: faults that
    nobody asks about, in the warm-up or faint and long beside another one."""

    ticks: int
    faults: list[Fault]
    decoys: list[Fault] = field(default_factory=list)


def random_timeline(
    rng: np.random.Generator, topology: Topology, episodes: int, tick_s: float = 60.0, hosts: bool = False
) -> Timeline:
    """Return a warm-up of 12 to 160 ticks and ``episodes`` faults of 2 to 60 minutes (2 to 24 ticks), a
    seventh of them left out for a healthy stretch. ``hosts``: hosts are nodes too and may be at fault."""
    now = int(rng.choice(WARM_UPS, p=_WARM_UP_WEIGHTS))
    faults: list[Fault] = []
    decoys: list[Fault] = []
    if chance(rng, 0.2):
        start = int(rng.integers(0, now))
        decoys.append(draw_fault(rng, topology, start, min(now, start + max(2, now // 4))))
    for _ in range(episodes):
        length = int(np.clip(log_uniform(rng, 120, 3600) / tick_s, 2, 24))
        if not chance(rng, 0.14):
            faults.append(draw_fault(rng, topology, now, now + length, hosts))
            if chance(rng, 0.06):
                start, end = now - int(rng.integers(2, 12)), now + length + int(rng.integers(0, 6))
                weak = draw_fault(rng, topology, max(0, start), end)
                decoys.append(replace(weak, strength=float(log_uniform(rng, 0.1, 0.6))))
        now += length + int(rng.integers(14, 38))
    return Timeline(now, faults, decoys)


def draw_fault(
    rng: np.random.Generator, topology: Topology, start: int, end: int, hosts: bool = False
) -> Fault:
    """Return a fault at a random node, seldom at a proxy, or at a host where these are nodes; an early return
    needs callees, else it is an error burst."""
    strength = float(log_uniform(rng, 0.25, 8.0))
    if hosts and chance(rng, 0.12):
        host = topology.count + int(rng.integers(0, topology.hosts))
        return Fault(host, "host_pressure", start, end, strength)
    weight = np.where(topology.proxy, 0.25, 1.0)
    node = int(rng.choice(topology.count, p=weight / weight.sum()))
    kind = draw_kind(rng)
    if kind == "early_return" and not topology.outgoing(node).size:
        kind = "error_burst"
    return Fault(node, kind, start, end, strength, chance(rng, 0.12))
