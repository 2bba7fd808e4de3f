"""The life of an incident of one graph, as a pure function: `step(state, event, settings)`.

Owns when an incident opens, is scored again and ends. Imports records and numpy; no Flink, no clock, no
model.

    match -> waits until the graph's next frame row closes the tick
    frame -> waiting matches open incidents or join them; those are scored at once, and again at each tick
             for as long as matches keep coming and the graph sends anything; one ends when its signals were
             back, without a match, for resolve_after
    wake  -> event time reached a moment asked for: matches without a frame row are scored with what is
             there; an incident whose graph sent nothing for resolve_after ends, and says that the data
             stopped
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from jobs.alerts import Alert, AlertKey
from jobs.grouping import MAX_ALERTS, Incident, gather
from jobs.signs import are_back, is_data
from records.frames import FrameRow

RESCORE_TICKS: Final = 3
"""For so many ticks after the last match an open incident is still scored at each tick."""
WAIT_TICKS: Final = 2
"""For so many ticks a match waits for a frame row that closes its tick."""

Ending = Literal["signals_back", "data_stopped"]


@dataclass(frozen=True)
class Settings:
    """`resolve_after_ms` as configured.

    `window_ticks`: T, rows in the ring; `tick_ms`: before the first row.
    """

    resolve_after_ms: int
    window_ticks: int
    tick_ms: int


@dataclass(frozen=True)
class State:
    """One graph's state: matches that wait, the open incidents, and the times of the rows in the ring.

    `last_data`: end of the newest tick in which any node sent something, or the newest match; `wake_at`: the
    one moment asked for.
    """

    graph: str
    waiting: tuple[Alert, ...] = ()
    incidents: tuple[Incident, ...] = ()
    ring: tuple[int, ...] = ()
    tick_ms: int = 0
    last_data: int = 0
    wake_at: int | None = None


@dataclass(frozen=True)
class Matched:
    """A pattern matched on a node of the graph."""

    alert: Alert


@dataclass(frozen=True)
class Framed:
    """A tick of the graph is complete."""

    row: FrameRow


@dataclass(frozen=True)
class Woken:
    """Event time reached `time`."""

    time: int


Event = Matched | Framed | Woken


@dataclass(frozen=True)
class Score:
    """Ask for the cause at `time`, from the rows at `ring` (oldest first; none where no row came yet)."""

    incident: Incident
    time: int
    ring: tuple[int, ...]


@dataclass(frozen=True)
class Resolve:
    """The incident ended at `time`; `since`: from when on its signals were back or its graph sent nothing."""

    incident: Incident
    time: int
    ending: Ending
    since: int


@dataclass(frozen=True)
class Forget:
    """Rows that left the ring."""

    times: tuple[int, ...]


@dataclass(frozen=True)
class Wake:
    """Ask for a Woken at `time`."""

    time: int


Output = Score | Resolve | Forget | Wake


def step(state: State, event: Event, settings: Settings) -> tuple[State, tuple[Output, ...]]:
    """The next state and what follows from `event`. Neither argument is changed.

    What fell due before the event's time is done first, so that a replay, where event time jumps, decides
    as the live run did.
    """
    if isinstance(event, Woken):
        return _woken(state, settings) if event.time == state.wake_at else (state, ())
    now = event.alert.time if isinstance(event, Matched) else event.row.time
    before: tuple[Output, ...] = ()
    while state.wake_at is not None and state.wake_at < now:
        state, due = _woken(state, settings)
        before = (*before, *due)
    if isinstance(event, Matched):
        state, after = _wake(_wait(state, event.alert), (), settings)
    else:
        state, after = _framed(state, event.row, settings)
    return state, (*before, *after)


def _wait(state: State, alert: Alert) -> State:
    waiting = _distinct((*state.waiting, alert))[:MAX_ALERTS]
    return replace(state, waiting=waiting, last_data=max(state.last_data, alert.time))


def _distinct(alerts: tuple[Alert, ...]) -> tuple[Alert, ...]:
    """In order of time, the first of each key."""
    first: dict[AlertKey, Alert] = {}
    for alert in sorted(alerts, key=lambda each: each.order):
        first.setdefault(alert.key, alert)
    return tuple(first.values())


def _framed(state: State, row: FrameRow, settings: Settings) -> tuple[State, tuple[Output, ...]]:
    if state.ring and row.time <= state.ring[-1]:
        return state, ()
    state, outputs = _remember(state, row, settings)
    state, touched = _join(state, row.time, settings, row)
    still: tuple[Incident, ...] = ()
    for incident in state.incidents:
        incident = _listen(incident, row)
        since = None if incident.quiet_since is None else max(incident.quiet_since, incident.last_match)
        if since is not None and row.time - since >= settings.resolve_after_ms:
            outputs = (*outputs, Resolve(incident, row.time, "signals_back", since))
            continue
        still = (*still, incident)
        recent = row.time - incident.last_match <= RESCORE_TICKS * row.tick_ms
        if incident.id in touched or (recent and is_data(row)):
            outputs = (*outputs, Score(incident, row.time, state.ring))
    return _wake(replace(state, incidents=still), outputs, settings)


def _remember(state: State, row: FrameRow, settings: Settings) -> tuple[State, tuple[Output, ...]]:
    """The row's time into the ring; out of it what is older than the window."""
    ring = (*state.ring, row.time)
    oldest = row.time - (settings.window_ticks - 1) * row.tick_ms
    kept = tuple(time for time in ring if time >= oldest)
    gone = tuple(time for time in ring if time < oldest)
    last_data = row.time if is_data(row) else state.last_data
    state = replace(state, ring=kept, tick_ms=row.tick_ms, last_data=max(state.last_data, last_data))
    return state, ((Forget(gone),) if gone else ())


