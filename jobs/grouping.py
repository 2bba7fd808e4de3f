"""Which incident an alert belongs to: one incident per cause, as far as times, keys and calls tell.

Owns the open incident and how alerts gather in it. Imports jobs.alerts and jobs.nearness.

- An alert whose key an incident knows belongs to that incident: a fault that flaps stays one.
- Another alert joins the newest incident that still gathers and whose cause it may share: a cascade raises
  its alarms one soon after the other, as far apart as the slowest pattern is slower than the fastest, and
  along calls.
- Any other alert opens an incident of its own: neither an old fault that lasts nor one in a far part of the
  graph must hide it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from jobs.alerts import Alert, incident_id
from jobs.nearness import Nearness
from records.frames import FrameRow

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
    graph: str, incidents: tuple[Incident, ...], alerts: Sequence[Alert], tick_ms: int, row: FrameRow | None
) -> tuple[tuple[Incident, ...], frozenset[str]]:
    """The open incidents with `alerts` (in order of time) in them, and the ids of those that got one.

    `row`: the tick that they belong to, with the calls; None where none came.
    """
    if not alerts:
        return incidents, frozenset()
    found, touched = list(incidents), set[str]()
    near = Nearness(row, [*alerts, *(known for each in incidents for known in each.alerts)])
    for alert in alerts:
        place = _place(found, alert, max(GATHER_MS, GATHER_TICKS * tick_ms), near)
        if place is None:
            found.append(Incident(incident_id(graph, alert), alert.time, (alert,), alert.time, alert.time))
            place = len(found) - 1
        else:
            found[place] = _joined(found[place], alert)
        touched.add(found[place].id)
    return tuple(found), frozenset(touched)


def _place(incidents: list[Incident], alert: Alert, gather_ms: int, near: Nearness) -> int | None:
    """Index of the incident that `alert` belongs to; None where it opens one."""
    newest_first = range(len(incidents) - 1, -1, -1)
    for index in newest_first:
        if any(known.key == alert.key for known in incidents[index].alerts):
            return index
    for index in newest_first:
        each = incidents[index]
        # One that dropped alerts no longer knows what is new to it.
        gathers = each.dropped > 0 or alert.time - each.last_new <= gather_ms
        if gathers and near.joins(alert, each.alerts):
            return index
    return len(incidents) - 1 if len(incidents) >= MAX_INCIDENTS else None


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
