"""Fault kinds: what they are called, which signals show them, and what they do to a node over time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from gnn.simulator.noise import F64, chance, log_uniform
from gnn.simulator.topology import Bools, Topology
from records.signals import Signal


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: node index, kind, ticks [start, end), strength (about 0.25 faint to 8 drastic).

    ``partial``: of one replica only, where the node's replicas are measured apart. A host's index is its
    number after the last node.
    """

    node: int
    kind: str
    start: int
    end: int
    strength: float
    partial: bool = False


@dataclass(slots=True)
class Effects:
    """What faults do, [N,R] each unless said, 0 = nothing; written by the kinds, read by the propagation.

    ``cpu`` utilisation added; ``background`` the same at low priority, which slows nothing; ``memory``,
    ``disk`` relative; ``slow`` own time added, in shares of the usual total time; ``delay`` own time added,
    s; ``network`` time added to all calls of the node, s; ``edge_network`` [E,R]; ``loss`` share of packets
    lost; ``errors``, ``dropped`` (calls not made), ``down`` shares of requests; ``saturation``; ``restarts``;
    ``lost_traffic`` share of requests that never arrive; ``silent`` bool: no telemetry; ``host`` [H,R]
    utilisation added to hosts.
    """

    cpu: F64
    background: F64
    memory: F64
    disk: F64
    slow: F64
    delay: F64
    network: F64
    edge_network: F64
    loss: F64
    errors: F64
    dropped: F64
    down: F64
    saturation: F64
    restarts: F64
    lost_traffic: F64
    silent: Bools
    host: F64

    @classmethod
    def none(cls, nodes: int, edges: int, hosts: int, ticks: int) -> Effects:
        """Return the effects of no fault at all."""
        shapes = {"edge_network": (edges, ticks), "host": (hosts, ticks)}
        values: dict[str, Any] = {
            one.name: np.zeros(shapes.get(one.name, (nodes, ticks)), bool if one.name == "silent" else float)
            for one in fields(cls)
        }
        return cls(**values)


