"""Builds the training set: simulate, normalise in the JVM, cut snapshots, write shards.

A shard is an npz file of :func:`gnn.examples.pack`; a system's snapshots lie in one shard, so that splits are
by system. numpy and ``records`` only; torch comes with training.
"""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gnn.config import DataConfig
from gnn.cuts import Cut, fault_cuts, healthy_cuts
from gnn.examples import Example, pack
from gnn.matrix import START, FrameMaker, frames_of, jvm_frames
from gnn.simulator.faults import KINDS, Fault
from gnn.simulator.system import Simulation, simulate
from onnx_models.encoding import encode
from onnx_models.features import WINDOW_TICKS
from onnx_models.reach import hops
from onnx_models.snapshot import Snapshot
from records.frames import FrameRow
from records.signals import SIGNALS

DEVIATES = 0.6
"""z' of about 5: from there on a node counts as a symptom in the labels of edges."""
_FALSE_ALARMS, _QUIET = 5, 3
_KIND_INDEX = {kind: number for number, kind in enumerate(KINDS)}

log = logging.getLogger(__name__)


def build(config: DataConfig, folder: Path, make: FrameMaker = jvm_frames) -> list[Path]:
    """Write the shards of ``config`` into ``folder`` and return their paths; shards that exist are kept.

    Raises JavaError when the normaliser cannot run.
    """
    folder.mkdir(parents=True, exist_ok=True)
    first = config.seed * 1_000_000
    jobs = [
        (
            folder / f"shard-{start:08d}.npz",
            range(start, min(start + config.shard_systems, first + config.systems)),
        )
        for start in range(first, first + config.systems, config.shard_systems)
    ]
    todo = [(path, seeds, config, make) for path, seeds in jobs if not path.exists()]
    begun = time.monotonic()
    for done, count in enumerate(_run(todo, config.workers), start=1):
        log.info(
            "event=shard done=%d of=%d snapshots=%d seconds=%.0f",
            done,
            len(todo),
            count,
            time.monotonic() - begun,
        )
    return [path for path, _ in jobs if path.exists()]


_Job = tuple[Path, range, DataConfig, FrameMaker]


def _run(jobs: Sequence[_Job], workers: int) -> Iterator[int]:
    if workers <= 1:
        yield from map(_shard, jobs)
        return
    with get_context("spawn").Pool(workers) as pool:
        yield from pool.imap_unordered(_shard, jobs)


def _shard(job: _Job) -> int:
    """Write one shard; return the number of its snapshots."""
    path, seeds, config, make = job
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        simulations = [simulate(seed, config.episodes, f"sim-{seed}") for seed in seeds]
        measured = [one for one in simulations if one.series]
        examples = [
            example
            for simulation, rows in frames_of(measured, Path(scratch), make)
            for example in examples_of(simulation, rows, config.cuts)
        ]
    if examples:
        partial = path.with_suffix(".part")
        with partial.open("wb") as file:
            np.savez(file, **pack(examples))
        partial.rename(path)
    return len(examples)


def examples_of(simulation: Simulation, rows: Sequence[FrameRow], cuts: int) -> Iterator[Example]:
    """Yield the labelled snapshots of one system; the graph's name ends in its seed."""
    if not rows:
        return
    system = int(simulation.graph.rsplit("-", 1)[1])
    rng = np.random.default_rng((system, 1))
    tick_of = np.array([(row.time - START) // row.tick_ms - 1 for row in rows])
    for fault in simulation.faults:
        start, end = np.searchsorted(tick_of, (fault.start, fault.end))
        for cut in fault_cuts(rng, rows, int(start), int(end), cuts):
            example = _faulty(simulation, rows, cut, fault, system)
            if example:
                yield example
    for cut in healthy_cuts(rng, rows, _healthy_spans(simulation, tick_of), _FALSE_ALARMS, _QUIET):
        snapshot = _snapshot(rows, cut)
        nothing = np.zeros(snapshot.edge_index.shape[1], bool)
        yield Example(snapshot, -1, -1, -1, nothing, system, -1)


def _healthy_spans(simulation: Simulation, tick_of: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return spans [first, last] of rows long after one fault and before the next."""
    wrong = sorted((one.start, one.end) for one in simulation.faults + simulation.decoys)
    ends = [0, *np.maximum.accumulate([end + WINDOW_TICKS for _, end in wrong]).astype(int).tolist()]
    starts = [*(start for start, _ in wrong), len(simulation.matrix)]
    spans = [
        (max(int(np.searchsorted(tick_of, end)), WINDOW_TICKS), int(np.searchsorted(tick_of, start)) - 1)
        for end, start in zip(ends, starts, strict=True)
    ]
    return [(first, last) for first, last in spans if first <= last]


def _snapshot(rows: Sequence[FrameRow], cut: Cut) -> Snapshot:
    return encode(rows[max(0, cut.row + 1 - WINDOW_TICKS) : cut.row + 1], cut.alarms)


def _faulty(
    simulation: Simulation, rows: Sequence[FrameRow], cut: Cut, fault: Fault, system: int
) -> Example | None:
    """Return the labelled snapshot, or None where monitoring has nothing of the node at fault."""
    snapshot = _snapshot(rows, cut)
    name = simulation.names[fault.node]
    if name not in snapshot.nodes or not snapshot.mask[snapshot.nodes.index(name)]:
        return None
    truth = snapshot.nodes.index(name)
    return Example(
        snapshot=snapshot,
        truth=truth,
        signal=SIGNALS.index(simulation.signal_of(fault)),
        kind=_KIND_INDEX[fault.kind],
        path=path_labels(snapshot, truth),
        system=system,
        delay=cut.delay,
    )


def path_labels(snapshot: Snapshot, truth: int) -> npt.NDArray[np.bool_]:
    """Return bool [E]: edges that lead from a deviating caller towards the cause."""
    source, target = snapshot.edge_index
    leads = hops(len(snapshot.nodes), target, source, np.array([truth])) >= 0
    deviates = np.abs(snapshot.x[:, :, -3:, 0]).max((1, 2)) > DEVIATES
    return np.asarray(leads[target] & deviates[source])
