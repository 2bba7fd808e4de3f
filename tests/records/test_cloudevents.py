"""Incident events as CloudEvents: both modes, what is no attribute, strict JSON, replay, size."""

from __future__ import annotations

import math
import re
from typing import Any

import orjson
import pytest
from cloudevents.core.formats.json import JSONFormat

from records.cloudevents import MAX_BYTES, KafkaMessage, read_cloudevent, to_cloudevent, to_structured
from records.errors import EventError
from records.incidents import Evidence, IncidentEvent, ModelRef, PathEdge, RootCause, Trigger, TriggerSample

TRACE = "5b8efff798038103d269b633813fc60c"


def event(**more: Any) -> IncidentEvent:
    fields: dict[str, Any] = {
        "graph": "shop",
        "incident_id": "inc-7c1f0e",
        "revision": 3,
        "status": "updated",
        "onset": 1_767_226_140_000,
        "detected_at": 1_767_226_180_000,
        "time": 1_767_226_200_000,
        "method": "model",
        "confidence_score": 0.82,
        "trace_id": TRACE,
        "model": ModelRef(name="rca", version="1.4.0", sha256="00", provider="CPUExecutionProvider"),
        "root_causes": [
            RootCause(rank=1, node="cart", signal="latency", score=0.82),
            RootCause(rank=2, node="frontend", signal="latency", score=0.11),
            RootCause(rank=3, node="orders", signal="errors", score=math.nan),
        ],
    }
    return IncidentEvent(**{**fields, **more})


def strict(text: bytes) -> Any:
    """orjson refuses NaN and Infinity, as the receivers do."""
    return orjson.loads(text)


def test_binary_mode() -> None:
    message = to_cloudevent(event(), source="/faultline/shop", sequence=5)
    assert message.key == b"inc-7c1f0e"
    assert message.headers["content-type"] == "application/json"
    assert message.headers["ce_specversion"] == "1.0"
    assert message.headers["ce_sequence"] == "5"
    assert message.headers["ce_id"] == "inc-7c1f0e:3"
    assert message.headers["ce_type"] == "io.faultline.incident.v1"
    assert message.headers["ce_time"] == "2026-01-01T00:10:00Z"
    assert message.headers["ce_subject"] == "shop/cart"
    assert all(isinstance(value, str) for value in message.headers.values())
    data = strict(message.value)
    assert [cause["score"] for cause in data["root_causes"]] == [0.82, 0.11, None]


def test_structured_mode() -> None:
    message = to_structured(event(), sequence=5)
    assert message.headers == {"content-type": "application/cloudevents+json"}
    body = strict(message.value)
    required = {"id", "source", "type", "specversion", "time", "subject", "datacontenttype", "dataschema"}
    assert required <= set(body)
    attributes = set(body) - {"data"}
    assert all(re.fullmatch("[a-z0-9]{1,20}", name) for name in attributes), attributes
    assert not attributes & {"confidence_score", "model_version", "input_hash", "incident_id", "trace_id"}
    assert body["data"]["confidence_score"] == 0.82
    assert body["data"]["model"]["version"] == "1.4.0"
    assert body["data"]["trace_id"] == TRACE


def test_the_sdk_reads_the_structured_event() -> None:
    read = JSONFormat().read(None, to_structured(event()).value)
    assert read.get_id() == "inc-7c1f0e:3"
    data: Any = read.get_data()
    assert data["root_causes"][0]["node"] == "cart"


@pytest.mark.parametrize("write", [to_cloudevent, to_structured])
def test_emitting_twice_gives_the_same_bytes(write: Any) -> None:
    first, second = write(event()), write(event())
    assert first == second
    assert first.value == second.value


@pytest.mark.parametrize("write", [to_cloudevent, to_structured])
def test_what_is_written_is_read_back(write: Any) -> None:
    message: KafkaMessage = write(event())
    assert read_cloudevent(message.value, message.headers) == event()


def test_without_trace_and_cause_the_attributes_are_absent() -> None:
    message = to_cloudevent(event(trace_id=None, root_causes=[]))
    assert "ce_traceparent" not in message.headers
    assert "ce_causationid" not in message.headers
    assert message.headers["ce_subject"] == "shop"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_number_that_is_not_finite_leaves(value: float) -> None:
    made = event(
        confidence_score=value,
        latency_ms=value,
        root_causes=[
            RootCause(
                rank=1,
                node="a",
                score=value,
                evidence=[Evidence(kind="deviation", text="", value=value, baseline=value, z=value)],
            )
        ],
        path=[PathEdge(source="a", target="b", weight=value)],
        triggers=[
            Trigger(pattern="p", version=1, node="a", time=1, samples=[TriggerSample(time=1, value=value)])
        ],
    )
    assert made.confidence_score is None
    assert b"NaN" not in to_cloudevent(made).value
    strict(to_structured(made).value)


def big(name: str = "node") -> IncidentEvent:
    nodes = [f"{name}-{number}" for number in range(2_000)]
    evidence = [Evidence(kind="deviation", text="x" * 200)] * 10
    causes = [RootCause(rank=n, node=node, score=0.1, evidence=evidence) for n, node in enumerate(nodes, 1)]
    samples = [TriggerSample(time=n) for n in range(1_000)]
    trigger = Trigger(pattern="p", version=1, node="a", time=1, samples=samples)
    return event(root_causes=causes, blast_radius=nodes, triggers=[trigger] * 20)


def test_an_event_too_long_is_shortened_and_says_so() -> None:
    message = to_structured(big())
    assert len(message.value) <= MAX_BYTES
    data = strict(message.value)["data"]
    assert data["truncated"][0] == "triggers.samples"
    assert "root_causes" in data["truncated"]
    assert data["root_causes"][0]["node"] == "node-0"
    assert len(data["root_causes"][0]["evidence"]) == 3


def test_an_event_that_fits_is_not_shortened() -> None:
    assert strict(to_cloudevent(event()).value)["truncated"] == []


def test_an_event_that_cannot_be_shortened_is_an_error() -> None:
    with pytest.raises(EventError, match="do not fit"):
        to_cloudevent(big("n" * 10_000))


@pytest.mark.parametrize(
    ("value", "headers"),
    [
        (b"{", {}),
        (b"[]", {"content-type": "application/cloudevents+json"}),
        (b"{}", {"ce_type": "other"}),
        (b'{"graph": 1}', {"ce_type": "io.faultline.incident.v1"}),
    ],
)
def test_what_is_no_incident_event_is_refused(value: bytes, headers: dict[str, str]) -> None:
    with pytest.raises(EventError):
        read_cloudevent(value, headers)
