"""Patterns of a running job are changed with the command: on a Flink cluster, with a broker, two subtasks.

One broker, one cluster and one job serve all tests here; they run in order. Event time goes on only where a
test sends samples, so what has not matched by the time a later sample did will not match.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from faultline import exits
from faultline.kafka import values_since
from tests.kit.cluster import Cluster
from tests.kit.kafka import Broker
from tests.kit.topics import Got, consume, produce, producer_of

pytestmark = pytest.mark.e2e

T0 = 1_767_225_600_000
SCRAPE_MS = 10_000
PARTITIONS = 2
"""Of the samples, one for each subtask of the source, so that none is idle."""
NODES = tuple(f"node-{number}" for number in range(6))
MATCHES, AUDIT, CONTROL = (f"faultline.{topic}.v1" for topic in ("matches", "audit", "control"))


def pattern(name: str, version: int, above: float, **more: Any) -> dict[str, Any]:
    """A pattern of one step: a queue longer than that."""
    step = {"name": "long", "where": f'metric == "queue" and value > {above}'}
    return {"id": name, "version": version, "key": "node", "steps": [step], **more}


@dataclass
class Running:
    """The parts while the job runs; `sent`: scrapes so far."""

    folder: Path
    broker: Broker
    cluster: Cluster
    sent: int = field(default=0)

    def pattern(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """`faultline pattern ... --bootstrap ...`, with patience."""
        patience = [] if arguments[0] == "status" else ["--timeout", "600"]
        return self.cluster.faultline("pattern", *arguments, "--bootstrap", self.broker.bootstrap, *patience)

    def file(self, name: str, *documents: dict[str, Any]) -> str:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.safe_dump(list(documents)), encoding="utf-8")
        return str(file)

    def publish(self, document: dict[str, Any], *options: str) -> list[dict[str, Any]]:
        """Publishes a pattern; the answers."""
        done = self.pattern("publish", self.file("one.yaml", document), "--json", *options)
        assert done.returncode == exits.OK, done.stderr + done.stdout
        return list(json.loads(done.stdout)["answers"])

    def scrape(self, *values: float) -> None:
        """A sample of each node for each value, and a quiet one that completes them."""
        producer = producer_of(self.broker.bootstrap)
        for value in (*values, 1.0):
            at = T0 + self.sent * SCRAPE_MS
            self.sent += 1
            for place, node in enumerate(NODES):
                sample = {"graph": "shop", "node": node, "metric": "queue", "value": value, "time": at}
                text = json.dumps({**sample, "signal": "saturation"}).encode()
                producer.send("samples", value=text, partition=place % PARTITIONS, timestamp_ms=at)
        producer.flush(900)
        producer.close()

    def matched(self, name: str, version: int, count: int) -> list[dict[str, Any]]:
        """The matches of a version, once there are so many that differ."""

        def of(got: list[Got]) -> list[dict[str, Any]]:
            return _of_version((each.value or b"{}" for each in got), name, version)

        return of(consume(self.broker.bootstrap, MATCHES, lambda got: len(differing(of(got))) >= count))

    def matched_so_far(self, name: str, version: int) -> list[dict[str, Any]]:
        """The matches of a version that the topic holds now."""
        return _of_version(values_since(self.broker.bootstrap, MATCHES, 0), name, version)

    def submit(self, patterns: str, *options: str) -> None:
        config = {
            "name": "live",
            "sources": [
                {
                    "type": "kafka",
                    "bootstrap_servers": self.broker.bootstrap,
                    "topic": "samples",
                    "format": "native",
                    "start": "earliest",
                }
            ],
            "sinks": {"kafka": {"bootstrap_servers": self.broker.bootstrap}},
            "patterns": [patterns],
            "tick": "60s",
            "out_of_orderness": "0s",
            "idle_after": "1h",
            "parallelism": PARTITIONS,
            "checkpoint": {"interval": "500ms"},
        }
        file = self.folder / "job.yaml"
        file.write_text(yaml.safe_dump(config), encoding="utf-8")
        given = ["--config", str(file), "--flink", self.cluster.address, *options]
        submitted = self.cluster.faultline("job", "submit", *given)
        assert submitted.returncode == exits.OK, submitted.stderr + submitted.stdout

    def status(self) -> dict[str, dict[str, Any]]:
        done = self.pattern("status", "--json")
        assert done.returncode == exits.OK, done.stderr
        return {row["pattern"]: row for row in map(json.loads, done.stdout.splitlines())}

    def live(self, wanted: dict[str, str], timeout_s: float = 300.0) -> dict[str, str]:
        """Where each live pattern is from, once as wanted or time is up: answers and matches go apart."""
        end = time.monotonic() + timeout_s
        while True:
            found = {name: row["from"] for name, row in self.status().items() if row["state"] == "live"}
            if found == wanted or time.monotonic() > end:
                return found


def _of_version(values: Iterable[bytes], name: str, version: int) -> list[dict[str, Any]]:
    read = map(json.loads, values)
    return [each for each in read if (each["pattern"], each["version"]) == (name, version)]


def differing(matches: Iterable[dict[str, Any]]) -> set[tuple[str, int]]:
    """Node and time of each match: the sink writes some again when a machine was lost."""
    return {(each["node"], each["time"]) for each in matches}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("live")
    with Broker(folder / "kafka", partitions=PARTITIONS) as broker, Cluster(folder / "flink") as cluster:
        parts = Running(folder, broker, cluster)
        parts.scrape(1.0)
        parts.submit(parts.file("first/base.yaml", pattern("base", 1, 1_000)))
        yield parts


def test_a_published_pattern_is_live_in_every_subtask_and_matches(running: Running) -> None:
    answers = running.publish(pattern("long-queue", 1, 100))
    assert [(each["subtask"], each["subtasks"], each["state"]) for each in answers] == [
        (0, 2, "live"),
        (1, 2, "live"),
    ]
    assert {(each["job"], each["operator"]) for each in answers} == {("live", "node")}
    running.scrape(200.0)
    matches = running.matched("long-queue", 1, len(NODES))
    assert sorted(each["node"] for each in matches) == sorted(NODES)
    assert "dry_run" not in matches[0]


def test_status_names_what_the_configuration_and_the_topic_say(running: Running) -> None:
    rows = running.status()
    assert {name: (row["version"], row["state"], row["from"]) for name, row in rows.items()} == {
        "base": (1, "live", "configuration"),
        "long-queue": (1, "live", "control"),
    }
    assert rows["long-queue"]["answered"] == 2


def test_a_new_version_takes_the_place_of_the_old_one(running: Running) -> None:
    running.publish(pattern("long-queue", 2, 500), "--in-flight", "drop")
    running.scrape(200.0, 600.0)
    matches = running.matched("long-queue", 2, len(NODES))
    assert len(matches) == len(NODES)
    assert len(running.matched_so_far("long-queue", 1)) == len(NODES)


def test_a_lower_version_is_wrong_use_and_changes_nothing(running: Running) -> None:
    lower = running.pattern("publish", running.file("one.yaml", pattern("long-queue", 1, 100)))
    assert lower.returncode == exits.USAGE
    assert "version 1 is below 2" in lower.stderr
    other = running.pattern("publish", running.file("one.yaml", pattern("long-queue", 2, 7)))
    assert other.returncode == exits.USAGE
    assert "other content" in other.stderr
    unknown = running.pattern("retire", "long-queu")
    assert unknown.returncode == exits.USAGE
    assert "did you mean 'long-queue'?" in unknown.stderr


def test_what_the_job_refuses_is_told_and_the_topic_put_back(running: Running) -> None:
    refused = running.pattern("publish", running.file("one.yaml", pattern("base", 1, 7)))
    assert refused.returncode == exits.FINDINGS, refused.stdout + refused.stderr
    assert "version 1 is live with other content" in refused.stdout
    produce(running.broker.bootstrap, CONTROL, [(T0, b"no json at all")])
    assert running.status()["base"]["from"] == "configuration"


def test_a_dry_run_marks_its_matches(running: Running) -> None:
    running.publish(pattern("tried", 1, 700), "--dry-run")
    running.scrape(800.0)
    matches = running.matched("tried", 1, len(NODES))
    assert {each["dry_run"] for each in matches} == {True}
    assert running.status()["tried"]["dry_run"] is True


def test_patterns_survive_a_lost_machine(running: Running) -> None:
    running.cluster.kill_taskmanager()
    running.cluster.add_taskmanager()
    running.scrape(650.0)
    assert len(differing(running.matched("long-queue", 2, 3 * len(NODES)))) == 3 * len(NODES)


def test_a_retired_pattern_matches_no_more(running: Running) -> None:
    before = differing(running.matched_so_far("long-queue", 2))
    retired = running.pattern("retire", "long-queue")
    assert retired.returncode == exits.OK, retired.stderr
    assert retired.stdout.count("retired") == 2
    running.publish(pattern("after", 1, 2_000))
    running.scrape(600.0, 3_000.0)
    running.matched("after", 1, len(NODES))
    assert differing(running.matched_so_far("long-queue", 2)) == before
    assert "long-queue" not in running.status()


def test_a_savepoint_goes_on_with_another_configuration(running: Running) -> None:
    stopped = running.cluster.faultline("job", "stop", "--flink", running.cluster.address)
    assert stopped.returncode == exits.OK, stopped.stderr
    savepoint = stopped.stdout.strip().splitlines()[-1]
    documents = [pattern("long-queue", 1, 5), pattern("after", 1, 2_000), pattern("new", 1, 50)]
    running.submit(running.file("second/set.yaml", *documents), "--from-savepoint", savepoint)
    running.scrape(60.0)
    assert len(running.matched("new", 1, len(NODES))) == len(NODES)
    wanted = {"after": "control", "new": "configuration", "tried": "control"}
    assert running.live(wanted) == wanted
