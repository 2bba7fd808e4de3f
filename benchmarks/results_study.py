"""Recordings with faults through the embedded job, judged, and a window for each fault.

A study is one run of `faultline run` with the shipped patterns, rules and model, judged by
faultline/judge.py. Every fault then gets one window: the ticks up to the moment of the job's answer, or for a
fault that was missed up to the tick in which it ends. On these windows every ranker is asked, so all see the
same and are told the time.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from faultline.history import History, histories
from faultline.judge import GRACE_MS, Judgement, Verdict, judge
from faultline.run_folder import RunFolder, Source, open_run
from gnn.baselines import Window
from gnn.cases import recording_matrix
from gnn.cuts import newly_silent, over_threshold
from onnx_models.encoding import encode
from onnx_models.features import WINDOW_TICKS
from onnx_models.snapshot import Snapshot
from records.frames import FrameRow
from records.recordings import Recording, RecordingMeta


@dataclass(frozen=True)
class Place:
    """One fault with its window: what every ranker sees, and the true node's index in the snapshot.

    `raised`: (pattern, node) of the alarms that opened the incident which found it; empty for a missed one.
    `shows`: whether the fault shows at its node or at one that calls it: two ticks in a row over
    plain thresholds, or the node newly silent.
    """

    verdict: Verdict
    snapshot: Snapshot
    window: Window
    truth: int
    raised: tuple[tuple[str, str], ...] = ()
    shows: bool = True

    @property
    def near(self) -> bool:
        """Whether one of these alarms is of the faulty node or of one that calls it, directly or not.

        An incident that opens in a fault's time by chance counts as a find; most of those are elsewhere.
        """
        return not callers(self.snapshot, self.truth).isdisjoint(node for _, node in self.raised)


@dataclass(frozen=True)
class Alarms:
    """False alarms, each published moment counted once, and the published hours without a fault.

    Healthy data that was placed before many incidents is the same data many times.
    """

    distinct: int
    hours: float


@dataclass(frozen=True)
class Study:
    """One run: its judgement, and a place for each fault whose node the graph knows."""

    name: str
    run: RunFolder
    incidents: tuple[History, ...]
    judgement: Judgement
    places: tuple[Place, ...]

    @property
    def false_alarms(self) -> list[History]:
        """The incidents that count for no fault."""
        return [each for each in self.incidents if not self.judgement.incidents[each.incident_id]]

    @property
    def alarms(self) -> Alarms:
        """The false alarms by what was published."""
        metas = {source.graph: source.recording.meta for source in self.run.sources}
        moments = {
            (published(each.opened, metas[each.graph]), each.cause.node if each.cause else "")
            for each in self.false_alarms
        }
        spans = [span for source in self.run.sources for span in published_spans(source.recording.meta)]
        faults = [(each.start, each.end + GRACE_MS) for each in self.run.faults()]
        return Alarms(len(moments), (union(spans) - union(faults)) / 3_600_000)


def published(time: int, meta: RecordingMeta) -> int:
    """The published time of a time in the recording, ms."""
    shift = next((each.shift for each in meta.retimed if each.start <= time <= each.end), 0)
    return time - shift


def published_spans(meta: RecordingMeta) -> list[tuple[int, int]]:
    """The published times (first, last) that a recording holds: the re-timed stretches and the rest."""
    moved = sorted(meta.retimed, key=lambda each: each.start)
    spans = [(each.start - each.shift, each.end - each.shift) for each in moved]
    reached = meta.start
    for each in moved:
        if each.start > reached:
            spans.append((reached, each.start))
        reached = max(reached, each.end)
    return [*spans, (reached, meta.end)] if meta.end > reached else spans


def union(spans: Sequence[tuple[int, int]]) -> int:
    """How long the spans are together, what they share counted once."""
    total, reached = 0, -(2**62)
    for low, high in sorted(spans):
        total += max(0, high - max(low, reached))
        reached = max(reached, high)
    return total


def callers(snapshot: Snapshot, node: int) -> set[str]:
    """The names of the node and of all that call it, directly or not."""
    reached, left = {node}, [node]
    caller, callee = snapshot.edge_index
    while left:
        for each in caller[callee == left.pop()].tolist():
            if each not in reached:
                reached.add(each)
                left.append(each)
    return {snapshot.nodes[each] for each in reached}


def run_study(name: str, recordings: Sequence[Recording], out: Path, reuse: bool = False) -> Study:
    """The recordings through the job; with `reuse` an earlier run of `out` is judged anew instead."""
    if not (reuse and (out / "run.json").is_file()):
        paths = [str(each.path) for each in recordings]
        command = [sys.executable, "-m", "faultline", "run", *paths, "--out", str(out), "--json"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    run = open_run(out)
    incidents = histories(run.events())
    judgement = judge(incidents, run.faults(), run.spans())
    return Study(name, run, tuple(incidents), judgement, tuple(places_of(run, incidents, judgement)))


def places_of(run: RunFolder, incidents: Sequence[History], judgement: Judgement) -> Iterator[Place]:
    """The window of each fault, in order of the recordings: up to the answer of the incident that found it,
    else up to the tick in which the fault ends.
    """
    rows: dict[str, list[FrameRow]] = {}
    for row in run.frames():
        rows.setdefault(row.graph, []).append(row)
    by_id = {each.incident_id: each for each in incidents}
    for source in run.sources:
        verdicts = [each for each in judgement.verdicts if each.fault.graph == source.graph]
        if verdicts and source.graph in rows:
            yield from _places(source, rows[source.graph], by_id, verdicts)


def _places(
    source: Source, rows: Sequence[FrameRow], by_id: dict[str, History], verdicts: Sequence[Verdict]
) -> Iterator[Place]:
    matrix = recording_matrix(source.recording, rows[0].tick_ms)
    times = np.array([row.time for row in rows])
    for verdict in verdicts:
        fault = verdict.fault
        found = by_id.get(verdict.incident_id or "")
        if found is None:
            last = min(int(np.searchsorted(times, fault.end)), len(rows) - 1)
        else:
            told = found.answer_by(fault.end + GRACE_MS).time
            last = max(0, int(np.searchsorted(times, told, "right")) - 1)
        snapshot = encode(rows[max(0, last + 1 - WINDOW_TICKS) : last + 1])
        if fault.node in snapshot.nodes:
            truth = snapshot.nodes.index(fault.node)
            triggers = [] if found is None else found.first.triggers
            raised = tuple((each.pattern, each.node) for each in triggers)
            first, end = np.searchsorted(times, (fault.start + 1, fault.end + 1)).tolist()
            shows = shows_in(rows[first : end + 1], callers(snapshot, truth), fault.node)
            yield Place(verdict, snapshot, matrix.window(snapshot), truth, raised, shows)


def shows_in(rows: Sequence[FrameRow], near: set[str], node: str) -> bool:
    """Whether a signal of one of the nodes `near` is over plain thresholds in two `rows` that follow each
    other, or `node` falls silent in one.
    """
    seen: set[tuple[str, int]] = set()
    for row in rows:
        over = over_threshold(row)
        here = {
            (row.nodes[n], int(s)) for n, s in zip(*np.nonzero(over), strict=True) if row.nodes[n] in near
        }
        at = row.nodes.index(node) if node in row.nodes else -1
        if seen & here or (at >= 0 and newly_silent(row)[at]):
            return True
        seen = here
    return False
