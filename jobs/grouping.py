"""Which incident an alert belongs to: one incident per cause, as far as times, keys and calls tell.

Owns the open incident and how alerts gather in it. Imports jobs.alerts and jobs.causes.

- An alert whose key an incident knows belongs to that incident: a fault that flaps stays one.
- Another alert joins the newest incident that still gathers and whose cause can be its cause: a cascade
  raises its alarms one soon after the other, as far apart as the slowest pattern is slower than the fastest,
  and along calls. Of an incident's possible causes those count that explain most of its alerts.
- Of the others, those that one node can be the cause of open an incident together: neither an old fault that
  lasts nor another one at the same time must hide it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from jobs.alerts import Alert, incident_id
from jobs.causes import Causes
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
    causes = Causes(row, [*alerts, *(known for each in incidents for known in each.alerts)])
    found, touched = list(incidents), set[str]()
    for group, place in _placed(incidents, alerts, _gather_ms(tick_ms), causes):
        if place is None and len(found) < MAX_INCIDENTS:
            first = group[0]
            found.append(Incident(incident_id(graph, first), first.time, (first,), first.time, first.time))
        index = len(found) - 1 if place is None else place
        for alert in group:
            found[index] = _joined(found[index], alert)
        touched.add(found[index].id)
    return tuple(found), frozenset(touched)


def set_aside(incidents: Sequence[Incident], tick_ms: int, row: FrameRow) -> dict[str, tuple[str, ...]]:
    """By the incident's id, the nodes that are no candidates for it; none for most.

    Of incidents that began together: what explains most alerts of another one, and not most of its own.
    `row`: the newest tick.
    """
    beside = {
        each.id: [
            other
            for other in incidents
            if other is not each and abs(other.detected_at - each.detected_at) <= _gather_ms(tick_ms)
        ]
        for each in incidents
    }
    if not any(beside.values()):
        return dict.fromkeys(beside, ())
    causes = Causes(row, [known for each in incidents for known in each.alerts])
    cores = {each.id: _core(each.alerts, causes) or frozenset() for each in incidents}
    aside = {}
    for each in incidents:
        others = {cause for other in beside[each.id] for cause in cores[other.id]}
        aside[each.id] = tuple(row.nodes[cause] for cause in sorted(others - cores[each.id]))
    return aside


def _gather_ms(tick_ms: int) -> int:
    return max(GATHER_MS, GATHER_TICKS * tick_ms)


def _placed(
    incidents: Sequence[Incident], alerts: Sequence[Alert], gather_ms: int, causes: Causes
) -> list[tuple[list[Alert], int | None]]:
    """The alerts in groups, each with the index of the incident that it joins; None where it opens one.

    What an incident knows is its own; of the rest, what shares the cause of one that still gathers, the
    newest first; then as few causes as explain what is left.
    """
    newest_first = range(len(incidents) - 1, -1, -1)
    placed: list[tuple[list[Alert], int | None]] = []
    left = list(alerts)

    def place(taken: list[Alert], index: int | None) -> None:
        nonlocal left
        if taken:
            placed.append((taken, index))
            left = [alert for alert in left if alert not in taken]

    for index in newest_first:
        keys = {known.key for known in incidents[index].alerts}
        place([alert for alert in left if alert.key in keys], index)
    for index in newest_first:
        each = incidents[index]
        # One that dropped alerts no longer knows what is new to it.
        soon = [alert for alert in left if each.dropped > 0 or alert.time - each.last_new <= gather_ms]
        if soon:
            place(_of_one(soon, causes, _core(each.alerts, causes)), index)
    while left:
        place(_of_one(left, causes, None), None)
    return placed


def _core(alerts: Sequence[Alert], causes: Causes) -> frozenset[int] | None:
    """The nodes that can be the cause of most of the alerts; None where nothing is known of any."""
    counts = Counter(cause for alert in alerts for cause in causes.of(alert) or ())
    most = max(counts.values(), default=0)
    return frozenset(cause for cause, count in counts.items() if count == most) if most else None


def _of_one(alerts: Sequence[Alert], causes: Causes, within: frozenset[int] | None) -> list[Alert]:
    """The alerts that one node can be the cause of, the one of `within` (None: of all) that explains most.

    And those of which nothing is known.
    """
    counts = Counter(
        cause for alert in alerts for cause in causes.of(alert) or () if within is None or cause in within
    )
    best = min(counts, key=lambda cause: (-counts[cause], cause), default=None)
    return [alert for alert in alerts if (known := causes.of(alert)) is None or best in known]


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
