"""Which incident an alert belongs to: one incident per cause, as far as times and keys tell.

Owns the open incident and how alerts gather in it. Imports jobs.alerts only.

- An alert whose key an incident knows belongs to that incident: a fault that flaps stays one.
- Another alert joins the newest incident while that one still gathers: a cascade raises its alarms one soon
  after the other, as far apart as the slowest pattern is slower than the fastest.
- Any other alert opens an incident of its own: an old fault that lasts must not hide a new one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from jobs.alerts import Alert, incident_id

GATHER_TICKS: Final = 4
"""The library's slowest pattern wants five ticks, its fastest one."""
GATHER_MS: Final = 120_000
"""And no less than this, for graphs with short ticks: time-outs and retries take their time."""
MAX_ALERTS: Final = 64
"""Distinct alerts an incident keeps; the others are counted."""
MAX_INCIDENTS: Final = 16
"""Open incidents of one graph; beyond it alerts join the newest."""


@dataclass(frozen=True)
class Incident:
    """An open incident. Times in ms of event time.

    `last_match`: newest match; `last_new`: newest alert with a key of its own; `quiet_since`: start of the
    first tick since which all signals are back, None while one is not; `dropped`: alerts beyond MAX_ALERTS.
    """

    id: str
    detected_at: int
    alerts: tuple[Alert, ...]
    last_match: int
    last_new: int
    quiet_since: int | None = None
    dropped: int = 0


def gather(
    graph: str, incidents: tuple[Incident, ...], alerts: Iterable[Alert], tick_ms: int
) -> tuple[tuple[Incident, ...], frozenset[str]]:
    """The open incidents with `alerts` (in order of time) in them, and the ids of those that got one."""
    found, touched = list(incidents), set[str]()
    for alert in alerts:
        place = _place(found, alert, max(GATHER_MS, GATHER_TICKS * tick_ms))
        if place is None:
            found.append(Incident(incident_id(graph, alert), alert.time, (alert,), alert.time, alert.time))
            place = len(found) - 1
        else:
            found[place] = _joined(found[place], alert)
        touched.add(found[place].id)
    return tuple(found), frozenset(touched)


def _place(incidents: list[Incident], alert: Alert, gather_ms: int) -> int | None:
    """Index of the incident that `alert` belongs to; None where it opens one."""
    for index in reversed(range(len(incidents))):
        if any(known.key == alert.key for known in incidents[index].alerts):
            return index
    if not incidents:
        return None
    newest = incidents[-1]
    # One that dropped alerts no longer knows what is new to it.
    gathers = newest.dropped > 0 or alert.time - newest.last_new <= gather_ms
    return len(incidents) - 1 if gathers or len(incidents) >= MAX_INCIDENTS else None


def _joined(incident: Incident, alert: Alert) -> Incident:
    newest = max(incident.last_match, alert.time)
    if any(known.key == alert.key for known in incident.alerts):
        return replace(incident, last_match=newest, quiet_since=None)
    fits = len(incident.alerts) < MAX_ALERTS
    return replace(
        incident,
        alerts=(*incident.alerts, alert) if fits else incident.alerts,
        dropped=incident.dropped + (not fits),
        last_match=newest,
        last_new=max(incident.last_new, alert.time),
        quiet_since=None,
    )
