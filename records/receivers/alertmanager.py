"""Alertmanager's API v2: the body of `POST /api/v2/alerts` for one revision of an incident.

An alert is its labels: one with other labels is another alert. Graph, incident, first cause and severity are
labels, since routes and silences look at them; where a revision changes one, the alert with the labels of
the revision before is ended in the same call. Imports records.
"""

from __future__ import annotations

from typing import Any, Final

from records.incidents import ENDED, IncidentEvent
from records.receivers.words import (
    SEVERITY,
    clock,
    description,
    first_cause,
    model_name,
    runbook,
    summary,
)

NAME: Final = "FaultlineRootCause"
"""The label `alertname`."""


def alerts(
    event: IncidentEvent, before: IncidentEvent | None, *, expires_ms: int, link: str | None = None
) -> list[dict[str, Any]]:
    """The alerts to post: the event's, and, ended, that of the revision `before` where its labels differ.

    `expires_ms`: Alertmanager ends an alert by itself so long after its newest revision, since the word that
    ends it may never come. `link`: an address for `generatorURL`.
    """
    if before is not None and before.status in ENDED:
        before = None
    if event.status in ENDED:
        return [_alert(event, labels(before or event), event.time, link)]
    now = [_alert(event, labels(event), event.time + expires_ms, link)]
    if before is not None and labels(before) != labels(event):
        now.append(_alert(before, labels(before), event.time, link))
    return now


def labels(event: IncidentEvent) -> dict[str, str]:
    """What identifies the alert of a revision."""
    first = first_cause(event)
    told = {
        "alertname": NAME,
        "severity": SEVERITY[event.qos],
        "graph": event.graph,
        "incident_id": event.incident_id,
        "node": first and first.node,
        "signal": first and first.signal,
    }
    return {name: value for name, value in told.items() if value}


def _alert(event: IncidentEvent, named: dict[str, str], ends: int, link: str | None) -> dict[str, Any]:
    alert: dict[str, Any] = {
        "labels": named,
        "annotations": _annotations(event),
        "startsAt": clock(event.onset),
        "endsAt": clock(max(ends, event.onset + 1)),  # an end at or before the start is refused
    }
    return alert if link is None else {**alert, "generatorURL": link}


def _annotations(event: IncidentEvent) -> dict[str, str]:
    told = {
        "summary": summary(event),
        "description": description(event),
        "runbook_url": runbook(event),
        "confidence_score": None if event.confidence_score is None else f"{event.confidence_score:.2f}",
        "method": event.method,
        "model": model_name(event),
        "event_id": event.id,
        "status": event.status,
    }
    return {name: value for name, value in told.items() if value}
