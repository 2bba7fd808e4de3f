"""What every receiver is told alike: summary, severity, runbook, times. Imports records.incidents."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from records.incidents import IncidentEvent, RootCause

SEVERITY: Final = {"P0": "critical", "P1": "warning", "P2": "info"}
"""An event's class to the severity of the patterns that it came from."""
_SHOWN: Final = 3


def first_cause(event: IncidentEvent) -> RootCause | None:
    """The cause of rank 1; None where none was ranked."""
    return min(event.root_causes, key=lambda each: each.rank, default=None)


def summary(event: IncidentEvent) -> str:
    """The finding in one line."""
    first = first_cause(event)
    if event.status == "retracted":
        named = "" if first is None else f", {first.node} is not its cause"
        return f"{event.graph}: judged a false alarm{named}"
    if first is None:
        return f"{event.graph}: an incident without a ranked cause"
    signal = "" if first.signal is None else f" ({first.signal})"
    sure = "" if event.confidence_score is None else f", confidence {event.confidence_score:.2f}"
    by = "" if event.method == "model" else f", ranked by the fallback ({event.reason or 'no reason given'})"
    return f"{event.graph}: {first.node}{signal} is the likely root cause{sure}{by}"


def description(event: IncidentEvent) -> str:
    """Why, in a few sentences: the first cause's evidence, the way to the symptom, who is affected."""
    first = first_cause(event)
    parts = [each.text for each in first.evidence[:_SHOWN]] if first else []
    if event.path:
        parts.append(f"Path: {path(event)}.")
    if event.blast_radius:
        more = len(event.blast_radius) - _SHOWN
        names = ", ".join(event.blast_radius[:_SHOWN])
        parts.append(f"Affected: {names}{f' and {more} more' if more > 0 else ''}.")
    return " ".join(parts)


def path(event: IncidentEvent) -> str:
    """The edges that explain it as `a > b, b > c`."""
    return ", ".join(f"{edge.source} > {edge.target}" for edge in event.path)


def runbook(event: IncidentEvent) -> str | None:
    """The first page that the plan names."""
    return next((step.url for step in event.action_plan if step.url), None)


def model_name(event: IncidentEvent) -> str | None:
    """Name and version of the model that ranked; None for the fallback."""
    return None if event.model is None else f"{event.model.name}-{event.model.version}"


def clock(time: int) -> str:
    """RFC 3339 in UTC for ms."""
    moment = datetime.fromtimestamp(time // 1000, tz=UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{time % 1000:03d}Z"
