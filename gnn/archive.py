"""A job's frames and what people said of its incidents, as labelled snapshots to train on and to judge on.

An archive is a folder with files of frame rows (``*.bin``, as ``faultline run`` writes them), at any depth.
The newest verdict on an incident counts. Windows of a confirmed fault are cut as an evaluation cuts them
(:func:`gnn.evaluation.questions.ask`), healthy ones where an incident had been opened in vain. numpy only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gnn.baselines import Window
from gnn.cuts import alarms_between
from gnn.dataset import path_labels
from gnn.evaluation.questions import Asked, Source, ask
from gnn.examples import Example
from onnx_models.encoding import encode
from onnx_models.features import WINDOW_TICKS
from onnx_models.snapshot import Snapshot
from records.errors import DataError
from records.feedback import Feedback, labels
from records.frames import FrameRow, read_frame_file
from records.samples import Fault

Frames = Mapping[str, Sequence[FrameRow]]


def read_archive(folder: Path) -> dict[str, list[FrameRow]]:
    """Return the frame rows below ``folder`` by graph, oldest first; of a tick told twice the last row
    counts.

    Raises DataError where there is none, FrameError for a file that is cut short or no frame rows.
    """
    files = sorted(folder.rglob("*.bin"))
    found: dict[str, dict[int, FrameRow]] = {}
    for file in files:
        for row in read_frame_file(file):
            found.setdefault(row.graph, {})[row.time] = row
    if not found:
        raise DataError(
            f"{folder}: no frame rows in any *.bin below it",
            "name the folder of a run (it has frames/frames.bin), or one that holds several",
        )
    return {graph: [rows[time] for time in sorted(rows)] for graph, rows in found.items()}


@dataclass(frozen=True, slots=True)
class Labelled:
    """An archive with its verdicts: ``training`` examples (``confirmed`` faults, ``healthy`` of them false
    alarms), the later faults to judge on; ``unseen``: faults that no frame shows."""

    training: tuple[Example, ...]
    held_out: tuple[Asked, ...]
    confirmed: int
    healthy: int
    unseen: int


def labelled(frames: Frames, verdicts: Iterable[Feedback], held_out: float = 0.3) -> Labelled:
    """Return the examples that ``verdicts`` make of ``frames``; the last ``held_out`` of the confirmed
    faults, by time, are kept for judging and never trained on.

    Raises DataError where no confirmed fault is left to train on.
    """
    given = list({one.incident_id: one for one in verdicts}.values())
    asked = [(fault, _asked(frames, fault)) for fault in labels(given)]
    known = [(fault, one) for fault, one in asked if one is not None]
    kept = len(known) - round(len(known) * held_out) if len(known) > 1 else len(known)
    training = [example for _, one in known[:kept] for example in _examples(one)]
    if not training:
        raise DataError(
            f"none of {len(asked)} confirmed faults lies in the time and at a node of the frames",
            "archive the frames of the time the verdicts are about, or confirm more incidents",
        )
    last = max(fault.end for fault, _ in known[:kept])
    healthy = [
        example
        for one in given
        if one.node is None and one.until <= last and (example := _healthy(frames, one)) is not None
    ]
    numbered = [replace(one, system=-1) for one in (*training, *healthy)]
    return Labelled(
        training=tuple(numbered),
        held_out=tuple(one for _, one in known[kept:]),
        confirmed=kept,
        healthy=len(healthy),
        unseen=len(asked) - len(known),
    )


def _asked(frames: Frames, fault: Fault) -> Asked | None:
    """Return the windows about a fault; None where no frame of its graph lies in its time."""
    rows = frames.get(fault.graph, ())
    if not any(fault.start < row.time <= fault.end + row.tick_ms for row in rows):
        return None
    return ask(Source(fault.graph, fault.graph, rows, (fault,), no_series), fault)


def no_series(snapshot: Snapshot) -> Window:
    """Return an empty window: an archive has frames, not the raw series."""
    nothing = np.zeros((1, 0))
    return Window(nothing, nothing, nothing, np.zeros(0, np.int64), np.zeros(0, np.str_))


def _examples(asked: Asked) -> list[Example]:
    """Return the distinct windows about one fault."""
    questions = [asked.main, *asked.ticks.values(), *asked.late.values()]
    examples = {one.snapshot.time: one.case.example for one in questions}.values()
    return [replace(one, path=path_labels(one.snapshot, one.truth)) for one in examples]


def _healthy(frames: Frames, verdict: Feedback) -> Example | None:
    """Return the window at the end of an incident that was none; None where no frame lies in its time."""
    rows = frames.get(verdict.graph, ())
    inside = [i for i, row in enumerate(rows) if verdict.onset <= row.time <= verdict.until + row.tick_ms]
    if not inside:
        return None
    last = inside[-1]
    alarms = alarms_between(rows, inside[0], last)
    snapshot = encode(rows[max(0, last + 1 - WINDOW_TICKS) : last + 1], alarms)
    return Example(snapshot, -1, -1, -1, np.zeros(snapshot.edge_index.shape[1], bool), -1, -1)
