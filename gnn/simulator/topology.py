"""Random call graphs: layers of services behind entries, proxies, databases, caches, queues, shared hosts.

Nodes are numbered so that a caller comes before its callees; names are given later, in random order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gnn.simulator.noise import F64, chance, log_uniform

_LEAST_RATE = 1e-6

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Topology:
    """A system at rest. N nodes, E edges, H hosts; rates in 1/s, times in seconds.

    ``edges`` int [E,2] (caller, callee; caller < callee), ``calls`` [E] calls per request of the caller,
    ``delay`` [E] network time, ``layer``/``proxy``/``database``/``parallel``/``host`` [N], ``entry_rate`` [N]
    (0: no users), ``rate`` [N] usual requests, ``own_time`` [N]; ``asynchronous`` [E] the caller does not
    wait (a queue), ``timeout`` [E] after which it gives up (infinity: never), ``cache`` [E] node of the
    cache that spares most calls of this edge (-1: none), ``miss`` [E] share of calls that it does not
    spare.
    """

    edges: Ints
    calls: F64
    delay: F64
    layer: Ints
    proxy: Bools
    database: Bools
    parallel: Bools
    host: Ints
    entry_rate: F64
    rate: F64
    own_time: F64
    asynchronous: Bools
    timeout: F64
    cache: Ints
    miss: F64

    @property
    def count(self) -> int:
        """Number of nodes."""
        return len(self.layer)

    @property
    def hosts(self) -> int:
        """Number of hosts."""
        return int(self.host.max()) + 1

    def outgoing(self, node: int) -> Ints:
        """Edges on which ``node`` is the caller."""
        return np.flatnonzero(self.edges[:, 0] == node)

    def incoming(self, node: int) -> Ints:
        """Edges on which ``node`` is the callee."""
        return np.flatnonzero(self.edges[:, 1] == node)


def random_topology(
    rng: np.random.Generator, nodes: int | None = None, layers: int | None = None
) -> Topology:
    """Return a system of ``nodes`` nodes (drawn between 1 and 80 when None) in ``layers`` layers (2 to 7)."""
    count = nodes or int(np.clip(np.exp(rng.normal(2.75, 0.75)), 1, 80))
    layer = _layers(rng, count, layers)
    edges = _edges(rng, layer)
    has_callee = np.isin(np.arange(count), edges[:, 0])
    has_caller = np.isin(np.arange(count), edges[:, 1])
    out_degree = np.bincount(edges[:, 0], minlength=count)
    proxy = (out_degree == 1) & (rng.random(count) < 0.35)
    calls = _calls(rng, edges, proxy)
    cache, miss = _caches(rng, edges, calls)
    entry_rate = np.where(has_caller, 0.0, _busyness(rng) * np.exp(rng.normal(0, 0.9, count)))
    own_time = log_uniform(rng, 1e-3, 0.3, count)
    own_time[proxy] = log_uniform(rng, 1e-4, 1e-3, int(proxy.sum()))
    return Topology(
        edges=edges,
        calls=calls,
        delay=(delay := log_uniform(rng, 2e-4, 5e-3, len(edges))),
        layer=layer,
        proxy=proxy,
        database=~has_callee & has_caller & (rng.random(count) < 0.4),
        parallel=rng.random(count) < 0.3,
        host=rng.integers(0, max(1, count // 4) + 1, count),
        entry_rate=entry_rate,
        rate=_rates(entry_rate, edges, calls),
        own_time=own_time,
        asynchronous=rng.random(len(edges)) < rng.choice([0.0, 0.15], p=[0.7, 0.3]),
        timeout=_timeouts(rng, edges, own_time, delay),
        cache=cache,
        miss=miss,
    )


def _busyness(rng: np.random.Generator) -> float:
    """Return requests per second of an entry: near half of all systems are busy, a quarter is hardly used."""
    low, high = [(0.7, 3.5), (-1.3, 1.0), (-3.5, -1.0)][int(rng.choice(3, p=[0.45, 0.3, 0.25]))]
    return float(10 ** rng.uniform(low, high))


def _caches(rng: np.random.Generator, edges: Ints, calls: F64) -> tuple[Ints, F64]:
    """Draw callers that ask a cache first: returns ``cache`` and ``miss``; lowers ``calls`` behind a
    cache."""
    cache, miss = np.full(len(edges), -1, np.int64), np.ones(len(edges))
    if chance(rng, 0.6):
        return cache, miss
    for caller in np.unique(edges[:, 0]):
        callees = np.flatnonzero(edges[:, 0] == caller)
        if len(callees) < 2 or not chance(rng, 0.3):
            continue
        spared, asked = rng.choice(callees, 2, replace=False)
        cache[spared], miss[spared] = edges[asked, 1], rng.uniform(0.03, 0.4)
        calls[spared] *= miss[spared]
    return cache, miss


def _timeouts(rng: np.random.Generator, edges: Ints, own_time: F64, delay: F64) -> F64:
    """Return after how long callers give up: some multiple of the usual time, in two of five systems."""
    if not len(edges) or chance(rng, 0.6):
        return np.full(len(edges), np.inf)
    usual = own_time.copy()
    for edge in np.argsort(-edges[:, 0], kind="stable"):
        usual[edges[edge, 0]] += usual[edges[edge, 1]] + delay[edge]
    return np.asarray(usual[edges[:, 1]] * log_uniform(rng, 4.0, 40.0, len(edges)))


def _layers(rng: np.random.Generator, count: int, layers: int | None) -> Ints:
    depth = max(1, min(count, layers or int(rng.integers(2, 8))))
    layer = np.sort(rng.integers(0, depth, count))
    layer[0] = 0
    return np.asarray(layer, np.int64)


def _edges(rng: np.random.Generator, layer: Ints) -> Ints:
    """Each node below the top gets one or more callers, mostly from the layer above; some callers are
    popular."""
    pairs: set[tuple[int, int]] = set()
    several = rng.random(len(layer)) < 0.7
    for node in range(1, len(layer)):
        above = np.flatnonzero(layer < layer[node])
        if not above.size:
            continue
        weight = np.exp(-1.2 * (layer[node] - layer[above] - 1) + rng.normal(0, 1.0, above.size))
        wanted = min(above.size, 1 + (int(rng.poisson(0.7)) if several[node] else 0))
        for caller in rng.choice(above, wanted, replace=False, p=weight / weight.sum()):
            pairs.add((int(caller), node))
    return np.array(sorted(pairs), np.int64).reshape(-1, 2)


def _calls(rng: np.random.Generator, edges: Ints, proxy: Bools) -> F64:
    """Calls per request: lognormal, an eighth of the edges or more rare or very rare, proxies exactly one."""
    calls = np.exp(rng.normal(-0.1, 0.6, len(edges)))
    rare = rng.random(len(edges)) < rng.choice([0.12, 0.3, 0.5], p=[0.6, 0.25, 0.15])
    calls[rare] *= log_uniform(rng, 1e-4, 0.2, int(rare.sum()))
    return np.asarray(np.where(proxy[edges[:, 0]], 1.0, np.minimum(calls, 4.0)))


def _rates(entry_rate: F64, edges: Ints, calls: F64) -> F64:
    """Usual requests per node, callers first (callers have smaller numbers)."""
    rate = entry_rate.copy()
    for edge in np.argsort(edges[:, 0], kind="stable"):
        caller, callee = edges[edge]
        rate[callee] += rate[caller] * calls[edge]
    return np.maximum(rate, _LEAST_RATE)


def observed_edges(rng: np.random.Generator, edges: Ints) -> Bools:
    """Return which edges monitoring knows, bool [E]: usually all, sometimes a tenth is missing, rarely there
    is no graph."""
    if chance(rng, 0.05):
        return np.zeros(len(edges), bool)
    return np.asarray(rng.random(len(edges)) > rng.choice([0.0, 0.0, 0.1]))
