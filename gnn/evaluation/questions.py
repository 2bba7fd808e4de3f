"""The windows a ranking is asked about: for each fault one tick after it shows, and some time after that.

A fault shows at the first tick with an alarm over plain thresholds, or with a node newly silent, whichever
node that is (:func:`gnn.cuts.shows_at`): mostly the tick in which it begins, of which it has a part only.
What alarms by the end of a window is told to who can use it. A fault that never shows is asked about at the
middle of its time, without alarms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gnn.baselines import Window
from gnn.cases import Case, recording_matrix, recording_rows, simulated_window
from gnn.cuts import alarms_between, shows_at
from gnn.examples import Example
from gnn.matrix import START, FrameMaker, frames_of, jvm_frames
from gnn.simulator.faults import KINDS
from gnn.simulator.recording import fault_record
from gnn.simulator.system import Simulation
from onnx_models.encoding import encode
from onnx_models.features import WINDOW_TICKS
from onnx_models.snapshot import Snapshot
from records.frames import SILENT, FrameRow
from records.recordings import Recording
from records.samples import Fault
from records.signals import SIGNAL_INDEX

TICKS = (0, 1, 2, 3)
DELAYS_S = (0, 30, 60, 120)
_KIND_INDEX = {kind: number for number, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Source:
    """One recorded or simulated system: frames, oldest first, its faults, and the raw window that ends with a
    snapshot's last tick. ``group``: the set it is told with."""

    group: str
    name: str
    rows: Sequence[FrameRow]
    faults: Sequence[Fault]
    window: Callable[[Snapshot], Window]


@dataclass(frozen=True, slots=True)
class Question:
    """One window about one fault. ``shows``: end of the tick at which the fault begins to show, ms; None
    where it never does. ``traced``: by the end of the window the faulty node itself was over a threshold, or
    is silent."""

    group: str
    source: str
    fault: Fault
    shows: int | None
    case: Case
    traced: bool

    @property
    def snapshot(self) -> Snapshot:
        """What the model sees."""
        return self.case.example.snapshot

    @property
    def truth(self) -> int:
        """Index of the faulty node."""
        return self.case.example.truth


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about one fault: the window one tick after it shows, and windows by ticks and by seconds
    after (none where it never shows, none for seconds that are less than a tick)."""

    main: Question
    ticks: Mapping[int, Question]
    late: Mapping[int, Question]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The questions of some sources, and how many of their faults lie at nodes that no frame knows."""

    asked: tuple[Asked, ...]
    unseen: Mapping[str, int]


def gather(sources: Iterable[Source]) -> Gathered:
    """Return all questions of ``sources``."""
    asked: list[Asked] = []
    unseen: dict[str, int] = {}
    for source in sources:
        unseen.setdefault(source.group, 0)
        for fault in source.faults:
            one = ask(source, fault)
            if one is None:
                unseen[source.group] += 1
            else:
                asked.append(one)
    return Gathered(tuple(asked), unseen)


def ask(source: Source, fault: Fault) -> Asked | None:
    """Return the questions about ``fault``; None where its node is in no frame of its time."""
    rows = source.rows
    if not rows:
        return None
    times = np.array([row.time for row in rows])
    start, end = (int(i) for i in np.searchsorted(times, (fault.start + 1, fault.end + 1)))
    start = min(start, len(rows) - 1)
    shown = shows_at(rows, start, min(end, len(rows) - 1))
    if shown is None:
        main = _question(source, fault, None, min((start + end) // 2, len(rows) - 1))
        return None if main is None else Asked(main, {}, {})
    main = _question(source, fault, shown, shown + 1)
    if main is None:
        return None
    tick_s = rows[shown].tick_ms / 1000
    seconds = {s: int(s // tick_s) for s in DELAYS_S if s == 0 or s >= tick_s}
    return Asked(
        main,
        _after(source, fault, shown, {tick: tick for tick in TICKS}),
        _after(source, fault, shown, seconds),
    )


def _after(source: Source, fault: Fault, shown: int, ticks: Mapping[int, int]) -> dict[int, Question]:
    """Return the windows so many ``ticks`` after a fault shows, by their keys."""
    found = {key: _question(source, fault, shown, shown + tick) for key, tick in ticks.items()}
    return {key: one for key, one in found.items() if one is not None}


def _question(source: Source, fault: Fault, shown: int | None, last: int) -> Question | None:
    rows = source.rows
    last = min(last, len(rows) - 1)
    alarms = () if shown is None else alarms_between(rows, shown, last)
    snapshot = encode(rows[max(0, last + 1 - WINDOW_TICKS) : last + 1], alarms)
    if fault.node not in snapshot.nodes:
        return None
    truth = snapshot.nodes.index(fault.node)
    if not snapshot.mask[truth]:
        return None
    example = Example(
        snapshot=snapshot,
        truth=truth,
        signal=SIGNAL_INDEX[fault.signal] if fault.signal else -1,
        kind=_KIND_INDEX.get(fault.kind or "", -1),
        path=np.zeros(snapshot.edge_index.shape[1], bool),
        system=0,
        delay=-1 if shown is None else last - shown,
    )
    shows = None if shown is None else rows[shown].time
    traced = rows[last].presence[rows[last].nodes.index(fault.node)] == SILENT
    traced |= any(alarm.node == fault.node for alarm in alarms)
    return Question(
        source.group, source.name, fault, shows, Case(example, source.window(snapshot)), bool(traced)
    )


def recorded(recordings: Iterable[Recording], make: FrameMaker = jvm_frames) -> Iterator[Source]:
    """Yield the recordings that have faults; a set is a graph's name. Raises JavaError, RecordingError."""
    for recording in recordings:
        faults = recording.faults()
        if not faults:
            continue
        rows = recording_rows(recording, make)
        tick = rows[0].tick_ms if rows else recording.meta.interval
        window = recording_matrix(recording, tick).window
        yield Source(recording.meta.graph, recording.meta.name, rows, faults, window)


def simulated(
    group: str, systems: Iterable[Simulation], folder: Path, make: FrameMaker = jvm_frames
) -> Iterator[Source]:
    """Yield simulated systems that have any series; ``folder`` takes files meanwhile. Raises JavaError."""
    measured = [one for one in systems if one.series]
    if not measured:
        return
    for simulation, rows in frames_of(measured, folder, make):
        start = START - START % simulation.tick_ms
        faults = [fault_record(simulation, one, start) for one in simulation.faults]
        yield Source(group, simulation.graph, rows, faults, _window_of(simulation))


def _window_of(simulation: Simulation) -> Callable[[Snapshot], Window]:
    return lambda snapshot: simulated_window(simulation, snapshot)
