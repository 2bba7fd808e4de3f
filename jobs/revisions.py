"""Which revisions of an incident are told, as a pure function: `step(state, event, settings)`.

Owns revision numbers and the rule of updates: the first draft opens; a later one is told only where the
answer changed (cause, its signal, severity), at most once per resend interval, the newest held back until
then; the end is always told. A draft that is less sure does not replace a surer one: snapshots from after
the worst say less about the cause. A graph may have several open incidents: one whose first cause is
already told by another is not told, for as long as that is so. An incident that somebody judged false is
told once more, as retracted; then nothing of it is told, and it still hides what it hid. Imports records
only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import orjson

from jobs.incident_state import open_versioned
from jobs.wire import End
from records.feedback import Feedback
from records.incidents import IncidentEvent

VERSION: Final = 2
"""1 knew no retracted incidents and no probability of an anomaly."""
_READERS: Final = (1, 2)


@dataclass(frozen=True)
class Track:
    """What was told of one open incident: the newest revision, and the draft that waits, if any.

    `sure`: the largest confidence that the present answer (the one that waits, else the one told) ever had.
    """

    told: IncidentEvent
    held: IncidentEvent | None = None
    sure: float = 0.0

    @property
    def present(self) -> IncidentEvent:
        """The newest answer that stands."""
        return self.held or self.told


@dataclass(frozen=True)
class State:
    """The told open incidents of a graph, in order of opening.

    `judged`: the newest incidents that were judged false when nothing of them was known here: they had ended,
    or, after a crash, have not been opened again yet.
    """

    tracks: tuple[Track, ...] = ()
    judged: tuple[str, ...] = ()

    def track(self, incident_id: str) -> Track | None:
        """The incident's track; None where nothing was told of it."""
        return next((each for each in self.tracks if each.told.incident_id == incident_id), None)

    def put(self, track: Track) -> State:
        """The state with this track in the place of the one before it."""
        tracks = {each.told.incident_id: each for each in self.tracks} | {track.told.incident_id: track}
        return State(tuple(tracks.values()), self.judged)

    def without(self, track: Track) -> State:
        """The state without this track."""
        return State(tuple(each for each in self.tracks if each is not track), self.judged)


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
MAX_JUDGED: Final = 64
"""Ids of incidents judged false, and unknown, that a graph keeps."""
Answer = tuple[str | None, str | None, str]


def step(
    state: State, event: IncidentEvent | End | Feedback | int, resend_ms: int
) -> tuple[State, tuple[Output, ...]]:
    """The next state and what follows from a draft, an ending, a verdict, or event time reaching a moment.

    Moments are in ms. Held drafts whose moment lies before the event's time are told first, however event
    time jumped.
    """
    if isinstance(event, int):
        return _woken(state, event, resend_ms)
    if isinstance(event, Feedback):
        return _judged(state, event)
    state, before = _woken(state, event.time - 1, resend_ms)
    state, after = _ended(state, event) if isinstance(event, End) else _drafted(state, event, resend_ms)
    return state, (*before, *after)


def _drafted(state: State, draft: IncidentEvent, resend_ms: int) -> tuple[State, tuple[Output, ...]]:
    track = state.track(draft.incident_id)
    if track is None:
        if draft.incident_id in state.judged:
            return state, ()
        if _node(draft) in [_node(each.told) for each in state.tracks]:
            return state, ()
        opened = draft.model_copy(update={"revision": 1, "status": "opened"})
        return state.put(Track(opened, sure=_confidence(opened))), (Tell(opened),)
    told = track.told
    if told.status == "retracted":
        return state, ()
    draft, sure = _weigh(track, draft)
    draft = draft.model_copy(update={"onset": min(draft.onset, told.onset)})
    if answer_of(draft) == answer_of(told):
        return state.put(Track(told, sure=sure)), ()
    if draft.time - told.time < resend_ms:
        return state.put(Track(told, draft, sure)), (Wake(told.time + resend_ms),)
    updated = _updated(told, draft)
    return state.put(Track(updated, sure=sure)), (Tell(updated),)


def _weigh(track: Track, draft: IncidentEvent) -> tuple[IncidentEvent, float]:
    """The draft itself where its answer stands, else the present answer with the draft's time and triggers.

    And how sure that answer ever was.
    """
    sure = _confidence(draft)
    if _cause(draft) == _cause(track.present):
        return draft, max(sure, track.sure)
    if replaces(track.present, track.sure, draft):
        return draft, sure
    new = {name: getattr(draft, name) for name in ("time", "triggers", "qos", "causation_id", "latency_ms")}
    return track.present.model_copy(update=new), track.sure


