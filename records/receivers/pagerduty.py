"""PagerDuty's Events API v2: the body of `POST /v2/enqueue` for one revision of an incident.

The incident's id is the key by which PagerDuty knows what belongs together. Imports records.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

from records.incidents import ENDED, IncidentEvent
from records.receivers.words import (
    SEVERITY,
    clock,
    description,
    first_cause,
    model_name,
    path,
    runbook,
    summary,
)

MAX_SUMMARY: Final = 1024
MAX_KEY: Final = 255
"""Longest summary and longest key that the API takes."""


def enqueued(event: IncidentEvent, *, routing_key: str, link: str | None = None) -> dict[str, Any]:
    """The event to enqueue. `routing_key`: of the integration. `link`: an address for `client_url`."""
    ended = event.status in ENDED
    url = runbook(event)
    body: dict[str, Any] = {
        "routing_key": routing_key,
        "event_action": "resolve" if ended else "trigger",
        "dedup_key": dedup_key(event.incident_id),
        "client": "faultline",
        "payload": _payload(event),
    }
    if url is not None:
        body["links"] = [{"href": url, "text": "Runbook"}]
    return body if link is None else {**body, "client_url": link}


def dedup_key(incident_id: str) -> str:
    """The incident's id; a hash of one that is longer than the API takes."""
    if len(incident_id) <= MAX_KEY:
        return incident_id
    return "sha256:" + hashlib.sha256(incident_id.encode()).hexdigest()


def _payload(event: IncidentEvent) -> dict[str, Any]:
    first = first_cause(event)
    payload = {
        "summary": summary(event)[:MAX_SUMMARY],
        "source": f"{event.graph}/{first.node}" if first else event.graph,
        "severity": SEVERITY[event.qos],
        "timestamp": clock(event.time),
        "component": first and first.node,
        "group": event.graph,
        "class": event.triggers[0].pattern if event.triggers else None,
        "custom_details": _details(event),
    }
    return {name: value for name, value in payload.items() if value is not None}


def _details(event: IncidentEvent) -> dict[str, Any]:
    causes = [{"node": each.node, "signal": each.signal, "score": each.score} for each in event.root_causes]
    told = {
        "event_id": event.id,
        "status": event.status,
        "description": description(event),
        "confidence_score": event.confidence_score,
        "method": event.method,
        "reason": event.reason,
        "model": model_name(event),
        "root_causes": causes,
        "path": path(event),
        "blast_radius": event.blast_radius,
        "input_hash": event.input_hash,
    }
    return {name: value for name, value in told.items() if value not in (None, "", [])}
