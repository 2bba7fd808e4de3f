"""Which revisions of an incident are told, as a pure function: `step(state, event, settings)`.

Owns revision numbers and the rule of updates: the first draft opens; a later one is told only where the
answer changed (cause, its signal, severity), at most once per resend interval, the newest held back until
then; the end is always told. A draft that is less sure does not replace a surer one: snapshots from after
the worst say less about the cause. Imports records only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import orjson

from jobs.incident_state import open_versioned
from jobs.wire import End
from records.incidents import IncidentEvent

VERSION: Final = 1
_READERS: Final = (1,)


@dataclass(frozen=True)
class State:
    """What was told of a graph's open incident: the newest revision, and the draft that waits, if any.

    `sure`: the largest confidence that the present answer (the one that waits, else the one told) ever had.
    """

    told: IncidentEvent | None = None
    held: IncidentEvent | None = None
    sure: float = 0.0


@dataclass(frozen=True)
class Tell:
    """A revision to send."""

    event: IncidentEvent


@dataclass(frozen=True)
class Wake:
    """Ask to be woken when event time reaches `time`, ms."""

    time: int


Output = Tell | Wake
KEEPS: Final = 0.9
"""Another answer must reach this share of the confidence that the present one once had."""
DOUBT: Final = 0.3
"""Under this confidence an answer replaces none."""
Answer = tuple[str | None, str | None, str]


def step(state: State, event: IncidentEvent | End | int, resend_ms: int) -> tuple[State, tuple[Output, ...]]:
    """The next state and what follows from a draft, an ending, or event time reaching a moment (ms).

    A held draft whose moment lies before the event's time is told first, however event time jumped.
    """
    if isinstance(event, int):
        return _woken(state, event, resend_ms)
    before: tuple[Output, ...] = ()
    if state.told is not None and state.told.time + resend_ms < event.time:
        state, before = _woken(state, state.told.time + resend_ms, resend_ms)
    state, after = _ended(state, event) if isinstance(event, End) else _drafted(state, event, resend_ms)
    return state, (*before, *after)


def _drafted(state: State, draft: IncidentEvent, resend_ms: int) -> tuple[State, tuple[Output, ...]]:
    told = state.told
    if told is None or told.incident_id != draft.incident_id:
        opened = draft.model_copy(update={"revision": 1, "status": "opened"})
        return State(opened, sure=_confidence(opened)), (Tell(opened),)
    state, draft = _weigh(state, draft)
    draft = draft.model_copy(update={"onset": min(draft.onset, told.onset)})
    if answer_of(draft) == answer_of(told):
        return replace(state, held=None), ()
    if draft.time - told.time < resend_ms:
        return replace(state, held=draft), (Wake(told.time + resend_ms),)
    return _updated(state, told, draft)


def _weigh(state: State, draft: IncidentEvent) -> tuple[State, IncidentEvent]:
    """The draft itself where its answer stands.

    Else the present answer with the draft's time and triggers.
    """
    present = state.held or state.told
    assert present is not None
    sure = _confidence(draft)
    if _cause(draft) == _cause(present):
        return replace(state, sure=max(sure, state.sure)), draft
    if replaces(present, state.sure, draft):
        return replace(state, sure=sure), draft
    new = {name: getattr(draft, name) for name in ("time", "triggers", "qos", "causation_id", "latency_ms")}
    return state, present.model_copy(update=new)


def replaces(present: IncidentEvent, sure: float, draft: IncidentEvent) -> bool:
    """Whether another answer takes the place of the present one, which was once as sure as `sure`."""
    if present.method != draft.method:
        return draft.method == "model"
    return _confidence(draft) >= max(DOUBT if draft.method == "model" else 0.0, KEEPS * sure)


def _confidence(event: IncidentEvent) -> float:
    return event.confidence_score or 0.0


def _cause(event: IncidentEvent) -> tuple[str | None, str | None]:
    return answer_of(event)[:2]


def answer_of(event: IncidentEvent) -> Answer:
    """What an update is about: the first cause, its signal, and the severity."""
    first = event.root_causes[0] if event.root_causes else None
    return (first.node if first else None, first.signal if first else None, event.qos)


def _updated(state: State, told: IncidentEvent, draft: IncidentEvent) -> tuple[State, tuple[Output, ...]]:
    event = draft.model_copy(update={"revision": told.revision + 1, "status": "updated"})
    return State(event, sure=state.sure), (Tell(event),)


def _woken(state: State, time: int, resend_ms: int) -> tuple[State, tuple[Output, ...]]:
    told, held = state.told, state.held
    if told is None or held is None or time < told.time + resend_ms:
        return state, ()
    return _updated(state, told, held.model_copy(update={"time": time}))


def _ended(state: State, end: End) -> tuple[State, tuple[Output, ...]]:
    last = state.held or state.told
    if last is None or state.told is None or state.told.incident_id != end.incident_id:
        return state, ()
    changes = {
        "revision": state.told.revision + 1,
        "status": "resolved",
        "resolution": end.ending,
        "time": end.time,
        "latency_ms": float(end.time - end.since),
    }
    return State(), (Tell(last.model_copy(update=changes)),)


def write_state(state: State) -> bytes:
    """The state as bytes."""
    told, held = (event and event.model_dump() for event in (state.told, state.held))
    fields = {"v": VERSION, "told": told, "held": held, "sure": state.sure}
    return orjson.dumps(fields, option=orjson.OPT_SORT_KEYS)


def read_state(data: bytes) -> State:
    """The state in `data`; StateError where it was written by a release that is not known here."""
    fields = open_versioned(data, "revisions", _READERS)
    return State(_event(fields["told"]), _event(fields["held"]), fields["sure"])


def _event(fields: dict[str, Any] | None) -> IncidentEvent | None:
    return None if fields is None else IncidentEvent.model_validate_json(orjson.dumps(fields))
