"""Which revisions of an incident are told, as a pure function: `step(state, event, settings)`.

Owns revision numbers and the rule of updates: the first draft opens; a later one is told only where the
answer changed (cause, its signal, severity), at most once per resend interval, the newest held back until
then; the end is always told. A graph may have several open incidents: one whose first cause is already told
by another is not told, for as long as that is so. Imports records only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import orjson

from jobs.incident_state import open_versioned
from jobs.wire import End
from records.incidents import IncidentEvent

VERSION: Final = 1
_READERS: Final = (1,)


@dataclass(frozen=True)
class Track:
    """What was told of one open incident: the newest revision, and the draft that waits, if any."""

    told: IncidentEvent
    held: IncidentEvent | None = None


@dataclass(frozen=True)
class State:
    """The told open incidents of a graph, in order of opening."""

    tracks: tuple[Track, ...] = ()

    def track(self, incident_id: str) -> Track | None:
        """The incident's track; None where nothing was told of it."""
        return next((each for each in self.tracks if each.told.incident_id == incident_id), None)

    def put(self, track: Track) -> State:
        """The state with this track in the place of the one before it."""
        tracks = {each.told.incident_id: each for each in self.tracks} | {track.told.incident_id: track}
        return State(tuple(tracks.values()))

    def without(self, track: Track) -> State:
        """The state without this track."""
        return State(tuple(each for each in self.tracks if each is not track))


@dataclass(frozen=True)
class Tell:
    """A revision to send."""

    event: IncidentEvent


@dataclass(frozen=True)
class Wake:
    """Ask to be woken when event time reaches `time`, ms."""

    time: int


Output = Tell | Wake
Answer = tuple[str | None, str | None, str]


def step(state: State, event: IncidentEvent | End | int, resend_ms: int) -> tuple[State, tuple[Output, ...]]:
    """The next state and what follows from a draft, an ending, or event time reaching a moment (ms).

    Held drafts whose moment lies before the event's time are told first, however event time jumped.
    """
    if isinstance(event, int):
        return _woken(state, event, resend_ms)
    state, before = _woken(state, event.time - 1, resend_ms)
    state, after = _ended(state, event) if isinstance(event, End) else _drafted(state, event, resend_ms)
    return state, (*before, *after)


def _drafted(state: State, draft: IncidentEvent, resend_ms: int) -> tuple[State, tuple[Output, ...]]:
    track = state.track(draft.incident_id)
    if track is None:
        if _cause(draft) in [_cause(each.told) for each in state.tracks]:
            return state, ()
        opened = draft.model_copy(update={"revision": 1, "status": "opened"})
        return state.put(Track(opened)), (Tell(opened),)
    told = track.told
    draft = draft.model_copy(update={"onset": min(draft.onset, told.onset)})
    if answer_of(draft) == answer_of(told) or _only_doubts_the_signal(draft, told):
        return state.put(Track(told)), ()
    if draft.time - told.time < resend_ms:
        return state.put(Track(told, draft)), (Wake(told.time + resend_ms),)
    updated = _updated(told, draft)
    return state.put(Track(updated)), (Tell(updated),)


def answer_of(event: IncidentEvent) -> Answer:
    """What an update is about: the first cause, its signal, and the severity."""
    first = event.root_causes[0] if event.root_causes else None
    return (first.node if first else None, first.signal if first else None, event.qos)


def _cause(event: IncidentEvent) -> str | None:
    return event.root_causes[0].node if event.root_causes else None


def _only_doubts_the_signal(draft: IncidentEvent, told: IncidentEvent) -> bool:
    """Whether the same cause was found by the same method with another signal and less confidence.

    The window loses the onset as an incident lasts: the signal that the earlier answer named stands.
    """
    same = (_cause(draft), draft.method, draft.qos) == (_cause(told), told.method, told.qos)
    return same and (draft.confidence_score or 0.0) < (told.confidence_score or 0.0)


def _updated(told: IncidentEvent, draft: IncidentEvent) -> IncidentEvent:
    return draft.model_copy(update={"revision": told.revision + 1, "status": "updated"})


def _woken(state: State, time: int, resend_ms: int) -> tuple[State, tuple[Output, ...]]:
    """Tells the held drafts whose moment is at or before `time`."""
    outputs: tuple[Output, ...] = ()
    for track in state.tracks:
        due = track.told.time + resend_ms
        if track.held is not None and due <= time:
            event = _updated(track.told, track.held.model_copy(update={"time": due}))
            state, outputs = state.put(Track(event)), (*outputs, Tell(event))
    return state, outputs


def _ended(state: State, end: End) -> tuple[State, tuple[Output, ...]]:
    track = state.track(end.incident_id)
    if track is None:
        return state, ()
    changes = {
        "revision": track.told.revision + 1,
        "status": "resolved",
        "resolution": end.ending,
        "time": end.time,
        "latency_ms": float(end.time - end.since),
    }
    return state.without(track), (Tell((track.held or track.told).model_copy(update=changes)),)


def write_state(state: State) -> bytes:
    """The state as bytes."""
    tracks = [
        {"told": each.told.model_dump(), "held": each.held and each.held.model_dump()}
        for each in state.tracks
    ]
    return orjson.dumps({"v": VERSION, "tracks": tracks}, option=orjson.OPT_SORT_KEYS)


def read_state(data: bytes) -> State:
    """The state in `data`; StateError where it was written by a release that is not known here."""
    fields = open_versioned(data, "revisions", _READERS)
    tracks = [(_event(each["told"]), each["held"]) for each in fields["tracks"]]
    return State(tuple(Track(told, None if held is None else _event(held)) for told, held in tracks))


def _event(fields: dict[str, Any]) -> IncidentEvent:
    return IncidentEvent.model_validate_json(orjson.dumps(fields))
