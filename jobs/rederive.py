"""An incident event derived anew from archived frame rows: the same input by its hash, then the same answer.

Pure but for the scores that are handed in. Imports records, onnx_models (no runtime) and this package.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jobs.alerts import Alert
from jobs.assess import Case, answered, fallen_back
from jobs.grouping import Incident
from jobs.incident import WAIT_TICKS
from jobs.wire import Request
from onnx_models.encoding import encode
from onnx_models.scores import Scores
from onnx_models.snapshot import Alarm
from records.frames import FrameRow
from records.incidents import IncidentEvent, Trigger

TOLERANCE: Final = 2e-3
"""How far a score may be from the one that was told: other CPUs and providers round differently."""


@dataclass(frozen=True)
class Difference:
    """A field of the event that came out differently."""

    field: str
    told: Any
    now: Any


def find_case(event: IncidentEvent, rows: Sequence[FrameRow], window_ticks: int) -> Case | None:
    """What the event's answer was derived from: the window of `rows` (of its graph, in order of time) whose
    hash it names; None where no window has it.

    An answer may stand for longer than its snapshot, so windows are tried from the event's time backwards.
    """
    for last in range(len(rows) - 1, -1, -1):
        row = rows[last]
        if row.time > event.time:
            continue
        if row.time < event.detected_at - (WAIT_TICKS + 1) * row.tick_ms:
            return None
        oldest = row.time - (window_ticks - 1) * row.tick_ms
        window = [each for each in rows[: last + 1] if each.time >= oldest and each.tick_ms == row.tick_ms]
        for triggers in _alarmed(event, row.time):
            case = _case(event, tuple(window), triggers)
            if case.snapshot is not None and f"sha256:{case.snapshot.input_hash()}" == event.input_hash:
                return case
    return None


def derive(event: IncidentEvent, case: Case, scores: Scores | None) -> IncidentEvent:
    """The answer for the case: of the model's `scores`, or of the fallback, as the event was told."""
    if scores is None or event.model is None:
        return fallen_back(case, event.reason or "")
    return answered(case, scores, event.model)


def differences(told: IncidentEvent, now: IncidentEvent) -> list[Difference]:
    """Where the two answers differ: ranking, signals, scores, confidence, path, hash of the input."""
    pairs: list[tuple[str, Any, Any]] = [
        ("input_hash", told.input_hash, now.input_hash),
        ("ranking", _ranking(told), _ranking(now)),
        ("path", _path(told), _path(now)),
        ("confidence_score", told.confidence_score, now.confidence_score),
    ]
    found = [Difference(name, a, b) for name, a, b in pairs if not _same(a, b)]
    if _ranking(told) == _ranking(now):
        for a, b in zip(told.root_causes, now.root_causes, strict=True):
            if not _same(a.score, b.score):
                found.append(Difference(f"score of {a.node}", a.score, b.score))
    return found


def _same(told: Any, now: Any) -> bool:
    if isinstance(told, float) and isinstance(now, float):
        return abs(told - now) <= TOLERANCE
    return bool(told == now)


def _ranking(event: IncidentEvent) -> list[str]:
    causes = sorted(event.root_causes, key=lambda each: each.rank)
    return [f"{each.node} {each.signal or '-'}" for each in causes]


def _path(event: IncidentEvent) -> list[str]:
    return [f"{edge.source} > {edge.target}" for edge in event.path]


def _alarmed(event: IncidentEvent, time: int) -> Iterator[list[Trigger]]:
    """The triggers that were there at `time`; then all of them, for alarms that waited for no frame row."""
    by_then = [each for each in event.triggers if each.time <= time]
    if by_then:
        yield by_then
    if len(by_then) < len(event.triggers):
        yield list(event.triggers)


def _case(event: IncidentEvent, rows: tuple[FrameRow, ...], triggers: Sequence[Trigger]) -> Case:
    alerts = tuple(_alert(each) for each in triggers)
    newest = max(each.time for each in alerts)
    incident = Incident(event.incident_id, event.detected_at, alerts, newest, newest)
    request = Request(event.graph, rows[-1].time, incident, ())
    if not rows[-1].nodes:
        return Case(request, rows, None)
    return Case(request, rows, encode(rows, [Alarm(each.node, each.signal) for each in alerts]))


def _alert(trigger: Trigger) -> Alert:
    """As much of the alert as its trigger tells."""
    return Alert(
        id="",
        pattern=trigger.pattern,
        version=trigger.version,
        node=trigger.node,
        peer=trigger.peer,
        signal=trigger.signal,
        series="",
        severity=trigger.severity,
        time=trigger.time,
        start=min((each.time for each in trigger.samples), default=trigger.time),
        runbook=None,
        samples=tuple(each.model_dump(exclude_none=True) for each in trigger.samples),
    )
