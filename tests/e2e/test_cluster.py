"""The whole way with real parts: OTLP into Kafka, the job on a Flink cluster, root-cause events out of Kafka.

One broker, one cluster and one job serve all tests here; they run in order. A corrupt record lies in
the topic before the incident begins, so every later event shows that the job lived on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from gnn.simulator import incident_recording
from records.cloudevents import read_cloudevent
from records.incidents import IncidentEvent
from records.recordings import Recording
from tests.kit.cluster import Cluster
from tests.kit.kafka import Broker
from tests.kit.otlp import requests
from tests.kit.topics import Got, consume, produce

pytestmark = pytest.mark.e2e

CORRUPT = b"\x0a\xff\xff\xff\xff\x0fno protobuf at all \x00\xfe"
INPUT = "otlp_metrics"


@dataclass(frozen=True)
class Running:
    """The parts while the job runs."""

    broker: Broker
    cluster: Cluster
    recording: Recording

    def events(self) -> list[IncidentEvent]:
        """The incident events until the first incident is resolved."""
        got = consume(
            self.broker.bootstrap,
            "faultline.incidents.v1",
            lambda got: any(_event(record).status == "resolved" for record in got),
        )
        return [_event(record) for record in got]


def _event(record: Got) -> IncidentEvent:
    return read_cloudevent(record.value or b"", record.headers)


def payloads(recording: Recording) -> Iterator[tuple[int, bytes]]:
    """The recording as OTLP, with a corrupt record among its healthy first scrapes."""
    for number, (time_ms, payload) in enumerate(requests(recording)):
        if number == 10:
            yield time_ms, CORRUPT
        yield time_ms, payload


def write_config(folder: Path, bootstrap: str, interval_ms: int) -> Path:
    """A job that reads the topic from its beginning, with rules for what the shipped ones do not name."""
    rules = [{"metric": f"request_{signal}", "signal": signal} for signal in ("latency", "errors")]
    (folder / "rules.yaml").write_text(yaml.safe_dump(rules), encoding="utf-8")
    config = {
        "name": "e2e",
        "sources": [
            {
                "type": "kafka",
                "bootstrap_servers": bootstrap,
                "topic": INPUT,
                "format": "otlp_proto",
                "start": "earliest",
            }
        ],
        "sinks": {"kafka": {"bootstrap_servers": bootstrap}},
        "tick": f"{interval_ms}ms",
        "rules": "rules.yaml",
        "checkpoint": {"interval": "2s"},
        "score": {"timeout_ms": 30_000, "call_timeout_ms": 30_000},
    }
    file = folder / "job.yaml"
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The topic is filled, then the job is submitted."""
    folder = tmp_path_factory.mktemp("e2e")
    recording = incident_recording(folder / "recording", seed=12, nodes=8)
    with Broker(folder / "kafka") as broker, Cluster(folder / "flink") as cluster:
        config = write_config(folder, broker.bootstrap, recording.meta.interval)
        produce(broker.bootstrap, INPUT, payloads(recording))
        parts = Running(broker, cluster, recording)
        submitted = cluster.faultline("job", "submit", "--config", str(config), "--flink", cluster.address)
        assert submitted.returncode == 0, submitted.stderr + submitted.stdout
        yield parts


def test_the_event_names_the_injected_node(running: Running) -> None:
    (fault,) = running.recording.faults()
    events = running.events()
    assert events
    assert {event.graph for event in events} == {running.recording.meta.graph}
    assert fault.start <= events[0].onset <= fault.end
    assert [event.revision for event in events] == list(range(1, len(events) + 1))
    assert [events[0].status, events[-1].status] == ["opened", "resolved"]
    assert {event.root_causes[0].node for event in events} == {fault.node}
    assert {event.method for event in events} == {"model"}


def test_the_corrupt_record_is_a_dead_letter_byte_for_byte(running: Running) -> None:
    (letter,) = consume(running.broker.bootstrap, "faultline.dead-letters.v1", lambda got: len(got) >= 1)
    assert letter.value == CORRUPT
    assert letter.headers["faultline.error.reason"] == "malformed"


def test_an_incident_judged_false_is_retracted_by_the_job(running: Running) -> None:
    incident = running.events()[0].incident_id
    servers = ["--bootstrap-servers", running.broker.bootstrap]
    judged = running.cluster.faultline("events", "feedback", incident, "--verdict", "false", *servers)
    assert judged.returncode == 0, judged.stderr
    got = consume(
        running.broker.bootstrap,
        "faultline.incidents.v1",
        lambda got: any(_event(record).status == "retracted" for record in got),
    )
    last = _event(got[-1])
    assert (last.id, last.resolution) == (f"{incident}:retracted", "judged_false")
    assert (got[-1].key, got[-1].headers["ce_id"]) == (incident.encode(), last.id)


def test_the_job_lives_on_and_stops_when_told(running: Running) -> None:
    status = running.cluster.faultline("job", "status", "--flink", running.cluster.address, "--json")
    assert status.returncode == 0, status.stderr
    assert json.loads(status.stdout.splitlines()[0])["state"] == "RUNNING"
    stopped = running.cluster.faultline("job", "stop", "--flink", running.cluster.address)
    assert stopped.returncode == 0, stopped.stderr
    jobs = running.cluster.rest("/jobs/overview")["jobs"]
    assert [(job["name"], job["state"]) for job in jobs] == [("e2e", "FINISHED")]