def _join(state: State, time: int, settings: Settings, row: FrameRow | None) -> tuple[State, frozenset[str]]:
    """Matches ready by `time` open incidents or join them; ids of those that got one."""
    ready = tuple(alert for alert in state.waiting if alert.time <= time)
    waiting = tuple(alert for alert in state.waiting if alert.time > time)
    tick_ms = state.tick_ms or settings.tick_ms
    incidents, touched = gather(state.graph, state.incidents, ready, tick_ms, row)
    return replace(state, waiting=waiting, incidents=incidents), touched


def _listen(incident: Incident, row: FrameRow) -> Incident:
    """The incident with `quiet_since` brought up to date by the newest row."""
    if not are_back(row, incident.alerts):
        return replace(incident, quiet_since=None)
    return (
        incident
        if incident.quiet_since is not None
        else replace(incident, quiet_since=row.time - row.tick_ms)
    )


def _woken(state: State, settings: Settings) -> tuple[State, tuple[Output, ...]]:
    """What is due at `wake_at`."""
    assert state.wake_at is not None
    time = state.wake_at
    state = replace(state, wake_at=None)
    outputs: tuple[Output, ...] = ()
    if state.waiting and time >= _patience(state, settings):
        state, touched = _join(state, time, settings, None)
        outputs = tuple(Score(each, time, state.ring) for each in state.incidents if each.id in touched)
    if time >= state.last_data + settings.resolve_after_ms:
        ends = tuple(Resolve(each, time, "data_stopped", state.last_data) for each in state.incidents)
        return _wake(replace(state, incidents=()), (*outputs, *ends), settings)
    return _wake(state, outputs, settings)


def _patience(state: State, settings: Settings) -> int:
    """Until when the oldest waiting match waits for a frame row."""
    return state.waiting[0].time + WAIT_TICKS * (state.tick_ms or settings.tick_ms)


def _wake(state: State, outputs: tuple[Output, ...], settings: Settings) -> tuple[State, tuple[Output, ...]]:
    """Asks to be woken when something is due and nothing was asked for that comes early enough."""
    due = [_patience(state, settings)] if state.waiting else []
    if state.incidents:
        due.append(state.last_data + settings.resolve_after_ms)
    if not due or (state.wake_at is not None and state.wake_at <= min(due)):
        return state, outputs
    return replace(state, wake_at=min(due)), (*outputs, Wake(min(due)))