@dataclass(frozen=True, slots=True)
class _Blow:
    """One fault while it is applied: ``shape`` [R] in 0..1 is how much of it is there at each tick."""

    rng: np.random.Generator
    topology: Topology
    node: int
    shape: F64
    strength: float
    effects: Effects = field(repr=False)

    def between(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def power(self, low: float, high: float) -> float:
        return float(log_uniform(self.rng, low, high))


def _cpu_contention(b: _Blow) -> None:
    b.effects.cpu[b.node] += b.shape * b.strength * b.between(0.3, 1.0)
    if chance(b.rng, 0.8):
        b.effects.slow[b.node] += b.shape * b.strength * b.between(0.1, 1.5)


def _cpu_hog(b: _Blow) -> None:
    b.effects.background[b.node] += b.shape * b.strength * b.between(0.3, 1.0)


def _memory_pressure(b: _Blow) -> None:
    b.effects.memory[b.node] += b.shape * b.strength * b.between(0.1, 1.0)
    if chance(b.rng, 0.4):
        b.effects.slow[b.node] += b.shape * b.strength * b.between(0.0, 1.0)


def _memory_leak(b: _Blow) -> None:
    leak = np.cumsum(b.shape) / max(1.0, float(b.shape.sum())) * (b.shape > 0)
    b.effects.memory[b.node] += leak * b.strength * b.between(0.2, 1.2)
    if chance(b.rng, 0.3):
        b.effects.slow[b.node] += leak * b.strength * b.between(0.0, 1.0)
        b.effects.cpu[b.node] += leak * b.strength * 0.2


def _disk_pressure(b: _Blow) -> None:
    b.effects.disk[b.node] += b.shape * b.strength * 2.0
    if chance(b.rng, 0.7):
        b.effects.slow[b.node] += b.shape * b.strength * b.between(0.0, 1.0)


def _slow_code(b: _Blow) -> None:
    b.effects.slow[b.node] += b.shape * b.strength * b.between(0.3, 2.0)
    if chance(b.rng, 0.35):
        b.effects.delay[b.node] += b.shape * b.strength * b.power(0.01, 1.0)


def _network_delay(b: _Blow) -> None:
    added = b.shape * b.strength * b.power(0.005, 0.5)
    edges = np.r_[b.topology.incoming(b.node), b.topology.outgoing(b.node)]
    if edges.size and chance(b.rng, 0.2):
        b.effects.edge_network[b.topology.incoming(b.node)] += added
    else:
        b.effects.network[b.node] += added


def _network_loss(b: _Blow) -> None:
    spread = b.rng.exponential(1.0, b.shape.size)
    b.effects.network[b.node] += b.shape * spread * b.strength * b.power(0.003, 0.1)
    b.effects.errors[b.node] += b.shape * min(0.3, 0.05 * b.strength)
    b.effects.loss[b.node] += b.shape * min(0.6, 0.2 * b.strength)


def _error_burst(b: _Blow) -> None:
    b.effects.errors[b.node] += b.shape * min(0.95, b.power(0.02, 0.7) * max(1.0, b.strength / 2))
    b.effects.dropped[b.node] += b.shape * float(b.rng.choice([0.0, 0.0, 0.5]))


def _early_return(b: _Blow) -> None:
    b.effects.dropped[b.node] += b.shape * b.between(0.3, 1.0)
    b.effects.slow[b.node] -= b.shape * b.between(0.0, 0.6)
    if chance(b.rng, 0.4):
        b.effects.errors[b.node] += b.shape * b.between(0.05, 0.5)


def _outage(b: _Blow) -> None:
    b.effects.down[b.node] += b.shape * b.between(0.5, 1.0)


def _crash(b: _Blow) -> None:
    there = b.shape > 0
    b.effects.down[b.node] = np.maximum(b.effects.down[b.node], there)
    b.effects.silent[b.node] |= there


def _pool_exhaustion(b: _Blow) -> None:
    b.effects.saturation[b.node] += b.shape * b.strength
    b.effects.slow[b.node] += b.shape * b.strength * b.between(0.5, 2.0)


def _restart_loop(b: _Blow) -> None:
    b.effects.restarts[b.node] += b.shape * (b.rng.random(b.shape.size) < 0.6) * 2.0
    b.effects.memory[b.node] -= b.shape * 0.3
    b.effects.slow[b.node] += b.shape * b.strength * b.between(0.0, 1.0)
    b.effects.errors[b.node] += b.shape * b.between(0.0, 0.3)


def _traffic_loss(b: _Blow) -> None:
    b.effects.lost_traffic[b.node] += b.shape * b.between(0.3, 1.0)


def _host_pressure(b: _Blow) -> None:
    """A crowded machine: all that live on it are slowed, each as much as it depends on it."""
    host = b.node - b.topology.count
    b.effects.host[host] += b.shape * b.strength * b.between(0.3, 1.0)
    for node in np.flatnonzero(b.topology.host == host):
        b.effects.slow[node] += b.shape * b.strength * b.between(0.05, 0.8)
        b.effects.cpu[node] += b.shape * b.strength * b.between(0.0, 0.2)


@dataclass(frozen=True, slots=True)
class FaultKind:
    """A kind: how often it is drawn, the signals that show it at its node (likeliest first), and what it
    does."""

    weight: float
    signals: tuple[Signal, ...]
    apply: Callable[[_Blow], None]


KINDS: dict[str, FaultKind] = {
    "cpu_contention": FaultKind(0.15, ("cpu", "latency"), _cpu_contention),
    "cpu_hog": FaultKind(0.07, ("cpu",), _cpu_hog),
    "memory_pressure": FaultKind(0.06, ("memory",), _memory_pressure),
    "memory_leak": FaultKind(0.05, ("memory",), _memory_leak),
    "disk_pressure": FaultKind(0.05, ("disk", "latency"), _disk_pressure),
    "slow_code": FaultKind(0.14, ("latency",), _slow_code),
    "network_delay": FaultKind(0.16, ("latency",), _network_delay),
    "network_loss": FaultKind(0.04, ("network", "errors", "latency"), _network_loss),
    "error_burst": FaultKind(0.09, ("errors", "availability"), _error_burst),
    "early_return": FaultKind(0.05, ("errors", "latency", "traffic"), _early_return),
    "outage": FaultKind(0.05, ("availability", "errors"), _outage),
    "crash": FaultKind(0.05, ("availability",), _crash),
    "pool_exhaustion": FaultKind(0.02, ("saturation", "latency"), _pool_exhaustion),
    "restart_loop": FaultKind(0.02, ("restarts", "errors"), _restart_loop),
    "traffic_loss": FaultKind(0.01, ("traffic",), _traffic_loss),
    "host_pressure": FaultKind(0.0, ("cpu", "saturation"), _host_pressure),
}


def draw_kind(rng: np.random.Generator) -> str:
    """Return a kind by weight."""
    weights = np.array([kind.weight for kind in KINDS.values()])
    return str(rng.choice(list(KINDS), p=weights / weights.sum()))


def draw_shape(rng: np.random.Generator, fault: Fault, ticks: int) -> F64:
    """Return, [ticks], how much of the fault is there: step, ramp or on and off, with a short decay after its
    end."""
    shape = np.zeros(ticks)
    length = fault.end - fault.start
    form = rng.random()
    shape[fault.start : fault.end] = 1.0
    if form < 0.2:
        ramp = np.minimum(1.0, np.arange(1, length + 1) / max(1.0, 0.5 * length))
        shape[fault.start : fault.end] = ramp[: ticks - fault.start]
    elif form < 0.32:
        shape *= rng.random(ticks) < 0.7
        shape[fault.start] = 1.0
    for step in range(int(rng.integers(0, 3))):
        if fault.end + step < ticks:
            shape[fault.end + step] = max(shape[fault.end + step], 0.3 / (1 + step))
    return shape


def apply_faults(rng: np.random.Generator, topology: Topology, faults: list[Fault], ticks: int) -> Effects:
    """Return the summed effects of ``faults`` on a system over ``ticks``."""
    effects = Effects.none(topology.count, len(topology.edges), topology.hosts, ticks)
    for fault in faults:
        shape = draw_shape(rng, fault, ticks)
        if fault.kind == "crash":
            shape = np.zeros(ticks)
            shape[fault.start : fault.end] = 1.0
        blow = _Blow(rng, topology, fault.node, shape, fault.strength, effects)
        KINDS[fault.kind].apply(blow)
    return effects
