"""What an observer can measure of a system: its nodes, its hosts where these are nodes too, and client-side
names of callees, with the requests that really came."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gnn.simulator.faults import Effects, Fault
from gnn.simulator.noise import F64
from gnn.simulator.propagation import World
from gnn.simulator.style import Style
from gnn.simulator.topology import Ints, Topology

_MOST_REQUESTS = 1e8


@dataclass(frozen=True, slots=True)
class Scene:
    """Nodes in order: N services, H hosts (none unless they are nodes), A alias endpoints (client-side
    names of a callee). V = N + H + A, R ticks.

    ``edges`` [E',2] between them, the topology's E first; ``requests`` [V,R] and ``edge_requests`` [E,R]
    counted in each tick; ``latency``, ``errors`` [V,R]; ``silent`` bool [V,R]; ``host_load`` [H,R];
    ``elsewhere`` [V,R]: 1 in the ticks of a fault that hits one replica only.
    """

    topology: Topology
    world: World
    effects: Effects
    hosts: int
    edges: Ints
    requests: F64
    edge_requests: F64
    latency: F64
    errors: F64
    silent: npt.NDArray[np.bool_]
    host_load: F64
    elsewhere: npt.NDArray[np.bool_]

    @property
    def count(self) -> int:
        """Number of nodes, hosts and endpoints."""
        return len(self.requests)

    def is_host(self, node: int) -> bool:
        """True for the index of a host."""
        return 0 <= node - self.topology.count < self.hosts

    def is_alias(self, node: int) -> bool:
        """True for the index of a client-side endpoint."""
        return node >= self.topology.count + self.hosts


def scene_of(
    rng: np.random.Generator,
    topology: Topology,
    world: World,
    effects: Effects,
    style: Style,
    tick_s: float,
    faults: list[Fault],
) -> Scene:
    """Return the scene, with alias endpoints on a share ``style.alias`` of the edges."""
    alias = np.flatnonzero(rng.random(len(topology.edges)) < style.alias)
    callee = topology.edges[alias, 1]
    hosts = topology.hosts if style.hosts else 0
    requests, edge_requests = _counts(rng, topology, world, tick_s)
    at_endpoints = rng.binomial(edge_requests[alias].astype(np.int64), rng.uniform(0.05, 1, (len(alias), 1)))
    no_host = np.zeros((hosts, requests.shape[1]))
    seen = _as_seen(topology, world) if style.side == "client" else world.latency
    silent = effects.silent
    scene = Scene(
        topology=topology,
        world=world,
        effects=effects,
        hosts=hosts,
        edges=_edges(rng, topology, style, hosts, alias),
        requests=np.concatenate([requests, no_host, at_endpoints]),
        edge_requests=edge_requests,
        latency=np.concatenate([seen, no_host, world.latency[callee] + world.edge_delay[alias]]),
        errors=np.concatenate([world.errors, no_host, world.errors[callee]]),
        silent=np.concatenate([silent, no_host > 0, silent[topology.edges[alias, 0]]]),
        host_load=_host_load(topology, world, effects)[:hosts],
        elsewhere=np.zeros((len(requests) + hosts + len(alias), requests.shape[1]), bool),
    )
    for fault in faults:
        if fault.partial:
            scene.elsewhere[fault.node, fault.start : fault.end] = True
    return scene


def _counts(rng: np.random.Generator, topology: Topology, world: World, tick_s: float) -> tuple[F64, F64]:
    """Requests that come in each tick, Poisson: what a callee counts is what its callers sent."""
    sent = rng.poisson(np.minimum(world.edge_rate * tick_s, _MOST_REQUESTS)).astype(np.float64)
    expected, received = np.zeros_like(world.rate), np.zeros_like(world.rate)
    np.add.at(expected, topology.edges[:, 1], world.edge_rate)
    np.add.at(received, topology.edges[:, 1], sent)
    from_users = np.clip((world.rate - expected) * tick_s, 0.0, _MOST_REQUESTS)
    from_users[topology.entry_rate <= 0] = 0.0
    return received + rng.poisson(from_users), sent


def _edges(rng: np.random.Generator, topology: Topology, style: Style, hosts: int, alias: Ints) -> Ints:
    """Calls, then calls back (cycles), what lives on which host, and who asks each alias endpoint."""
    back = topology.edges[rng.random(len(topology.edges)) < style.cycles][:, ::-1]
    lives = np.zeros((0, 2), np.int64)
    if hosts:
        lives = np.stack([np.arange(topology.count), topology.count + topology.host], 1)
    endpoints = topology.count + hosts + np.arange(len(alias))
    asked = np.stack([topology.edges[alias, 0], endpoints], 1)
    return np.concatenate([topology.edges, back, lives, asked])


def _as_seen(topology: Topology, world: World) -> F64:
    """Latency of nodes as one of their callers measures it: with the network between."""
    seen = world.latency.copy()
    callee, first = np.unique(topology.edges[:, 1], return_index=True)
    seen[callee] += world.edge_delay[first]
    return seen


def _host_load(topology: Topology, world: World, effects: Effects) -> F64:
    """Utilisation of each host [H,R]: what lives on it, and what burdens it from outside."""
    load = np.zeros_like(effects.host)
    np.add.at(load, topology.host, world.utilisation)
    living = np.bincount(topology.host, minlength=topology.hosts)[:, None]
    return np.asarray(np.clip(0.8 * load / np.maximum(living, 1) + 0.02 + effects.host, 0.0, 1.2))
