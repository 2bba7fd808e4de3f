"""Payloads of receivers: golden files, what identifies an incident, what ends one, what the APIs allow."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import orjson
import pytest
from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from records.incidents import IncidentEvent, RootCause
from records.receivers.alertmanager import alerts, labels
from records.receivers.otel_log import logs
from records.receivers.pagerduty import MAX_KEY, MAX_SUMMARY, enqueued
from tests.faultline.run_folder_kit import event

GOLDEN = Path(__file__).with_name("golden") / "receivers_v1"
HOUR = 3_600_000
PAYLOADS: dict[str, Any] = {
    "alertmanager_opened": lambda: alerts(event(1), None, expires_ms=HOUR, link="https://flink.example/"),
    "alertmanager_changed": lambda: alerts(moved(), event(1), expires_ms=HOUR),
    "alertmanager_resolved": lambda: alerts(event(3), event(1), expires_ms=HOUR),
    "pagerduty_opened": lambda: enqueued(event(1), routing_key="k" * 32, link="https://flink.example/"),
    "pagerduty_resolved": lambda: enqueued(event(3), routing_key="k" * 32),
    "otlp_opened": lambda: logs(event(1)),
    "otlp_resolved": lambda: logs(event(3)),
}


def moved() -> IncidentEvent:
    """Revision 2, whose first cause is another."""
    return event(2, root_causes=[RootCause(rank=1, node="redis", signal="memory", score=0.9)])


@pytest.mark.parametrize("name", PAYLOADS)
def test_payloads_are_what_they_were(name: str) -> None:
    made = orjson.dumps(PAYLOADS[name](), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    file = GOLDEN / f"{name}.json"
    if os.environ.get("FAULTLINE_WRITE_GOLDEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(made)
    assert made == file.read_bytes()


def test_an_alert_keeps_its_labels_while_the_answer_stands() -> None:
    first, second = (alerts(event(n), None, expires_ms=HOUR) for n in (1, 2))
    assert first[0]["labels"] == second[0]["labels"]
    assert len(alerts(event(2), event(1), expires_ms=HOUR)) == 1


def test_an_alert_whose_labels_change_ends_the_one_before() -> None:
    new, old = alerts(moved(), event(1), expires_ms=HOUR)
    assert (new["labels"]["node"], old["labels"]) == ("redis", labels(event(1)))
    assert old["endsAt"] == "2026-01-01T01:05:00.000Z" < new["endsAt"]


def test_the_end_is_told_of_the_alert_that_was_told() -> None:
    (ended,) = alerts(event(3, root_causes=[]), moved(), expires_ms=HOUR)
    assert ended["labels"] == labels(moved())
    assert ended["startsAt"] < ended["endsAt"] == "2026-01-01T01:18:00.000Z"


def test_no_alert_ends_before_it_starts() -> None:
    (ended,) = alerts(event(3, onset=event(3).time), None, expires_ms=HOUR)
    assert ended["startsAt"] < ended["endsAt"]


def test_what_an_update_replaces_is_known_by_its_key() -> None:
    keys = {enqueued(event(n), routing_key="k")["dedup_key"] for n in (1, 2, 3)}
    assert keys == {event(1).incident_id}
    actions = [enqueued(event(n), routing_key="k")["event_action"] for n in (1, 2, 3)]
    assert actions == ["trigger", "trigger", "resolve"]


def test_long_names_fit_into_what_pagerduty_takes() -> None:
    long = event(1, incident_id="i" * 400, graph="g" * 3_000)
    body = enqueued(long, routing_key="k")
    other = enqueued(event(1, incident_id="i" * 401), routing_key="k")
    assert len(body["payload"]["summary"]) == MAX_SUMMARY
    assert len(body["dedup_key"]) <= MAX_KEY
    assert body["dedup_key"] != other["dedup_key"]


def test_a_collector_reads_the_log_record() -> None:
    request = Parse(  # type: ignore[no-untyped-call]
        orjson.dumps(logs(event(1))), ExportLogsServiceRequest()
    )
    (record,) = request.resource_logs[0].scope_logs[0].log_records
    told = {each.key: each.value for each in record.attributes}
    assert record.event_name == "faultline.incident"
    assert record.time_unix_nano == event(1).time * 1_000_000
    assert told["faultline.incident_id"].string_value == event(1).incident_id
    assert told["faultline.revision"].int_value == 1
    assert told["faultline.confidence_score"].double_value == 0.87
    assert len(told["faultline.blast_radius"].array_value.values) == 2


@pytest.mark.parametrize("value", [math.nan, math.inf, None])
def test_no_number_that_is_not_finite_leaves(value: float | None) -> None:
    bare = event(1, confidence_score=value, root_causes=[RootCause(rank=1, node="a", score=value)])
    for body in (alerts(bare, None, expires_ms=HOUR), enqueued(bare, routing_key="k"), logs(bare)):
        text = json.dumps(body, allow_nan=False)
        assert '"doubleValue": null' not in text


def test_an_incident_without_a_cause_is_told_all_the_same() -> None:
    bare = event(1, root_causes=[], action_plan=[], triggers=[], model=None, trace_id=None)
    assert "node" not in alerts(bare, None, expires_ms=HOUR)[0]["labels"]
    assert enqueued(bare, routing_key="k")["payload"]["source"] == "shop"
    assert "traceId" not in logs(bare)["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]
