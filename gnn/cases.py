"""Cases to judge on: fresh simulated systems, and recordings of real ones; snapshots always through the JVM's
frames."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gnn.baselines import F64, Window
from gnn.cuts import alarms_between, shows_at
from gnn.dataset import examples_of
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


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled snapshot with the raw window it came from."""

    example: Example
    window: Window

    @property
    def snapshot(self) -> Snapshot:
        """What the model sees."""
        return self.example.snapshot

    @property
    def nodes(self) -> int:
        """How many can be ranked."""
        return len(self.example.snapshot.nodes)


def simulated_cases(
    seeds: Iterable[int], episodes: int, cuts: int, make: FrameMaker = jvm_frames
) -> Iterator[Case]:
    """Yield the cases of simulated systems that have any series."""
    systems = [simulate(seed, episodes, f"sim-{seed}") for seed in seeds]
    with tempfile.TemporaryDirectory() as folder:
        for simulation, rows in frames_of([one for one in systems if one.series], Path(folder), make):
            for example in examples_of(simulation, rows, cuts):
                yield Case(example, simulated_window(simulation, example.snapshot))


def simulated_window(simulation: Simulation, snapshot: Snapshot) -> Window:
    """Return the raw window of a simulation that ends with the snapshot's last tick."""
    tick = (snapshot.time - START) // simulation.tick_ms - 1
    names = [simulation.names[one.node] for one in simulation.series]
    return window_of(simulation.matrix, tick, snapshot, names, [one.signal for one in simulation.series])


def window_of(
    matrix: F64, tick: int, snapshot: Snapshot, names: Sequence[str], signals: Sequence[str]
) -> Window:
    """Return the raw window at a tick: its last ticks, and the ticks from before the model's window.

    ``names``, ``signals``: of each series (column).
    """
    index = {name: number for number, name in enumerate(snapshot.nodes)}
    edge = max(1, tick + 1 - WINDOW_TICKS)
    now = matrix[: tick + 1]
    return Window(
        before=matrix[max(0, edge - _BEFORE) : edge],
        during=now[-_DURING:],
        recent=now[-WINDOW_TICKS:],
        node=np.array([index.get(name, -1) for name in names], np.int64),
        signal=np.array(signals, np.str_),
    )


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
    matrix = recording_matrix(recording, rows[0].tick_ms if rows else recording.meta.interval)
    times = np.array([row.time for row in rows])
    for fault in recording.faults():
        start, end = (int(i) for i in np.searchsorted(times, (fault.start + 1, fault.end + 1)))
        shown = start if told else shows_at(rows, start, min(end, len(rows) - 1))
        last = min((start + end) // 2 if shown is None else shown + delay, len(rows) - 1)
        alarms = () if told or shown is None else alarms_between(rows, shown, last)
        snapshot = encode(rows[max(0, last + 1 - WINDOW_TICKS) : last + 1], alarms)
        if fault.node in snapshot.nodes:
            yield Case(_example(snapshot, fault), matrix.window(snapshot))


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


@dataclass(frozen=True, slots=True)
class RawMatrix:
    """Raw values of a recording, ``values`` [R,S], a row per tick of the job: row 0 is tick number ``first``
    (time // ``tick_ms``). ``names``, ``signals`` [S]: node and declared signal of each series; edge series
    count for their callee.
    """

    values: F64
    names: tuple[str, ...]
    signals: tuple[str, ...]
    first: int
    tick_ms: int

    def window(self, snapshot: Snapshot) -> Window:
        """Return the raw window that ends with the snapshot's last tick."""
        tick = snapshot.time // self.tick_ms - 1 - self.first
        return window_of(self.values, tick, snapshot, self.names, self.signals)


def recording_matrix(recording: Recording, tick_ms: int) -> RawMatrix:
    """Return the raw values of a recording by tick (the last value of a tick; counters as they are)."""
    first = recording.meta.start // tick_ms
    columns: dict[object, int] = {}
    names: list[str] = []
    signals: list[str] = []
    cells: list[tuple[int, int, float]] = []
    for sample in recording.samples():
        column = columns.setdefault((*sample.series, sample.side), len(columns))
        if column == len(names):
            names.append(sample.node)
            signals.append(sample.signal or "")
        cells.append((sample.time // tick_ms - first, column, sample.value))
    values = np.full((recording.meta.end // tick_ms - first + 1, len(names)), np.nan)
    for tick, column, value in cells:
        values[tick, column] = value
    return RawMatrix(values, tuple(names), tuple(signals), first, tick_ms)
