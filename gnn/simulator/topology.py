"""Random call graphs: layers of services behind entries, proxies, databases, shared hosts.

Nodes are numbered so that a caller comes before its callees; names are given later, in random order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gnn.simulator.noise import F64, chance, log_uniform

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Topology:
    """A system at rest. N nodes, E edges; rates in 1/s, times in seconds.

    ``edges`` int [E,2] (caller, callee; caller < callee), ``calls`` [E] calls per request of the caller,
    ``delay`` [E] network time, ``layer``/``proxy``/``database``/``parallel``/``host`` [N], ``entry_rate`` [N]
    (0: no users), ``rate`` [N] usual requests, ``own_time`` [N].
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

    @property
    def count(self) -> int:
        """Number of nodes."""
        return len(self.layer)

    def outgoing(self, node: int) -> Ints:
        """Edges on which ``node`` is the caller."""
        return np.flatnonzero(self.edges[:, 0] == node)

    def incoming(self, node: int) -> Ints:
        """Edges on which ``node`` is the callee."""
        return np.flatnonzero(self.edges[:, 1] == node)


def random_topology(rng: np.random.Generator, nodes: int | None = None) -> Topology:
    """Return a layered system of ``nodes`` nodes (drawn between 1 and 70 when None)."""
    count = nodes or int(np.clip(np.exp(rng.normal(2.75, 0.75)), 1, 70))
    layer = _layers(rng, count)
    edges = _edges(rng, layer)
    has_callee = np.isin(np.arange(count), edges[:, 0])
    has_caller = np.isin(np.arange(count), edges[:, 1])
    out_degree = np.bincount(edges[:, 0], minlength=count)
    proxy = (out_degree == 1) & (rng.random(count) < 0.35)
    calls = _calls(rng, edges, proxy)
    entry_rate = np.where(has_caller, 0.0, 10 ** rng.uniform(0.7, 3.5) * np.exp(rng.normal(0, 0.7, count)))
    own_time = log_uniform(rng, 1e-3, 0.3, count)
    own_time[proxy] = log_uniform(rng, 1e-4, 1e-3, int(proxy.sum()))
    return Topology(
        edges=edges,
        calls=calls,
        delay=log_uniform(rng, 2e-4, 5e-3, len(edges)),
        layer=layer,
        proxy=proxy,
        database=~has_callee & has_caller & (rng.random(count) < 0.4),
        parallel=rng.random(count) < 0.3,
        host=rng.integers(0, max(1, count // 4) + 1, count),
        entry_rate=entry_rate,
        rate=_rates(entry_rate, edges, calls),
        own_time=own_time,
    )


def _layers(rng: np.random.Generator, count: int) -> Ints:
    depth = max(1, min(count, int(rng.integers(2, 8))))
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
    """Calls per request: lognormal, an eighth of the edges rare, proxies exactly one."""
    calls = np.exp(rng.normal(-0.1, 0.6, len(edges)))
    calls[rng.random(len(edges)) < 0.12] *= 0.05
    return np.asarray(np.where(proxy[edges[:, 0]], 1.0, np.minimum(calls, 4.0)))


def _rates(entry_rate: F64, edges: Ints, calls: F64) -> F64:
    """Usual requests per node, callers first (callers have smaller numbers)."""
    rate = entry_rate.copy()
    for edge in np.argsort(edges[:, 0], kind="stable"):
        caller, callee = edges[edge]
        rate[callee] += rate[caller] * calls[edge]
    return np.maximum(rate, 0.05)


def observed_edges(rng: np.random.Generator, edges: Ints) -> Bools:
    """Return which edges monitoring knows, bool [E]: usually all, sometimes a tenth is missing, rarely there
    is no graph."""
    if chance(rng, 0.05):
        return np.zeros(len(edges), bool)
    return np.asarray(rng.random(len(edges)) > rng.choice([0.0, 0.0, 0.1]))
