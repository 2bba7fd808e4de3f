"""Models of a running job are changed with the command: on a Flink cluster, with a broker, two subtasks.

One broker, one cluster and one job serve all tests here; they run in order. Each incident is of a graph of
its own, so that its first event tells who ranked it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from faultline import exits
from onnx_models.bundle import MANIFEST, MODEL, Bundle
from records.cloudevents import read_cloudevent
from records.incidents import IncidentEvent
from records.shares import covers
from tests.jobs.bundles import WIDTH, bundle
from tests.kit.cluster import Cluster
from tests.kit.kafka import Broker
from tests.kit.store import Store
from tests.kit.topics import Got, consume, producer_of

pytestmark = pytest.mark.e2e

T0 = 1_767_225_600_000
TICK_MS = 10_000
SUBTASKS = 2
SLOW_MS = 2_000
"""What a golden snapshot may take: a hundred times what the quick bundles here need."""
RULE = ("--promote-after", "3", "--agreement", "1", "--latency", "60000", "--share", "1")
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
    store: Store
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

    def refused(self, folder: Path, *options: str) -> str:
        """Publishes a bundle that the job refuses; the reason, as both subtasks tell the audit."""
        done = self.model("publish", str(folder), *options, "--json")
        assert done.returncode == exits.FINDINGS, done.stderr + done.stdout
        answers = json.loads(done.stdout)["answers"]
        assert {each["state"] for each in answers} == {"refused"}
        told = self.answered(answers[0]["request"])
        assert {each["reason"] for each in told} == {answers[0]["reason"]}
        return str(answers[0]["reason"])

    def scrape(self, graphs: Iterable[str], *values: float) -> None:
        """A sample of each node for each value, one tick apart."""
        producer = producer_of(self.broker.bootstrap)
        for value in values:
            time = T0 + self.sent * TICK_MS
            self.sent += 1
            for graph, (place, node) in product(graphs, enumerate(NODES)):
                sample = {"graph": graph, "node": node, "metric": "queue", "value": value, "time": time}
                text = json.dumps({**sample, "signal": "saturation"}).encode()
                producer.send("samples", value=text, partition=place % SUBTASKS, timestamp_ms=time)
        producer.flush(900)
        producer.close()

    def begin(self, *graphs: str) -> None:
        """An incident of each graph, all at once."""
        self.scrape(graphs, 1.0, 200.0, 200.0, 1.0, 1.0, 1.0)

    def scored_by(self, model: str, graph: str) -> None:
        """Waits until a bundle has scored for a graph: after a restart it is loaded in the background."""

        def those(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
            return [line for line in lines if (line["graph"], line["model"]) == (graph, model)]

        self.audit("scored", those, 1)

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

    def answered(self, request: str) -> list[dict[str, Any]]:
        """The answers of both subtasks on the audit."""
        of_it = lambda lines: [each for each in lines if each["request"] == request]  # noqa: E731
        return self.audit("model_ack", of_it, SUBTASKS)

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
            "score": {
                "timeout_ms": 60_000,
                "call_timeout_ms": 60_000,
                "breaker": {"slow_ms": SLOW_MS},
                "rollback": {"errors": 0.1},
            },
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
    with (
        Broker(folder / "kafka", partitions=SUBTASKS) as broker,
        Cluster(folder / "flink") as cluster,
        Store(folder) as store,
    ):
        parts = Running(folder, broker, cluster, store, bundle(folder / "first"))
        parts.submit()
        yield parts


def test_events_name_the_bundle_that_was_published(running: Running) -> None:
    assert version_of(running.incident("before")) == "1"
    second = bundle(running.folder / "second", version=2, factor=2.0)
    answers = running.changed("publish", str(second.path), "--at", running.store.s3("second/loudest-2"))
    assert f"second/loudest-2/{MODEL}" in running.store.asked
    assert {(each["job"], each["live"], each["candidate"]) for each in answers} == {
        ("live", "loudest-2", None)
    }
    event = running.incident("after")
    assert event.model is not None
    assert (event.method, event.model.version, event.model.sha256) == ("model", "2", second.manifest.sha256)


def test_what_is_wrong_is_refused_by_the_workers_and_the_old_one_serves_on(running: Running) -> None:
    cut = bundle(running.folder / "cut", version=3)
    (cut.path / MODEL).write_bytes(cut.model_file.read_bytes()[:-1])
    url = running.store.http("cut/loudest-3")
    assert f"{url}/{MODEL} has SHA-256" in running.refused(cut.path, "--at", url)
    turned = bundle(running.folder / "turned", version=3)
    manifest = json.loads((turned.path / MANIFEST).read_text())
    manifest["signals"].reverse()
    (turned.path / MANIFEST).write_text(json.dumps(manifest))
    assert "signals is" in running.refused(turned.path)
    assert "by inf" in running.refused(bundle(running.folder / "nan", version=3, fault="breaks").path)
    slow = bundle(running.folder / "slow", version=3, fault="is slow", width=2 * WIDTH)
    assert f"ms for a golden snapshot, more than {SLOW_MS} ms" in running.refused(slow.path)
    assert version_of(running.incident("still")) == "2"
    assert [(row["model"], row["state"]) for row in running.status()] == [("loudest-2", "live")]


def test_a_canary_is_compared_and_promoted_and_a_swap_loses_no_event(running: Running) -> None:
    bundle(running.folder / "third", version=3, factor=2.5)
    third = running.store.http("third/loudest-3")
    answers = running.changed("publish", third, "--stage", "canary", "--share", "0.5")
    assert {(each["candidate"], each["share"]) for each in answers} == {("loudest-3", 0.5)}
    graphs = [f"canary-{number}" for number in range(6)]
    running.begin(*graphs)
    inside = {graph for graph in graphs if covers("loudest", graph, 0.5)}
    assert 0 < len(inside) < len(graphs)
    ranked = running.opened(*graphs)
    assert {graph: version_of(event) for graph, event in ranked.items()} == {
        graph: "3" if graph in inside else "2" for graph in graphs
    }
    # A comparison that takes long is told with the worker's next answer.
    compared = running.audit("model_compared", lambda lines: lines, 1)
    assert {(line["model"], line["live"], line["graph"] in inside) for line in compared} == {
        ("loudest-3", "loudest-2", True)
    }
    swapped = [f"swap-{number}" for number in range(24)]
    for part in range(0, 24, 4):
        running.begin(*swapped[part : part + 4])
        if part == 8:
            running.changed("publish", third)
    assert {version_of(event) for event in running.opened(*swapped).values()} == {"2", "3"}
    assert version_of(running.incident("promoted")) == "3"


def test_one_that_breaks_on_real_data_is_taken_back_by_the_job(running: Running) -> None:
    broken = bundle(running.folder / "broken", version=4, fault="breaks", always=False)
    running.changed("publish", str(broken.path))
    event = running.incident("broken")
    assert (event.method, version_of(event)) == ("model", "3")
    (line, *_) = running.audit("model_rollback", lambda lines: lines, 1)
    assert (line["model"], line["stage"]) == ("loudest-4", "full")
    assert "nonfinite_score" in line["reason"]
    taken = running.answered(f"{line['request']}-rollback-{broken.manifest.sha256[-12:]}")
    assert {(each["state"], each["live"]) for each in taken} == {("live", "loudest-3")}
    (row,) = running.status()
    assert (row["model"], row["reason"]) == ("loudest-3", line["reason"])


def test_what_serves_survives_a_lost_machine_and_a_savepoint(running: Running) -> None:
    running.cluster.kill_taskmanager()
    running.cluster.add_taskmanager()
    running.begin("lost")
    assert running.opened("lost")["lost"].method == "model"
    running.scored_by("loudest-3", "lost")
    stopped = running.cluster.faultline("job", "stop", "--flink", running.cluster.address)
    assert stopped.returncode == exits.OK, stopped.stderr
    running.submit("--from-savepoint", stopped.stdout.strip().splitlines()[-1])
    running.begin("restored")
    running.scored_by("loudest-3", "restored")
    assert [row["model"] for row in running.status()] == ["loudest-3"]


def test_the_command_takes_back_the_live_one(running: Running) -> None:
    running.changed("rollback")
    running.begin("back")
    running.scored_by("loudest-1", "back")
    nothing = running.model("rollback")
    assert nothing.returncode == exits.USAGE, nothing.stderr
    assert "nothing to take back" in nothing.stderr


def test_a_rule_takes_a_bundle_from_shadow_to_full(running: Running) -> None:
    ruled = bundle(running.folder / "ruled", version=5, factor=1.5)
    answers = running.changed("publish", str(ruled.path), "--stage", "shadow", *RULE)
    assert {(each["candidate"], each["stage"]) for each in answers} == {("loudest-5", "shadow")}
    request = answers[0]["request"]
    for was, stage in (("shadow", "canary"), ("canary", "full")):
        # Of a dozen graphs one worker has more than the rule asks for, and the next answer after it tells.
        for number in range(12):
            running.begin(f"by-{was}-{number}")
        promotions = lambda lines, stage=stage: [each for each in lines if each["stage"] == stage]  # noqa: E731
        (line, *_) = running.audit("model_promotion", promotions, 1)
        assert (line["model"], line["was"], line["request"]) == ("loudest-5", was, request)
        assert (line["scores"], line["agreement"], line["errors"]) == (3, 1.0, 0.0)
        request = f"{request}-promoted"
        assert {each["state"] for each in running.answered(request)} == {"live"}
    (row,) = running.status()
    assert (row["model"], row["stage"], row["state"]) == ("loudest-5", "full", "live")
    assert row["reason"].startswith("promoted: 100% of 3 scores agree")
    running.begin("ruled")
    running.scored_by("loudest-5", "ruled")
