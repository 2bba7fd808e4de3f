"""Cases to judge on: fresh simulated systems, and recordings of real ones; snapshots always through the JVM's
frames."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gnn.baselines import F64, Window
from gnn.cuts import alarms_between, shows_at
from gnn.dataset import examples_of
from gnn.evaluate import Case
from gnn.examples import Example
from gnn.matrix import START, FrameMaker, frames_of, jvm_frames
from gnn.simulator.system import Simulation, simulate
from onnx_models.encoding import encode
from onnx_models.features import WINDOW_TICKS
from onnx_models.snapshot import Snapshot
from records.frames import FrameRow, read_frame_file
from records.recordings import Recording
from records.samples import Fault
from records.signals import SIGNALS

_BEFORE = 128
_DURING = 3


def simulated_cases(
    seeds: Iterable[int], episodes: int, cuts: int, make: FrameMaker = jvm_frames
) -> Iterator[Case]:
    """Yield the cases of simulated systems that have any series."""
    systems = [simulate(seed, episodes, f"sim-{seed}") for seed in seeds]
    with tempfile.TemporaryDirectory() as folder:
        for simulation, rows in frames_of([one for one in systems if one.series], Path(folder), make):
            for example in examples_of(simulation, rows, cuts):
                yield Case(example, _simulated_window(simulation, example.snapshot))


def _simulated_window(simulation: Simulation, snapshot: Snapshot) -> Window:
    index = {name: number for number, name in enumerate(snapshot.nodes)}
    node = [index.get(simulation.names[one.node], -1) for one in simulation.series]
    tick = (snapshot.time - START) // simulation.tick_ms - 1
    return window_of(simulation.matrix, tick, np.array(node, np.int64))


def window_of(matrix: F64, tick: int, node: npt.NDArray[np.int64]) -> Window:
    """Return the raw window at a tick: its last ticks, and the ticks from before the model's window."""
    edge = max(1, tick + 1 - WINDOW_TICKS)
    return Window(matrix[max(0, edge - _BEFORE) : edge], matrix[max(0, tick + 1 - _DURING) : tick + 1], node)


def recording_rows(recording: Recording, make: FrameMaker = jvm_frames) -> list[FrameRow]:
    """Return the frame rows of a recording, oldest first."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "frames.bin"
        make([{"recording": str(recording.path.absolute())}], out, recording.meta.interval)
        return list(read_frame_file(out))


def recording_cases(
    recording: Recording, rows: Sequence[FrameRow], delay: int = 1, told: bool = False
) -> Iterator[Case]:
    """Yield one case per labelled fault, ``delay`` ticks after it shows; faults at unknown nodes are left
    out.

    ``told``: cut ``delay`` ticks after the labelled start instead, without alarms. A fault that never shows
    is cut at the middle of its time.
    """
    matrix, names = recording_matrix(recording)
    times = np.array([row.time for row in rows])
    for fault in recording.faults():
        start, end = (int(i) for i in np.searchsorted(times, (fault.start + 1, fault.end + 1)))
        shown = start if told else shows_at(rows, start, min(end, len(rows) - 1))
        last = min((start + end) // 2 if shown is None else shown + delay, len(rows) - 1)
        alarms = () if told or shown is None else alarms_between(rows, shown, last)
        snapshot = encode(rows[max(0, last + 1 - WINDOW_TICKS) : last + 1], alarms)
        if fault.node in snapshot.nodes:
            index = {name: number for number, name in enumerate(snapshot.nodes)}
            node = np.array([index.get(name, -1) for name in names], np.int64)
            tick = (snapshot.time - recording.meta.start) // recording.meta.interval - 1
            yield Case(_example(snapshot, fault), window_of(matrix, int(tick), node))


def _example(snapshot: Snapshot, fault: Fault) -> Example:
    return Example(
        snapshot=snapshot,
        truth=snapshot.nodes.index(fault.node),
        signal=SIGNALS.index(fault.signal) if fault.signal else -1,
        kind=-1,
        path=np.zeros(snapshot.edge_index.shape[1], bool),
        system=0,
        delay=-1,
    )


def recording_matrix(recording: Recording) -> tuple[F64, list[str]]:
    """Return the raw values of a recording by tick, [R,S] (the last value of a tick; counters as they are),
    and nodes.

    Edge series count for their callee.
    """
    meta = recording.meta
    ticks = (meta.end - meta.start) // meta.interval + 1
    columns: dict[object, int] = {}
    names: list[str] = []
    cells: list[tuple[int, int, float]] = []
    for sample in recording.samples():
        column = columns.setdefault(sample.series, len(columns))
        if column == len(names):
            names.append(sample.node)
        cells.append(((sample.time - meta.start) // meta.interval, column, sample.value))
    matrix = np.full((ticks, len(names)), np.nan)
    for tick, column, value in cells:
        matrix[tick, column] = value
    return matrix, names
