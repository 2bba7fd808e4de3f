"""Incident events as CloudEvents 1.0: Kafka binary mode and structured JSON, by the CloudEvents SDK.

Owns which attributes an event has. Attribute names are lower-case letters and digits; figures of the
incident (scores, hashes, ids) are data, not attributes. The JSON is strict (no NaN), the bytes are the same
at every replay, and at most 64 KiB long.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import orjson
from cloudevents.core.bindings import kafka
from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent
from pydantic import ValidationError

from records.errors import EventError
from records.incidents import EVENT_TYPE, IncidentEvent
from records.validation import explain

MAX_BYTES: Final = 65_536
"""Longest message: many brokers and gateways refuse more."""
DATA_SCHEMA: Final = "urn:faultline:schema:incident:v1"
BINARY_TYPE: Final = "application/json"
STRUCTURED_TYPE: Final = "application/cloudevents+json"
_KEPT: Final = 10

SEVERITY: Final = {"P0": ("FATAL", 21), "P1": ("ERROR", 17), "P2": ("WARN", 13)}
"""An event's class to OpenTelemetry's severity, as text and as number."""
_Write = Callable[[CloudEvent], kafka.KafkaMessage]


@dataclass(frozen=True)
class KafkaMessage:
    """A record for Kafka: `key` keeps an incident's revisions in order; header values are text."""

    key: bytes
    value: bytes
    headers: Mapping[str, str]


def to_cloudevent(
    event: IncidentEvent, *, source: str = "/faultline", sequence: int | None = None
) -> KafkaMessage:
    """The event in Kafka binary mode: attributes as `ce_*` headers, data as value.

    `source` is a URI reference that names the job; `sequence` the event's number in its stream, the revision
    when unsaid.
    """
    return _message(
        event, _attributes(event, source, sequence), lambda made: kafka.to_binary(made, JSONFormat())
    )


def to_structured(
    event: IncidentEvent, *, source: str = "/faultline", sequence: int | None = None
) -> KafkaMessage:
    """The event in structured mode: attributes and data in one JSON object."""
    return _message(
        event, _attributes(event, source, sequence), lambda made: kafka.to_structured(made, JSONFormat())
    )


def read_cloudevent(value: bytes, headers: Mapping[str, str]) -> IncidentEvent:
    """The event in a message of either mode; EventError where it is none of ours."""
    try:
        body = orjson.loads(value)
        if headers.get("content-type", "").startswith(STRUCTURED_TYPE):
            kind, body = body.get("type"), body.get("data")
        else:
            kind = headers.get("ce_type", EVENT_TYPE)
        if kind != EVENT_TYPE:
            raise EventError(f"a CloudEvent of type {kind!r}, not {EVENT_TYPE}")
        return IncidentEvent.model_validate_json(orjson.dumps(body))
    except ValidationError as error:
        first, *others = explain(error, IncidentEvent)
        more = f", and {len(others)} more" if others else ""
        raise EventError(f"no incident event: {first}{more}") from error
    except (ValueError, AttributeError) as error:
        raise EventError(f"no incident event: {error}") from error


def _attributes(event: IncidentEvent, source: str, sequence: int | None) -> dict[str, Any]:
    text, number = SEVERITY[event.qos]
    first = event.root_causes[0].node if event.root_causes else None
    attributes: dict[str, Any] = {
        "id": event.id,
        "source": source,
        "type": EVENT_TYPE,
        "specversion": "1.0",
        "time": datetime.fromtimestamp(event.time / 1000, tz=UTC),
        "subject": f"{event.graph}/{first}" if first else event.graph,
        "datacontenttype": BINARY_TYPE,
        "dataschema": DATA_SCHEMA,
        "partitionkey": event.incident_id,
        "correlationid": event.incident_id,
        "causationid": event.causation_id,
        "traceparent": _traceparent(event),
        "severitytext": text,
        "severitynumber": str(number),
        "sequence": str(event.revision if sequence is None else sequence),
    }
    return {name: value for name, value in attributes.items() if value is not None}


def _traceparent(event: IncidentEvent) -> str | None:
    if event.trace_id is None:
        return None
    return f"00-{event.trace_id}-{span_id(event)}-01"


def span_id(event: IncidentEvent) -> str:
    """The event's place in its trace, 16 hex digits: the same at every replay."""
    return hashlib.sha256(event.id.encode()).hexdigest()[:16]


def _message(event: IncidentEvent, attributes: dict[str, Any], write: _Write) -> KafkaMessage:
    """The message with data that is shortened step by step, and marked so, until it fits."""
    data = event.model_dump()
    message = write(CloudEvent(attributes, data))
    for name, shorten in _SHORTER:
        if len(message.value) <= MAX_BYTES:
            break
        shorten(data)
        data["truncated"] = [*data["truncated"], name]
        message = write(CloudEvent(attributes, data))
    if len(message.value) > MAX_BYTES:
        told = f"{event.id}: {len(message.value)} bytes do not fit into {MAX_BYTES}"
        raise EventError(told, "shorten the names in the data")
    headers = {name: value.decode() for name, value in message.headers.items()}
    return KafkaMessage(event.incident_id.encode(), message.value, headers)


def _drop_trigger_samples(data: dict[str, Any]) -> None:
    for trigger in data["triggers"]:
        trigger["samples"] = trigger["samples"][-1:]


def _drop_evidence(data: dict[str, Any]) -> None:
    for cause in data["root_causes"]:
        cause["evidence"] = cause["evidence"][:3] if cause["rank"] <= 3 else []


def _first(name: str, count: int = _KEPT) -> Callable[[dict[str, Any]], None]:
    def shorten(data: dict[str, Any]) -> None:
        data[name] = data[name][:count]

    return shorten


_SHORTER: Final[tuple[tuple[str, Callable[[dict[str, Any]], None]], ...]] = (
    ("triggers.samples", _drop_trigger_samples),
    ("root_causes.evidence", _drop_evidence),
    ("blast_radius", _first("blast_radius", 100)),
    ("path", _first("path", 100)),
    ("triggers", _first("triggers")),
    ("root_causes", _first("root_causes")),
    ("action_plan", _first("action_plan")),
)
