"""How load and faults spread: requests from callers to callees, time and errors back from callees to callers.

Utilisation raises a node's own time as in a queue, 1 / (1 - rho). Slow answers lower demand in systems with a
closed loop; errors are retried; a caller's time is the sum (or, in parallel, the maximum) of its callees'
times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gnn.simulator.faults import Effects
from gnn.simulator.noise import F64, chance, factor
from gnn.simulator.topology import Topology

_FULL = 0.95
_REQUESTS_MEANT = 5.0
"""A mean latency is over so many seconds of requests at least."""


@dataclass(frozen=True, slots=True)
class World:
    """What really happens, before anyone measures it. [N,R] or [E,R]; rates in 1/s, times in s, errors as
    shares.

    ``rate``, ``edge_rate`` requests; ``utilisation``; ``latency`` total time at the callee; ``waiting`` the
    part spent in callees; ``errors``; ``edge_delay`` network time; ``jitter`` [N] how unsteady a node is;
    ``backlog`` what waits in front of nodes that are fed by queues.
    """

    rate: F64
    edge_rate: F64
    utilisation: F64
    latency: F64
    waiting: F64
    errors: F64
    edge_delay: F64
    jitter: F64
    backlog: F64


def propagate(
    rng: np.random.Generator, topology: Topology, demand: F64, effects: Effects, heavy: bool, calm: bool
) -> World:
    """Return what happens in ``topology`` under ``demand`` [R] and ``effects``. ``calm``: steady nodes, no
    retries."""
    _crowd_out(rng, topology, effects, calm)
    rate, edge_rate = _requests(
        rng, topology, demand, effects, 0.0 if calm else float(rng.choice([0, 0.5, 1.5]))
    )
    jitter = np.full(topology.count, 0.03) if calm else np.exp(rng.normal(np.log(0.05), 0.9, topology.count))
    utilisation, busy = _utilisation(rng, topology, rate, effects, jitter, heavy)
    own = _own_time(rng, topology, busy, jitter, heavy)
    latency, waiting, errors, edge_delay = _answers(rng, topology, own, effects, heavy, calm)
    if chance(rng, 0.65):
        slowed = _closed_loop(rng, topology, latency, edge_rate)
        rate, edge_rate = rate * slowed, edge_rate * slowed[topology.edges[:, 0]]
        utilisation = np.clip(utilisation * (0.2 + 0.8 * slowed), 0.001, 1.2)
    backlog = _backlog(topology, latency, effects)
    return World(rate, edge_rate, utilisation, latency, waiting, errors, edge_delay, jitter, backlog)


def _backlog(topology: Topology, latency: F64, effects: Effects) -> F64:
    """What piles up in front of a slow or dead consumer and drains afterwards, in usual ticks of work."""
    backlog = np.zeros_like(latency)
    for node in np.unique(topology.edges[topology.asynchronous, 1]):
        usual = float(np.median(latency[node]))
        over = np.minimum(latency[node] / max(usual, 1e-9), 20.0) - 1.3 + 3.0 * effects.down[node]
        level = 0.0
        for tick, more in enumerate(over):
            level = max(0.0, 0.95 * level + more)
            backlog[node, tick] = level
    return backlog


def _crowd_out(rng: np.random.Generator, topology: Topology, effects: Effects, calm: bool) -> None:
    """Slow the neighbours on the host of a node whose cpu is hogged, in some systems."""
    leak = 0.0 if calm else float(rng.choice([0.0, 0.05, 0.15]))
    if not leak or not effects.cpu.any():
        return
    positive = np.maximum(effects.cpu, 0.0)
    for host in np.unique(topology.host):
        there = np.flatnonzero(topology.host == host)
        effects.slow[there] += leak * (positive[there].sum(0) - positive[there])


def _requests(
    rng: np.random.Generator, topology: Topology, demand: F64, effects: Effects, retry: float
) -> tuple[F64, F64]:
    """Requests per node and edge, callers before callees."""
    ticks = len(demand)
    rate = topology.entry_rate[:, None] * demand * factor(rng, (topology.count, ticks), 0.03, False)
    edge_rate = np.zeros((len(topology.edges), ticks))
    passed = np.clip(1 - effects.dropped, 0, 1) * np.clip(1 - effects.down - 0.5 * effects.errors, 0, 1)
    again = 1 + retry * np.clip(effects.errors + effects.down, 0, 1)
    arrives = np.clip(1 - effects.lost_traffic, 0, 1)
    for node in range(topology.count):
        for edge in topology.incoming(node):
            caller = topology.edges[edge, 0]
            edge_rate[edge] = (
                rate[caller] * topology.calls[edge] * passed[caller] * again[node] * arrives[node]
            )
            edge_rate[edge] *= _uncached(topology, edge, effects)
            rate[node] += edge_rate[edge]
        if topology.entry_rate[node]:
            rate[node] *= arrives[node]
        rate[node] = np.maximum(rate[node], 1e-6)
    return rate, edge_rate


def _uncached(topology: Topology, edge: int, effects: Effects) -> F64:
    """Factor on the calls of an edge whose cache fails: what it spared now arrives."""
    cache = topology.cache[edge]
    if cache < 0:
        return np.ones(effects.down.shape[1])
    broken = np.clip(effects.down[cache] + effects.errors[cache] + effects.dropped[cache], 0, 1)
    return np.asarray(1 + broken * (1 / topology.miss[edge] - 1))


def _utilisation(
    rng: np.random.Generator, topology: Topology, rate: F64, effects: Effects, jitter: F64, heavy: bool
) -> tuple[F64, F64]:
    """Utilisation [N,R], and the factor on own time that comes from it for nodes that feel their cpu."""
    usual = rng.beta(1.3, 3.0, topology.count)[:, None] * 0.8 + 0.01
    follows = float(rng.choice([0.5, 1.0]))
    ratio = rate / topology.rate[:, None]
    noise = factor(rng, rate.shape, 0.5 * jitter[:, None] + 0.01, heavy)
    alive = np.clip(1 - effects.down, 0, 1)
    busy = np.clip(usual * alive * (0.2 + 0.8 * ratio**follows) * noise + effects.cpu, 0.001, 1.2)
    feels = np.where(rng.random(topology.count) < 0.6, rng.uniform(0.3, 2.0, topology.count), 0.0)[:, None]
    queue = 1 / (1 - np.minimum(busy, _FULL)) - 1 / (1 - np.minimum(usual, _FULL))
    return np.minimum(busy + effects.background, 1.2), np.maximum(1 + 0.5 * feels * queue, 0.3)


def _own_time(rng: np.random.Generator, topology: Topology, busy: F64, jitter: F64, heavy: bool) -> F64:
    """Own time per node; few requests make its mean unsteady."""
    sigma = np.minimum(jitter + 0.6 / np.sqrt(_REQUESTS_MEANT * topology.rate), 0.8)[:, None]
    return topology.own_time[:, None] * busy * factor(rng, busy.shape, sigma, heavy)


def _answers(
    rng: np.random.Generator, topology: Topology, own: F64, effects: Effects, heavy: bool, calm: bool
) -> tuple[F64, F64, F64, F64]:
    """Latency, waiting, errors [N,R] and network delay [E,R], callees before callers."""
    count, ticks = own.shape
    caller, callee = topology.edges.T
    delay = topology.delay[:, None] * factor(rng, (len(topology.edges), ticks), 0.15, heavy)
    delay += effects.network[caller] + effects.network[callee] + effects.edge_network
    own_errors = _own_errors(rng, effects, (count, ticks), calm)
    spread = np.where(rng.random(len(topology.edges)) < 0.7, rng.uniform(0.5, 1, len(topology.edges)), 0.05)
    dead_time = 3.0 if chance(rng, 0.5) else 0.3
    fast_failure = rng.random(count) < 0.5
    latency, waiting, usual = np.zeros((count, ticks)), np.zeros((count, ticks)), np.zeros(count)
    ok = np.asarray(1 - own_errors, np.float64)
    for node in range(count - 1, -1, -1):
        made = np.clip(1 - effects.dropped[node], 0, 1)
        for edge in topology.outgoing(node):
            other = callee[edge]
            if topology.asynchronous[edge]:
                continue
            answer = latency[other] * np.where(effects.down[other] > 0, dead_time, 1.0) + delay[edge]
            late = np.clip(answer / topology.timeout[edge] - 0.7, 0.0, 0.9)
            answer = np.minimum(answer, topology.timeout[edge])
            calls = min(topology.calls[edge], 2.0)
            if topology.parallel[node]:
                waiting[node] = np.maximum(waiting[node], min(1.0, calls) * answer * made)
                usual[node] = max(usual[node], usual[other])
            else:
                waiting[node] += calls * answer * made
                usual[node] += calls * usual[other]
            failed = 1 - ok[other] * (1 - late)
            ok[node] *= 1 - spread[edge] * min(1.0, topology.calls[edge]) * made * failed
        usual[node] += topology.own_time[node]
        extra = np.maximum(effects.slow[node], -0.7) * usual[node] + effects.delay[node]
        latency[node] = np.maximum(own[node] + waiting[node] + extra, 0.1 * topology.own_time[node])
        if fast_failure[node]:
            latency[node] *= 1 - 0.5 * np.clip(effects.errors[node], 0, 1)
    return latency, waiting, np.asarray(1 - ok), np.asarray(delay)


def _own_errors(rng: np.random.Generator, effects: Effects, shape: tuple[int, int], calm: bool) -> F64:
    """Share [N,R] of the requests that fail at the node itself."""
    count = shape[0]
    base = np.where(rng.random(count) < (0.1 if calm else 0.3), 10 ** rng.uniform(-4, -1.7, count), 0.0)
    failing = base[:, None] * factor(rng, shape, 0.5, False) + effects.errors + effects.down
    return np.asarray(np.clip(failing, 0, 1), np.float64)


def _closed_loop(rng: np.random.Generator, topology: Topology, latency: F64, edge_rate: F64) -> F64:
    """Factor on each node's requests: those who wait longer ask less often, at the users and, often, at every
    caller."""
    strength = rng.uniform(0.2, 1.0)
    everywhere = chance(rng, 0.6)
    usual = np.median(latency, axis=1, keepdims=True)
    patience = np.clip((usual / np.maximum(latency, 1e-6)) ** strength, 0.02, 1.5)
    slowed = np.ones_like(latency)
    for node in range(topology.count):
        incoming = topology.incoming(node)
        if not incoming.size:
            slowed[node] = patience[node] if everywhere or node == 0 else 1.0
            continue
        caller = topology.edges[incoming, 0]
        limit = np.minimum(patience[caller], 1.0) if everywhere else 1.0
        weight = edge_rate[incoming] + 1e-9
        slowed[node] = (weight * slowed[caller] * limit).sum(0) / weight.sum(0)
    return slowed
