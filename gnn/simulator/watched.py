"""Systems as somebody watches them for hours: long healthy stretches and few faults, each worth a call.

Training draws faults in a dense row and confounders by the tick. Here a system is healthy for an hour or
more before its first fault and for most of an hour after each, confounders come by the hour, and no fault is
faint.
What a monitored system lies about (quirks, gaps, copies, missing signals, surges) is as in training.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gnn.simulator.faults import Fault
from gnn.simulator.noise import chance, log_uniform
from gnn.simulator.style import Style, random_style
from gnn.simulator.system import Simulation, run
from gnn.simulator.timeline import Timeline, draw_fault
from gnn.simulator.topology import Topology, random_topology

TICKS_MS = (10_000, 15_000, 30_000, 60_000)
_LEAST_TICKS = 6
_SHIFTS = 0.1
"""Of the series that training shifts for good in a recording, the share that shifts here."""
_TRAINING_TICK_S = 60.0
_DEPLOYS = 0.25
_TRIES = 50


def watched(seed: int, episodes: int, graph: str, twins: bool = False) -> Simulation:
    """Return a system of 6 to 60 nodes with ``episodes`` faults of 5 to 20 minutes and strength 1 to 8.

    ``twins``: each has another one beside it, at a node that neither calls nor is called by its own, directly
    or not, where there is one.
    """
    rng = np.random.default_rng(seed)
    topology = random_topology(rng, int(np.clip(np.exp(rng.normal(2.9, 0.6)), 6, 60)))
    tick_ms = int(rng.choice(TICKS_MS))
    style = _by_the_hour(random_style(rng), tick_ms / 1000)
    timeline = _timeline(rng, topology, episodes, tick_ms / 1000, style.hosts and not twins, twins)
    return run(rng, topology, timeline, style, graph, tick_ms)


def _by_the_hour(style: Style, tick_s: float) -> Style:
    """Return the style with every node measured, no seam, and shifts and releases by the hour."""
    deploys = style.deploys * _DEPLOYS * tick_s / _TRAINING_TICK_S
    return replace(style, unobserved=0.0, seam=0.0, shift=style.shift * _SHIFTS, deploys=deploys)


def _timeline(
    rng: np.random.Generator,
    topology: Topology,
    episodes: int,
    tick_s: float,
    hosts: bool,
    twins: bool = False,
) -> Timeline:
    """Return healthy time, then faults with healthy time after each; now and then something faint beside."""

    def ticks(low_min: float, high_min: float) -> int:
        return int(float(log_uniform(rng, low_min, high_min)) * 60 / tick_s)

    now = ticks(60, 90)
    faults: list[Fault] = []
    decoys: list[Fault] = []
    for _ in range(episodes):
        length = max(_LEAST_TICKS, ticks(5, 20))
        fault = draw_fault(rng, topology, now, now + length, hosts)
        faults.append(replace(fault, strength=float(log_uniform(rng, 1.0, 8.0))))
        faults += _beside(rng, topology, faults[-1]) if twins else []
        if chance(rng, 0.1):
            begin = max(0, now - ticks(5, 30))
            faint = draw_fault(rng, topology, begin, now + length)
            decoys.append(replace(faint, strength=float(log_uniform(rng, 0.1, 0.4))))
        now += length + ticks(35, 60)
    return Timeline(now, faults, decoys)


def _beside(rng: np.random.Generator, topology: Topology, fault: Fault) -> list[Fault]:
    """Return a fault at the same time that has nothing to do with ``fault``; none where all nodes have."""
    apart = set(range(topology.count)) - related(topology, fault.node)
    for _ in range(_TRIES):
        other = draw_fault(rng, topology, fault.start, fault.end)
        if other.node in apart:
            return [replace(other, strength=float(log_uniform(rng, 1.0, 8.0)))]
    return []


def related(topology: Topology, node: int) -> set[int]:
    """Return the node, all that call it and all that it calls, directly or not."""
    found = {node}
    for caller, callee in ((0, 1), (1, 0)):
        left = [node]
        while left:
            of = topology.edges[:, caller] == left.pop()
            left += [int(each) for each in topology.edges[of, callee] if int(each) not in found]
            found.update(left)
    return found
