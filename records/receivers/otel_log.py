"""An OpenTelemetry log record: the JSON body of `POST /v1/logs` (OTLP/HTTP) for one revision of an incident.

64-bit integers are text and ids are hex, as OTLP's JSON wants them. Imports records.
"""

from __future__ import annotations

from typing import Any, Final

from records.cloudevents import SEVERITY, span_id
from records.incidents import IncidentEvent
from records.receivers.words import first_cause, model_name, runbook, summary

EVENT_NAME: Final = "faultline.incident"
_SCOPE: Final = "faultline"


def logs(event: IncidentEvent) -> dict[str, Any]:
    """The export request with one log record."""
    scope = {"scope": {"name": _SCOPE}, "logRecords": [_record(event)]}
    resource = {"attributes": _attributes({"service.name": "faultline", "faultline.graph": event.graph})}
    return {"resourceLogs": [{"resource": resource, "scopeLogs": [scope]}]}


def _record(event: IncidentEvent) -> dict[str, Any]:
    text, number = SEVERITY[event.qos]
    record: dict[str, Any] = {
        "eventName": EVENT_NAME,
        "timeUnixNano": str(event.time * 1_000_000),
        "severityNumber": number,
        "severityText": text,
        "body": {"stringValue": summary(event)},
        "attributes": _attributes(_told(event)),
    }
    if event.trace_id is not None:
        record |= {"traceId": event.trace_id, "spanId": span_id(event)}
    return record


def _told(event: IncidentEvent) -> dict[str, Any]:
    first = first_cause(event)
    return {
        "faultline.event_id": event.id,
        "faultline.incident_id": event.incident_id,
        "faultline.revision": event.revision,
        "faultline.status": event.status,
        "faultline.onset_unix_ms": event.onset,
        "faultline.qos": event.qos,
        "faultline.method": event.method,
        "faultline.reason": event.reason,
        "faultline.confidence_score": event.confidence_score,
        "faultline.root_cause.node": first and first.node,
        "faultline.root_cause.signal": first and first.signal,
        "faultline.root_cause.score": first and first.score,
        "faultline.blast_radius": event.blast_radius,
        "faultline.runbook_url": runbook(event),
        "faultline.model": model_name(event),
        "faultline.input_hash": event.input_hash,
    }


def _attributes(told: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in told.items() if value not in (None, [])]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(each) for each in value]}}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}