def replaces(present: IncidentEvent, sure: float, draft: IncidentEvent) -> bool:
    """Whether another answer takes the place of the present one, which was once as sure as `sure`."""
    if present.method != draft.method:
        return draft.method == "model"
    return _confidence(draft) >= max(DOUBT if draft.method == "model" else 0.0, KEEPS * sure)


def _confidence(event: IncidentEvent) -> float:
    return event.confidence_score or 0.0


def _node(event: IncidentEvent) -> str | None:
    return answer_of(event)[0]


def _cause(event: IncidentEvent) -> tuple[str | None, str | None]:
    return answer_of(event)[:2]


def answer_of(event: IncidentEvent) -> Answer:
    """What an update is about: the first cause, its signal, and the severity."""
    first = event.root_causes[0] if event.root_causes else None
    return (first.node if first else None, first.signal if first else None, event.qos)


def _updated(told: IncidentEvent, draft: IncidentEvent) -> IncidentEvent:
    return draft.model_copy(update={"revision": told.revision + 1, "status": "updated"})


def _woken(state: State, time: int, resend_ms: int) -> tuple[State, tuple[Output, ...]]:
    """Tells the held drafts whose moment is at or before `time`."""
    outputs: tuple[Output, ...] = ()
    for track in state.tracks:
        due = track.told.time + resend_ms
        if track.held is not None and due <= time:
            event = _updated(track.told, track.held.model_copy(update={"time": due}))
            state, outputs = state.put(Track(event, sure=track.sure)), (*outputs, Tell(event))
    return state, outputs


def _ended(state: State, end: End) -> tuple[State, tuple[Output, ...]]:
    track = state.track(end.incident_id)
    if track is None:
        return state, ()
    if track.told.status == "retracted":
        return state.without(track), ()
    changes = {
        "revision": track.told.revision + 1,
        "status": "resolved",
        "resolution": end.ending,
        "time": end.time,
        "latency_ms": float(end.time - end.since),
    }
    return state.without(track), (Tell(track.present.model_copy(update=changes)),)


def _judged(state: State, given: Feedback) -> tuple[State, tuple[Output, ...]]:
    """Retracts what was judged false; an incident that is not known (any more) from the verdict alone."""
    if given.verdict != "false":
        return state, ()
    track = state.track(given.incident_id)
    if track is None:
        if given.incident_id in state.judged:
            return state, ()
        judged = (*state.judged, given.incident_id)[-MAX_JUDGED:]
        return State(state.tracks, judged), (Tell(_from_verdict(given)),)
    if track.told.status == "retracted":
        return state, ()
    changes = {
        "revision": track.told.revision + 1,
        "status": "retracted",
        "resolution": "judged_false",
        "time": max(track.told.time, given.time),
        "latency_ms": None,
    }
    retracted = track.told.model_copy(update=changes)
    return state.put(Track(retracted, sure=track.sure)), (Tell(retracted),)


def _from_verdict(given: Feedback) -> IncidentEvent:
    return IncidentEvent(
        graph=given.graph,
        incident_id=given.incident_id,
        revision=given.revision + 1,
        status="retracted",
        onset=given.onset,
        detected_at=given.onset,
        time=max(given.until, given.time),
        method="fallback",
        reason="judged_false",
        resolution="judged_false",
    )


def write_state(state: State) -> bytes:
    """The state as bytes."""
    tracks = [
        {"told": each.told.model_dump(), "held": each.held and each.held.model_dump(), "sure": each.sure}
        for each in state.tracks
    ]
    fields = {"v": VERSION, "tracks": tracks, "judged": state.judged}
    return orjson.dumps(fields, option=orjson.OPT_SORT_KEYS)


def read_state(data: bytes) -> State:
    """The state in `data`; StateError where it was written by a release that is not known here."""
    fields = open_versioned(data, "revisions", _READERS)
    return State(tuple(_track(each) for each in fields["tracks"]), tuple(fields.get("judged", ())))


def _track(fields: dict[str, Any]) -> Track:
    held = fields["held"]
    return Track(_event(fields["told"]), None if held is None else _event(held), fields["sure"])


def _event(fields: dict[str, Any]) -> IncidentEvent:
    return IncidentEvent.model_validate_json(orjson.dumps(fields))
