"""What the benchmarks' systems send: graphs of nodes with 30 series each, the same values for the same seed.

A node sends what a service under OpenTelemetry and its container send: gauges, counters and one latency
histogram. From time to time one node of a graph has a fault, so that the job has incidents to find. Values
only; benchmarks/otlp.py, benchmarks/lines.py and benchmarks/feed.py make bytes of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

START_MS: Final = 1_767_225_600_000
BOUNDS: Final = (0.05, 0.1, 0.5, 1.0)
"""Upper bounds (s) of the histogram's buckets; one more bucket has what is above."""

F64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Sent:
    """One series of every node. `level`: the mean of a gauge, the mean rate of a counter per second."""

    name: str
    unit: str
    level: float
    attributes: dict[str, str] = field(default_factory=dict)
    counter: bool = False


GAUGES: Final = (
    Sent("container.cpu.usage", "1", 0.4),
    Sent("container.memory.usage", "By", 4e8),
    Sent("container.memory.working_set", "By", 3e8),
    Sent("jvm.memory.used", "By", 5e7, {"jvm.memory.pool.name": "G1 Eden Space"}),
    Sent("jvm.memory.used", "By", 1e7, {"jvm.memory.pool.name": "G1 Survivor Space"}),
    Sent("jvm.memory.used", "By", 2e8, {"jvm.memory.pool.name": "G1 Old Gen"}),
    Sent("jvm.memory.used", "By", 9e7, {"jvm.memory.pool.name": "Metaspace"}),
    Sent("jvm.thread.count", "{thread}", 60),
    Sent("jvm.cpu.recent_utilization", "1", 0.3),
    Sent("db.client.connection.count", "{connection}", 12, {"db.client.connection.state": "used"}),
    Sent("db.client.connection.count", "{connection}", 20, {"db.client.connection.state": "idle"}),
    Sent("http.server.active_requests", "{request}", 15, {"http.request.method": "GET"}),
    Sent("k8s.pod.filesystem.usage", "By", 6e9),
    Sent("orders.queue.depth", "{order}", 40),
    Sent("cache.entries", "{entry}", 5_000, {"cache.name": "catalogue"}),
    Sent("process.open_file_descriptor.count", "{count}", 200),
)
COUNTERS: Final = (
    Sent("container.cpu.time", "s", 0.4, counter=True),
    Sent("container.network.io", "By", 1e5, {"network.io.direction": "receive"}, counter=True),
    Sent("container.network.io", "By", 2e5, {"network.io.direction": "transmit"}, counter=True),
    Sent("container.disk.io", "By", 3e4, {"disk.io.direction": "read"}, counter=True),
    Sent("container.disk.io", "By", 5e4, {"disk.io.direction": "write"}, counter=True),
    Sent("orders.placed", "{order}", 7, counter=True),
    Sent("cache.hits", "{hit}", 90, {"cache.name": "catalogue"}, counter=True),
)
HISTOGRAM: Final = Sent("http.server.request.duration", "s", 50.0, {"http.route": "/orders"}, counter=True)
PLAIN: Final = (*GAUGES, *COUNTERS)
PARTS: Final = 2 + len(BOUNDS) + 1
"""Series of the histogram: its count, its sum, its buckets."""
SERIES: Final = len(PLAIN) + PARTS

_SHARES: Final = np.array([0.55, 0.3, 0.12, 0.02, 0.01])
"""Of the calls, by bucket."""
_MEAN_S: Final = 0.08


@dataclass(frozen=True)
class Load:
    """`graphs` of `nodes`, scraped every `interval_ms`. `chunk` nodes share a payload.

    `spikes`: share of the gauges' samples that stand out for one scrape. `fault_every`: scrapes from a fault
    of a graph to its next, the first after as many; `fault_for`: scrapes that each lasts, which for the
    library's patterns must be more than three quarters of a minute.
    """

    graphs: int = 5
    nodes: int = 200
    interval_ms: int = 10_000
    chunk: int = 20
    spikes: float = 0.001
    fault_every: int = 90
    fault_for: int = 18
    seed: int = 1

    @property
    def per_scrape(self) -> int:
        """Samples of all graphs at one time."""
        return self.graphs * self.nodes * SERIES

    def names(self, node: int) -> tuple[str, str]:
        """Graph and node of a row of the scrapes."""
        return f"graph-{node // self.nodes}", f"node-{node % self.nodes}"

    def edges(self) -> Iterator[tuple[str, str, str]]:
        """Graph, caller, callee: every node but the first is called by one before it."""
        for graph in range(self.graphs):
            for node in range(1, self.nodes):
                yield f"graph-{graph}", f"node-{(node - 1) // 3}", f"node-{node}"

    def scrapes(self, count: int) -> Iterator[tuple[int, F64]]:
        """(time in ms, values [graphs * nodes, SERIES]); counts of the histogram are whole numbers."""
        rng = np.random.default_rng(self.seed)
        rows = self.graphs * self.nodes
        level = np.array([each.level for each in PLAIN])
        gauges = len(GAUGES)
        total = np.zeros((rows, len(COUNTERS)))
        observed = np.zeros((rows, PARTS))
        seconds = self.interval_ms / 1000
        for scrape in range(count):
            noise = 1 + 0.03 * rng.standard_normal((rows, SERIES))
            noise[:, :gauges] += 0.6 * (rng.random((rows, gauges)) < self.spikes)
            slow = self._faulty(scrape)
            noise[slow, 0] += 1.0
            total += level[gauges:] * seconds * noise[:, gauges : len(PLAIN)]
            observed += _observe(noise[:, len(PLAIN) :], HISTOGRAM.level * seconds, slow)
            yield (
                START_MS + scrape * self.interval_ms,
                np.hstack([level[:gauges] * noise[:, :gauges], total, observed]),
            )

    def _faulty(self, scrape: int) -> npt.NDArray[np.int64]:
        """Rows whose node is slow and busy now: at most one a graph, each graph at times of its own."""
        graphs = np.arange(self.graphs)
        turn, since = np.divmod(scrape + graphs * self.fault_every // self.graphs, self.fault_every)
        rows = graphs * self.nodes + (7 * turn) % self.nodes
        first = scrape >= self.fault_every
        return rows[(since < self.fault_for) & first]


def _observe(noise: F64, calls: float, slow: npt.NDArray[np.int64]) -> F64:
    """Growth [rows, PARTS] of count, sum and buckets (not cumulative) within a scrape."""
    shares = np.tile(_SHARES, (len(noise), 1))
    shares[slow] = _SHARES[::-1]
    buckets = np.round(calls * shares * noise[:, 2:])
    count = buckets.sum(axis=1)
    mean = np.full(len(noise), _MEAN_S)
    mean[slow] *= 10
    return np.column_stack([count, count * mean * noise[:, 1], buckets])
