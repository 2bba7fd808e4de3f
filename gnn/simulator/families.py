"""Families of simulated systems for judging. Seeds lie far from those of any training; but for the first
and those of one fault, the systems also differ in kind from those that training draws (1 to 80 nodes in 2 to
7 layers)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from gnn.simulator.pollution import polluted
from gnn.simulator.shifted import shifted
from gnn.simulator.style import Style, random_style
from gnn.simulator.system import TICKS_MS, Simulation, run, simulate
from gnn.simulator.timeline import random_timeline
from gnn.simulator.topology import random_topology
from gnn.simulator.watched import watched
from records.errors import UsageError

FIRST_SEED = 900_000_000
_APART = 1_000_000
_NETWORK_NODES = 50


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of simulated systems: ``about`` in words, ``share`` of the systems asked for, ``make`` from
    seed, number of episodes and graph name; ``twin``: the family whose systems they are, with something
    changed."""

    about: str
    share: float
    make: Callable[[int, int, str], Simulation]
    twin: str | None = None


def _large(seed: int, episodes: int, graph: str) -> Simulation:
    rng = np.random.default_rng(seed)
    return _drawn(rng, episodes, graph, int(rng.integers(120, 301)), None)


def _deep(seed: int, episodes: int, graph: str) -> Simulation:
    rng = np.random.default_rng(seed)
    return _drawn(rng, episodes, graph, int(rng.integers(24, 61)), int(rng.integers(9, 15)))


def _one_fault(seed: int, episodes: int, graph: str) -> Simulation:
    return simulate(seed, min(episodes, 1), graph)


def _polluted(seed: int, episodes: int, graph: str) -> Simulation:
    return polluted(np.random.default_rng((seed, 1)), _one_fault(seed, episodes, graph))


def _shifted(seed: int, episodes: int, graph: str) -> Simulation:
    return shifted(np.random.default_rng((seed, 2)), _one_fault(seed, episodes, graph))


def _network(known: bool, calls: tuple[str, ...] = ()) -> Callable[[int, int, str], Simulation]:
    def make(seed: int, episodes: int, graph: str) -> Simulation:
        rng = np.random.default_rng(seed)
        side = ("client", "server")[int(rng.integers(0, 2))] if known else None

        def restyled(style: Style) -> Style:
            return replace(style, edge_kinds=calls, side=side, latency_nodes=1.0)  # type: ignore[arg-type]

        return _drawn(rng, episodes, graph, _NETWORK_NODES, None, "network_delay", restyled)

    return make


def _drawn(
    rng: np.random.Generator,
    episodes: int,
    graph: str,
    nodes: int,
    layers: int | None,
    kind: str | None = None,
    restyled: Callable[[Style], Style] = lambda style: style,
) -> Simulation:
    """Return a system as training draws it, but for its size, depth, kind of faults and monitoring."""
    topology, style = random_topology(rng, nodes, layers), restyled(random_style(rng))
    tick_ms = int(rng.choice(TICKS_MS))
    timeline = random_timeline(rng, topology, episodes, tick_ms / 1000, style.hosts and kind is None)
    if kind is not None:
        faults = [replace(fault, kind=kind) for fault in timeline.faults]
        timeline = replace(timeline, faults=faults)
    return run(rng, topology, timeline, style, graph, tick_ms)


FAMILIES: dict[str, Family] = {
    "fresh": Family("drawn as in training, other seeds", 1.0, simulate),
    "large": Family("120 to 300 nodes; training ends at 80", 0.15, _large),
    "deep": Family("24 to 60 nodes in 9 to 14 layers; training has at most 7", 0.3, _deep),
    "network-side-known": Family(
        "50 nodes, network delays only, no series on calls; who measured a latency is said",
        0.3,
        _network(True),
    ),
    "network-side-unknown": Family("the same, and it is not said", 0.3, _network(False)),
    "network-on-calls": Family(
        "the same, with the latency of calls at both ends", 0.3, _network(False, ("client", "server"))
    ),
    "one-fault": Family("drawn as in training, one fault each", 2.0, _one_fault),
    "polluted": Family(
        "the same, a fifth of the ticks before the fault show what it shows", 2.0, _polluted, "one-fault"
    ),
    "shifted": Family(
        "the same, a level of another node shifts for good up to 8 ticks before the fault",
        2.0,
        _shifted,
        "one-fault",
    ),
}
WATCHED = Family("as somebody watches them for hours: healthy for long, few faults, none faint", 0.0, watched)
"""For judging the whole job; not among those on which rankings alone are judged."""


def family_named(name: str) -> Family:
    """Return a family. Raises UsageError for an unknown name."""
    known = {**FAMILIES, "watched": WATCHED}
    if name not in known:
        raise UsageError(f"no family {name!r} of simulated systems", f"use one of {', '.join(known)}")
    return known[name]


def systems_of(name: str, systems: int, episodes: int) -> Iterator[Simulation]:
    """Yield the systems of a family, where ``systems`` are asked for of the first; the same every time."""
    family = family_named(name)
    first = FIRST_SEED + list(FAMILIES).index(family.twin or name) * _APART
    for number in range(round(systems * family.share)):
        yield family.make(first + number, episodes, f"{name}-{first + number}")
