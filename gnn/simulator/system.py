"""One simulated system from a seed: topology, load, faults, what happens, and what is measured of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gnn.simulator.faults import KINDS, Fault, apply_faults
from gnn.simulator.load import demand
from gnn.simulator.noise import F64
from gnn.simulator.observation import observe
from gnn.simulator.propagation import propagate
from gnn.simulator.scene import scene_of
from gnn.simulator.series import Series
from gnn.simulator.style import Style, random_style
from gnn.simulator.timeline import Timeline, random_timeline
from gnn.simulator.topology import Topology, observed_edges, random_topology
from records.signals import Signal

TICKS_MS = (10_000, 15_000, 30_000, 60_000, 300_000)
_TICK_WEIGHTS = (0.1, 0.1, 0.15, 0.4, 0.25)


@dataclass(frozen=True, slots=True)
class Simulation:
    """What monitoring recorded of one system, and the truth.

    ``names`` of nodes by index; ``series`` and ``matrix`` [R,S] (row r is tick r, NaN: no sample); ``edges``
    known to monitoring (caller, callee); ``faults`` in ticks, and ``decoys``: what else was wrong;
    ``tick_ms``.
    """

    graph: str
    names: tuple[str, ...]
    series: list[Series]
    matrix: F64
    edges: list[tuple[int, int]]
    faults: list[Fault]
    tick_ms: int
    decoys: list[Fault] = field(default_factory=list)

    def signal_of(self, fault: Fault) -> Signal:
        """Return the signal where a fault shows at its node: of those its kind allows, the first that is
        measured."""
        wanted = KINDS[fault.kind].signals
        measured = {one.signal for one in self.series if one.node == fault.node}
        return next((signal for signal in wanted if signal in measured), wanted[0])


def simulate(seed: int, episodes: int = 10, graph: str = "sim") -> Simulation:
    """Return a random system with about ``episodes`` faults, monitored as in the field."""
    rng = np.random.default_rng(seed)
    topology, style = random_topology(rng), random_style(rng)
    tick_ms = int(rng.choice(TICKS_MS, p=_TICK_WEIGHTS))
    timeline = random_timeline(rng, topology, episodes, tick_ms / 1000, style.hosts)
    return run(rng, topology, timeline, style, graph, tick_ms)


def run(
    rng: np.random.Generator,
    topology: Topology,
    timeline: Timeline,
    style: Style,
    graph: str,
    tick_ms: int,
    calm: bool = False,
) -> Simulation:
    """Return what a given system records over a given timeline. ``calm``: steady load and nodes."""
    effects = apply_faults(rng, topology, timeline.faults + timeline.decoys, timeline.ticks)
    world = propagate(
        rng, topology, demand(rng, timeline.ticks, style.heavy, calm), effects, style.heavy, calm
    )
    scene = scene_of(rng, topology, world, effects, style, tick_ms / 1000, timeline.faults)
    series, matrix, _ = observe(rng, scene, style, tick_ms / 1000)
    known = observed_edges(rng, scene.edges) if not calm else np.ones(len(scene.edges), bool)
    return Simulation(
        graph=graph,
        names=_names(rng, scene.count),
        series=series,
        matrix=matrix,
        edges=[(int(a), int(b)) for a, b in scene.edges[known]],
        faults=timeline.faults,
        tick_ms=tick_ms,
        decoys=timeline.decoys,
    )


_PARTS = (
    (
        "cart",
        "checkout",
        "payment",
        "catalog",
        "search",
        "user",
        "order",
        "stock",
        "price",
        "mail",
        "review",
        "ad",
    ),
    ("api", "store", "worker", "cache", "proxy", "sync"),
)


def _names(rng: np.random.Generator, count: int) -> tuple[str, ...]:
    """Return distinct service names in random order: a name says nothing about a node's place."""
    pairs = [f"{first}-{second}" for first in _PARTS[0] for second in _PARTS[1]]
    names = pairs + [f"service-{number:04d}" for number in range(max(0, count - len(pairs)))]
    return tuple(str(name) for name in rng.permutation(names)[:count])
