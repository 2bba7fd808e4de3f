"""Models of a running job are changed with the command: on a Flink cluster, with a broker, two subtasks.

One broker, one cluster and one job serve all tests here; they run in order. Each incident is of a graph of
its own, so that its first event tells who ranked it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from kafka import KafkaProducer

from faultline import exits
from onnx_models.bundle import Bundle
from records.cloudevents import read_cloudevent
from records.incidents import IncidentEvent
from tests.jobs.bundles import bundle
from tests.kit.cluster import Cluster
from tests.kit.kafka import Broker
from tests.kit.topics import Got, consume

pytestmark = pytest.mark.e2e

T0 = 1_767_225_600_000
TICK_MS = 10_000
SUBTASKS = 2
NODES = ("cart", "web")
PATTERN = {
    "id": "long-queue",
    "version": 1,
    "key": "node",
    "maturity": "production",
    "severity": "critical",
    "steps": [{"name": "long", "where": 'metric == "queue" and value > 100'}],
}


@dataclass
class Running:
    """The parts while the job runs; `sent`: ticks so far."""

    folder: Path
    broker: Broker
    cluster: Cluster
    first: Bundle
    sent: int = field(default=0)

    def model(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """`faultline model ... --bootstrap ...`, with patience."""
        patience = [] if arguments[0] == "status" else ["--timeout", "600"]
        return self.cluster.faultline("model", *arguments, "--bootstrap", self.broker.bootstrap, *patience)

    def changed(self, *arguments: str) -> list[dict[str, Any]]:
        """The answers of the job to a change that it takes."""
        done = self.model(*arguments, "--json")
        assert done.returncode == exits.OK, done.stderr + done.stdout
        answers = list(json.loads(done.stdout)["answers"])
        assert [(each["subtask"], each["state"]) for each in answers] == [(0, "live"), (1, "live")]
        return answers

    def refused(self, folder: Path) -> str:
        """Publishes a bundle that the job refuses; the reason, as both subtasks tell the audit."""
        done = self.model("publish", str(folder), "--json")
        assert done.returncode == exits.FINDINGS, done.stderr + done.stdout
        answers = json.loads(done.stdout)["answers"]
        assert {each["state"] for each in answers} == {"refused"}
        told = self.audit(
            "model_ack", lambda lines: [each for each in lines if each["request"] == answers[0]["request"]], 2
        )
        assert {each["reason"] for each in told} == {answers[0]["reason"]}
        return str(answers[0]["reason"])

    def scrape(self, graph: str, *values: float) -> None:
        """A sample of each node for each value, one tick apart."""
        producer = KafkaProducer(bootstrap_servers=self.broker.bootstrap)
        for value in values:
            time = T0 + self.sent * TICK_MS
            self.sent += 1
            for place, node in enumerate(NODES):
                sample = {"graph": graph, "node": node, "metric": "queue", "value": value, "time": time}
                text = json.dumps({**sample, "signal": "saturation"}).encode()
                producer.send("samples", value=text, partition=place % SUBTASKS, timestamp_ms=time)
        producer.flush(900)
        producer.close()

    def begin(self, graph: str) -> None:
        """An incident of a graph."""
        self.scrape(graph, 1.0, 200.0, 1.0, 1.0)

    def opened(self, *graphs: str) -> dict[str, IncidentEvent]:
        """The first event of each of the graphs, once all have one."""

        def of(got: list[Got]) -> dict[str, IncidentEvent]:
            events = [read_cloudevent(each.value or b"", each.headers) for each in got]
            return {each.graph: each for each in events if each.status == "opened" and each.graph in graphs}

        found = of(
            consume(self.broker.bootstrap, "faultline.incidents.v1", lambda got: len(of(got)) == len(graphs))
        )
        assert sorted(found) == sorted(graphs)
        return found

    def incident(self, graph: str) -> IncidentEvent:
        """Begins an incident and gives its first event."""
        self.begin(graph)
        return self.opened(graph)[graph]

    def audit(self, kind: str, those: Any, count: int) -> list[dict[str, Any]]:
        """The lines of the audit of a type that `those` picks, once there are so many."""

        def of(got: list[Got]) -> list[dict[str, Any]]:
            lines = [json.loads(each.value or b"{}") for each in got]
            return list(those([line for line in lines if line["type"] == kind]))

        found = of(consume(self.broker.bootstrap, "faultline.audit.v1", lambda got: len(of(got)) >= count))
        assert len(found) >= count
        return found

    def submit(self, *options: str) -> None:
        kafka = {"bootstrap_servers": self.broker.bootstrap}
        pattern = self.folder / "long-queue.yaml"
        pattern.write_text(yaml.safe_dump(PATTERN), encoding="utf-8")
        config = {
            "name": "live",
            "sources": [
                {"type": "kafka", **kafka, "topic": "samples", "format": "native", "start": "earliest"}
            ],
            "sinks": {"kafka": kafka},
            "patterns": [str(pattern)],
            "model": str(self.first.path),
            "tick": "10s",
            "out_of_orderness": "0s",
            "idle_after": "1h",
            "parallelism": SUBTASKS,
            "checkpoint": {"interval": "500ms"},
            "score": {"timeout_ms": 60_000, "rollback": {"errors": 0.1}},
        }
        file = self.folder / "job.yaml"
        file.write_text(yaml.safe_dump(config), encoding="utf-8")
        given = ["--config", str(file), "--flink", self.cluster.address, *options]
        submitted = self.cluster.faultline("job", "submit", *given)
        assert submitted.returncode == exits.OK, submitted.stderr + submitted.stdout

    def status(self) -> list[dict[str, Any]]:
        done = self.model("status", "--json")
        assert done.returncode == exits.OK, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


def version_of(event: IncidentEvent) -> str | None:
    return None if event.model is None else event.model.version


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("live")
    with Broker(folder / "kafka", partitions=SUBTASKS) as broker, Cluster(folder / "flink") as cluster:
        parts = Running(folder, broker, cluster, bundle(folder / "first"))
        parts.submit()
        yield parts


def test_events_name_the_bundle_that_was_published(running: Running) -> None:
    assert version_of(running.incident("before")) == "1"
    second = bundle(running.folder / "second", version=2, factor=2.0)
    answers = running.changed("publish", str(second.path))
    assert {(each["job"], each["live"], each["candidate"]) for each in answers} == {
        ("live", "loudest-2", None)
    }
    event = running.incident("after")
    assert event.model is not None
    assert (event.method, event.model.version, event.model.sha256) == ("model", "2", second.manifest.sha256)
