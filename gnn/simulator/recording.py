"""Simulated systems as native recordings: for the demonstration, for tests of the whole job, and for
backtests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gnn.simulator.faults import KINDS, Fault
from gnn.simulator.style import clean_style
from gnn.simulator.system import Simulation, run
from gnn.simulator.timeline import Timeline
from gnn.simulator.topology import Topology, random_topology
from records.errors import UsageError
from records.recordings import Recording, RecordingMeta, write_recording
from records.samples import Edge, Sample
from records.samples import Fault as FaultRecord

START = 1_767_225_600_000
PLAIN_KINDS = (
    "cpu_contention",
    "slow_code",
    "network_delay",
    "error_burst",
    "pool_exhaustion",
    "memory_pressure",
)
"""Kinds that leave a plain trace and are drawn when none is asked for."""
_EDGE_EVERY, _EDGE_LIVES = 5, 20
_ATTEMPTS = 40
_VISIBLE_Z, _VISIBLE_REL = 15.0, 0.7


def incident_recording(
    out_dir: Path | str,
    seed: int,
    kind: str | None = None,
    nodes: int = 12,
    tick_ms: int = 15_000,
    healthy_ticks: int = 180,
    fault_ticks: int = 15,
    recovery_ticks: int = 30,
    fault: bool = True,
    graph: str = "shop",
    start: int = START,
) -> Recording:
    """Write a recording of one well-monitored system: healthy, then one fault that can be seen, then
    recovery.

    ``kind``: a key of ``faults.KINDS``, drawn from ``PLAIN_KINDS`` when None; ``fault=False`` writes a
    healthy one. The same arguments give the same bytes. Raises UsageError for an unknown kind or impossible
    sizes.
    """
    if kind is not None and kind not in KINDS:
        raise UsageError(f"no fault kind {kind!r}", f"use one of {', '.join(KINDS)}")
    if min(nodes, tick_ms, healthy_ticks, fault_ticks) < 1 or recovery_ticks < 0:
        raise UsageError("nodes, ticks and tick length must be positive", "ask for at least one of each")
    drawn = kind or str(np.random.default_rng(seed).choice(PLAIN_KINDS))
    span = (healthy_ticks, healthy_ticks + fault_ticks, healthy_ticks + fault_ticks + recovery_ticks)
    simulation = _visible(seed, drawn if fault else None, nodes, tick_ms, span, graph)
    return write_simulation(
        out_dir, simulation, start, f"simulated, seed {seed}: {drawn if fault else 'healthy'}"
    )


def _visible(
    seed: int, kind: str | None, nodes: int, tick_ms: int, span: tuple[int, int, int], graph: str
) -> Simulation:
    """Return the first of a few attempts in which the fault shows at its node, or the clearest one."""
    best: tuple[float, Simulation] | None = None
    for attempt in range(_ATTEMPTS):
        rng = np.random.default_rng((seed, attempt))
        topology = random_topology(rng, nodes)
        faults = [_strong_fault(rng, topology, kind, span)] if kind else []
        timeline = Timeline(span[2], faults)
        simulation = run(rng, topology, timeline, clean_style(), graph, tick_ms, calm=True)
        clarity = min(_clarity(simulation, one) for one in faults) if faults else 1.0
        if best is None or clarity > best[0]:
            best = (clarity, simulation)
        if clarity >= 1.0:
            break
    assert best is not None
    return best[1]


def _strong_fault(
    rng: np.random.Generator, topology: Topology, kind: str, span: tuple[int, int, int]
) -> Fault:
    """Return a strong fault at a node that others call often, where there is one."""
    busy = (topology.rate > 5.0) & ~topology.proxy
    called = np.isin(np.arange(topology.count), topology.edges[:, 1])
    for wanted in (busy & called, busy, np.ones(topology.count, bool)):
        if wanted.any():
            return Fault(int(rng.choice(np.flatnonzero(wanted))), kind, span[0], span[1], 5.0)
    raise AssertionError("a topology has at least one node")


def _clarity(simulation: Simulation, fault: Fault) -> float:
    """Return how plainly the fault shows at its node, 1 = plain: the clearest series of the signal that names
    it."""
    if fault.kind in ("crash", "outage", "traffic_loss", "early_return"):
        return 1.0
    signal = simulation.signal_of(fault)
    columns = [i for i, one in enumerate(simulation.series) if (one.node, one.signal) == (fault.node, signal)]
    before = simulation.matrix[: fault.start, columns]
    during = np.nanmedian(simulation.matrix[fault.start : fault.end, columns], 0)
    usual = np.nanmedian(before, 0)
    spread = np.maximum(np.nanpercentile(np.abs(before - usual), 90, 0), 0.02 * np.abs(usual)) + 1e-9
    z = np.abs(during - usual) / spread / _VISIBLE_Z
    rel = np.abs(np.log((np.abs(during) + 1e-9) / (np.abs(usual) + 1e-9))) / _VISIBLE_REL
    return float(np.minimum(z, rel).max(initial=0.0))


def write_simulation(
    out_dir: Path | str, simulation: Simulation, start: int = START, description: str = "simulated"
) -> Recording:
    """Write ``simulation`` as a native recording that begins at ``start`` (ms, cut to a whole tick)."""
    start -= start % simulation.tick_ms
    end = start + len(simulation.matrix) * simulation.tick_ms - 1
    meta = RecordingMeta(
        name=simulation.graph,
        graph=simulation.graph,
        interval=simulation.tick_ms,
        start=start,
        end=end,
        description=description,
        licence="Apache-2.0",
        source="faultline simulator",
    )
    faults = [fault_record(simulation, fault, start) for fault in simulation.faults]
    return write_recording(out_dir, meta, _samples(simulation, start), _edges(simulation, start), faults)


def fault_record(simulation: Simulation, fault: Fault, start: int) -> FaultRecord:
    """Return ``fault`` as a recording that begins at ``start`` (ms) has it."""
    return FaultRecord(
        graph=simulation.graph,
        node=simulation.names[fault.node],
        signal=simulation.signal_of(fault),
        start=start + fault.start * simulation.tick_ms,
        end=start + fault.end * simulation.tick_ms,
        kind=fault.kind,
    )


def _samples(simulation: Simulation, start: int) -> Iterator[Sample]:
    """Samples in time order; every node is scraped at its own moment in the first third of a tick."""
    count = len(simulation.names)
    moment = [(node * simulation.tick_ms) // (3 * count) for node in range(count)]
    order = sorted(range(len(simulation.series)), key=lambda i: (moment[simulation.series[i].node], i))
    for tick, row in enumerate(simulation.matrix):
        for column in order:
            if np.isnan(row[column]):
                continue
            one = simulation.series[column]
            yield Sample.model_construct(
                graph=simulation.graph,
                node=simulation.names[one.node],
                metric=one.metric,
                value=float(f"{row[column]:.6g}"),
                time=start + tick * simulation.tick_ms + moment[one.node],
                signal=one.signal,
                unit=one.unit,
                kind=one.kind,
                peer=None if one.peer is None else simulation.names[one.peer],
                side=one.side,
                labels=one.labels or None,
            )


def _edges(simulation: Simulation, start: int) -> Iterator[Edge]:
    """Edges, seen every few ticks."""
    for tick in range(0, len(simulation.matrix), _EDGE_EVERY):
        for source, target in simulation.edges:
            yield Edge(
                graph=simulation.graph,
                source=simulation.names[source],
                target=simulation.names[target],
                time=start + tick * simulation.tick_ms,
                ttl=_EDGE_LIVES * simulation.tick_ms,
            )
