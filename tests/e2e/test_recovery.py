"""Machines that die in the middle of an incident: TaskManager, JobManager, broker. The answers stay the same.

What the job tells is compared with what one run tells that nobody disturbed, over the same topic. One broker
serves all tests here; each has a cluster and a system of its own.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from faultline import exits
from faultline.kafka import read_topic, told_incidents
from gnn.simulator import incident_recording
from jobs.config_loading import load_config
from jobs.pipeline import run_embedded
from onnx_models.bundle import default_bundle
from records.cloudevents import read_cloudevent
from records.incidents import IncidentEvent
from records.recordings import Recording
from tests.kit.cluster import Cluster
from tests.kit.kafka import Broker
from tests.kit.otlp import requests
from tests.kit.topics import Got, consume, produce
from tests.kit.zookeeper import ZooKeeper

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1_800)]

INCIDENTS, FRAMES, MATCHES, AUDIT = (
    f"faultline.{topic}.v1" for topic in ("incidents", "frames", "matches", "audit")
)
RELEASED = Path(__file__).resolve().parents[2] / "onnx_models" / "released"
FILES = struct.Struct("<i")
OWN = {
    "id": "own",
    "version": 1,
    "key": "node",
    "maturity": "experimental",
    "steps": [{"name": "any", "where": 'signal == "cpu" and value > 0'}],
}
"""A pattern that runs dry and sees every node."""


@dataclass
class System:
    """A simulated system whose samples go into a topic of its own name, a stretch at a time."""

    folder: Path
    broker: Broker
    recording: Recording
    sent: int = field(default=0)

    def __post_init__(self) -> None:
        self._payloads = list(requests(self.recording))
        (self.fault,) = self.recording.faults()

    @property
    def graph(self) -> str:
        """Its name, and its topic's."""
        return self.recording.meta.graph

    def send(self, ticks: int | None = None) -> int:
        """Sends what was measured until so many ticks after the fault's start, or all that is left.

        Returns what the end of the last tick that it completes comes after, wherever ticks end.
        """
        tick = self.recording.meta.interval
        until = self._payloads[-1][0] if ticks is None else self.fault.start + ticks * tick
        now = [each for each in self._payloads[self.sent :] if each[0] <= until]
        self.sent += produce(self.broker.bootstrap, self.graph, now)
        return now[-1][0] - 10_000 - tick

    def config(self, name: str, **more: Any) -> Path:
        """A job's configuration over the topic."""
        rules = [{"metric": f"request_{signal}", "signal": signal} for signal in ("latency", "errors")]
        source = {"type": "kafka", "bootstrap_servers": self.broker.bootstrap, "topic": self.graph}
        config = {
            "name": self.graph,
            "sources": [{**source, "format": "otlp_proto", "start": "earliest", **more.pop("source", {})}],
            "sinks": {"kafka": {"bootstrap_servers": self.broker.bootstrap}},
            "tick": f"{self.recording.meta.interval}ms",
            "rules": rules,
            "checkpoint": {"interval": "1s"},
            # How busy this machine is must not decide who ranks.
            "score": {"timeout_ms": 120_000, "call_timeout_ms": 120_000, "breaker": {"enabled": False}},
            **more,
        }
        file = self.folder / f"{name}.yaml"
        file.write_text(yaml.safe_dump(config), encoding="utf-8")
        return file

    def undisturbed(self) -> Path:
        """The folder with what one run over the whole topic writes."""
        out = self.folder / "undisturbed"
        files = {"files": {"dir": str(out)}}
        run_embedded(load_config(self.config("undisturbed", source={"bounded": True}, sinks=files)))
        return out

    def told(self, enough: Callable[[list[IncidentEvent]], bool], **options: Any) -> list[IncidentEvent]:
        """Its incident events, once there are enough of them."""

        def of(got: list[Got]) -> list[IncidentEvent]:
            events = [read_cloudevent(each.value or b"", each.headers) for each in got]
            return [event for event in events if event.graph == self.graph]

        return of(consume(self.broker.bootstrap, INCIDENTS, lambda got: enough(of(got)), **options))

    def events(self) -> list[IncidentEvent]:
        """Its incident events that were committed, all that there are now."""
        told = told_incidents(self.broker.bootstrap, INCIDENTS)
        return [event for event in told if event.graph == self.graph]

    def values(self, topic: str) -> list[bytes]:
        """What a topic has of it, committed, all that there is now."""
        of = self.graph.encode()
        return [each.value or b"" for each in read_topic(self.broker.bootstrap, topic, 0) if each.key == of]

    def lines(self, topic: str, last: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
        """What a topic says of it, up to the first line that is as wanted."""

        def of(got: list[Got]) -> list[dict[str, Any]]:
            found = [orjson.loads(each.value or b"{}") for each in got]
            return [each for each in found if each.get("graph") == self.graph]

        got = of(consume(self.broker.bootstrap, topic, lambda got: any(map(last, of(got)))))
        wanted = [number for number, line in enumerate(got) if last(line)]
        assert wanted, f"{topic} has no such line"
        return got[: wanted[0] + 1]

    def framed(self, until: int, **options: Any) -> list[Got]:
        """Its frame rows, once one of a tick that ends at `until` or later is among them."""

        def of(got: list[Got]) -> list[Got]:
            return [each for each in got if each.headers["graph"] == self.graph]

        def reached(got: list[Got]) -> bool:
            return any(int(each.headers["time"]) >= until for each in of(got))

        found = of(consume(self.broker.bootstrap, FRAMES, reached, **options))
        assert reached(found), f"the job did not come to {until}"
        return found


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with Broker(tmp_path_factory.mktemp("kafka")) as broker:
        yield broker


def system(folder: Path, broker: Broker, graph: str) -> System:
    recording = incident_recording(folder / "recording", seed=12, nodes=8, graph=graph)
    return System(folder, broker, recording)


def command(cluster: Cluster, *arguments: str) -> str:
    """The last line that `faultline job ...` prints."""
    done = cluster.faultline("job", *arguments, "--flink", cluster.address)
    assert done.returncode == exits.OK, done.stderr + done.stdout
    return done.stdout.strip().splitlines()[-1]


def jobs(cluster: Cluster) -> list[str]:
    """Ids of the jobs that the cluster knows."""
    return [job["jid"] for job in cluster.rest("/jobs/overview")["jobs"]]


def events_of(file: Path) -> list[IncidentEvent]:
    return [IncidentEvent.model_validate_json(line) for line in file.read_bytes().splitlines()]


def frames_of(file: Path) -> list[bytes]:
    """The rows of a frames.bin, whole to its last byte."""
    data, at, rows = file.read_bytes(), 0, []
    while at < len(data):
        (length,) = FILES.unpack_from(data, at)
        rows.append(data[at + FILES.size : at + FILES.size + length])
        at += FILES.size + length
    assert at == len(data)
    return rows


def opened(events: Sequence[IncidentEvent]) -> bool:
    return any(event.status == "opened" for event in events)


def resolved(events: Sequence[IncidentEvent]) -> bool:
    """Whether all incidents that were opened are resolved."""
    of = {
        status: {each.incident_id for each in events if each.status == status}
        for status in ("opened", "resolved")
    }
    return bool(of["resolved"]) and of["opened"] <= of["resolved"]


def test_lost_machines_leave_no_trace_with_exactly_once(tmp_path: Path, broker: Broker) -> None:
    shop = system(tmp_path, broker, "exactly")
    kafka = {"bootstrap_servers": broker.bootstrap, "delivery": "exactly_once"}
    sinks = {"kafka": kafka, "files": {"dir": str(tmp_path / "files")}}
    with (
        ZooKeeper(tmp_path / "zookeeper") as zookeeper,
        Cluster(tmp_path / "flink", settings=zookeeper.settings()) as cluster,
    ):
        shop.send(9)
        job = command(cluster, "submit", "--config", str(shop.config("job", sinks=sinks)))
        assert opened(shop.told(opened, committed=True))

        until = shop.send(11)
        cluster.kill_taskmanager()
        cluster.add_taskmanager()
        shop.framed(until, committed=True)

        until = shop.send(13)
        cluster.kill_jobmanager()
        cluster.start_jobmanager()
        shop.framed(until, committed=True)
        assert jobs(cluster) == [job]

        until = shop.send(15)
        broker.kill()
        broker.start()
        shop.framed(until, committed=True)

        shop.framed(shop.send(), committed=True)
        assert resolved(shop.told(resolved, committed=True))
        command(cluster, "stop", "--no-savepoint")
    out = shop.undisturbed()
    undisturbed = events_of(out / "incidents.ndjson")
    assert [event.status for event in undisturbed][:1] == ["opened"]
    assert shop.events() == undisturbed
    frames = shop.values(FRAMES)
    assert frames == frames_of(out / "frames" / "frames.bin")[: len(frames)]
    assert sorted(shop.values(MATCHES)) == sorted((out / "matches.ndjson").read_bytes().splitlines())
    files = events_of(tmp_path / "files" / "incidents.ndjson")
    assert {event.id: event for event in files} == {event.id: event for event in undisturbed}
    assert set(frames_of(tmp_path / "files" / "frames" / "frames.bin")) == set(frames)


def test_a_job_goes_on_where_no_one_kept_record_of_it(tmp_path: Path, broker: Broker) -> None:
    shop = system(tmp_path, broker, "resumed")
    with Cluster(tmp_path / "flink") as cluster:
        shop.send(9)
        config = shop.config("job")
        job = command(cluster, "submit", "--config", str(config))
        first = shop.told(opened)
        assert opened(first)
        shop.framed(shop.send(11))
        cluster.wait_until_checkpointed(job)

        cluster.kill_jobmanager()
        cluster.start_jobmanager()
        assert jobs(cluster) == []
        resumed = command(cluster, "resume", "--config", str(config))
        assert resumed != job
        cluster.wait_until_running(resumed)
        shop.framed(shop.send(13))

        savepoint = command(cluster, "stop")
        pattern = tmp_path / "own.yaml"
        pattern.write_text(yaml.safe_dump(OWN), encoding="utf-8")
        changed = shop.config(
            "changed",
            parallelism=2,
            patterns=["library", str(pattern)],
            model=str(RELEASED / "faultline-gnn-1"),
        )
        command(cluster, "submit", "--config", str(changed), "--from-savepoint", savepoint)
        shop.send()
        events = shop.told(resolved)
        lines = shop.lines(AUDIT, lambda line: line.get("model") == "faultline-gnn-1")
        matches = shop.lines(MATCHES, lambda line: line["pattern"] == "own")
    assert first[0].incident_id in {event.incident_id for event in events if event.status == "resolved"}
    by_id = {event.id: event for event in events}
    assert all(event == by_id[event.id] for event in events), "an id came again with another content"
    revisions = sorted(each.revision for each in by_id.values() if each.incident_id == first[0].incident_id)
    assert revisions == list(range(1, len(revisions) + 1))
    assert {line["model"] for line in lines if line["type"] == "scored"} == {
        "faultline-gnn-1",
        default_bundle().name,
    }
    assert lines[-1]["incident_id"] == first[0].incident_id, "the other bundle scored another incident"
    assert matches[-1]["dry_run"] is True
