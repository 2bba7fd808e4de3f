"""Patterns change while a job on a cluster is under load: no sample is lost, none is matched twice.

Every node sends serial numbers, and other series beside. A pattern that nobody touches matches each twenty in
a row of a node, only where every one of them came once and in order, so its matches are known exactly; and
they are what one run tells that nobody disturbed, over the same topic. Meanwhile others are published, raised
and retired. One job serves all tests here.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml
from kafka.admin import KafkaAdminClient

from cep_patterns.document import read_document
from faultline import exits
from faultline.kafka import last_values, values_since
from faultline.kafka_send import Follower
from faultline.live_patterns import read_lines, read_records, rows
from jobs.config_loading import load_config
from jobs.pipeline import run_embedded
from records.control import AUDIT_TOPIC, CONTROL_TOPIC, ControlRecord, PatternSuspended
from tests.kit.cluster import Cluster
from tests.kit.control import Control, record
from tests.kit.kafka import Broker
from tests.kit.topics import Got, consume, producer_of

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1800)]

T0 = 1_767_225_600_000
SCRAPE_MS = 1_000
PARTITIONS = 2
NODES = tuple(f"node-{number}" for number in range(20))
BESIDE = 4
"""Other series of each node."""
SCRAPES_A_SECOND = 60
"""6,000 samples a second."""
LEAST_SCRAPES = 1_000
MOST_SCRAPES = 60_000
RUN = 20
"""Serial numbers that make one match."""
EVERY = 30
"""A match of a pattern that changes begins with each so many-th, so that most changes meet half of one."""
PATTERNS = 200
UPDATES = 15
MATCHES = "faultline.matches.v1"
GAUGE = {"kind": "gauge"}


def run_of(name: str, version: int, every: int) -> dict[str, Any]:
    """Twenty serial numbers in a row from each multiple of `every`; versions differ in what always holds."""
    begins = f'metric == "serial" and value % {every} == 0 and value > -{version}'
    on = 'metric == "serial" and value == first(first).value + count(rest) + 1'
    return {
        "id": name,
        "version": version,
        "key": "series",
        "within": "60s",
        "steps": [
            {"name": "first", "where": begins},
            {"name": "rest", "contiguity": "next", "times": RUN - 1, "consecutive": True, "where": on},
        ],
    }


def ended() -> dict[str, Any]:
    """Matches the last samples."""
    return {
        "id": "ended",
        "version": 1,
        "key": "node",
        "steps": [{"name": "end", "where": 'metric == "end"'}],
    }


def publish(document: dict[str, Any], in_flight: Literal["drain", "drop"] = "drain") -> ControlRecord:
    """Of a pattern whose matches open no incident."""
    model, problems = read_document(document)
    assert model is not None, problems
    return record("publish", model.id, model.version, model.wire(), in_flight=in_flight, dry_run=True)


def bell(number: int) -> dict[str, Any]:
    """Matches when its own bell rings."""
    step = {"name": "rung", "where": f'metric == "bell-{number}"'}
    return {"id": f"bell-{number}", "version": 1, "key": "node", "steps": [step]}


def zero() -> dict[str, Any]:
    """Divides by zero on each sample."""
    step = {"name": "never", "where": 'metric == "serial" and 1 / (value - value) > 0'}
    return {"id": "zero", "version": 1, "key": "node", "steps": [step]}


def catastrophe() -> dict[str, Any]:
    """Every choice of samples of thirty days: twice as many half-finished matches with each sample."""
    return {
        "id": "catastrophe",
        "version": 1,
        "key": "node",
        "within": "30d",
        "steps": [
            {"name": "each", "where": "value >= 0", "one_or_more": True, "combinations": True},
            {"name": "end", "where": "value < 0"},
        ],
    }


class Feeder(threading.Thread):
    """Sends scrapes at a steady pace until it is told to end, then up to a whole run."""

    def __init__(self, bootstrap: str) -> None:
        super().__init__(name="feeder", daemon=True)
        self._producer = producer_of(bootstrap, linger_ms=5)
        self._done = threading.Event()
        self.sent = 0

    def run(self) -> None:
        began = time.monotonic()
        while self.sent < MOST_SCRAPES and not (self._done.is_set() and self._is_whole()):
            time.sleep(max(0.0, began + self.sent / SCRAPES_A_SECOND - time.monotonic()))
            self.scrape("serial", self.sent)

    def _is_whole(self) -> bool:
        return self.sent >= LEAST_SCRAPES and self.sent % RUN == 0

    def scrape(self, metric: str, value: float) -> None:
        """One such sample of each node and those of its other series, those of a partition in one record."""
        at = T0 + self.sent * SCRAPE_MS
        values = {metric: value, **{f"beside-{number}": 1.0 for number in range(BESIDE)}}
        for partition in range(PARTITIONS):
            lines = [
                json.dumps(
                    {"graph": "shop", "node": node, "metric": name, "value": each, "time": at, **GAUGE}
                )
                for node in NODES[partition::PARTITIONS]
                for name, each in values.items()
            ]
            text = "\n".join(lines).encode()
            self._producer.send("samples", value=text, partition=partition, timestamp_ms=at)
        self.sent += 1

    def end(self) -> None:
        """Returns once everything is stored."""
        self._done.set()
        self.join()
        self._producer.flush(900)


@dataclass(frozen=True)
class Job:
    """A job over the samples of a broker. `steady`: the patterns that nobody touches."""

    folder: Path
    broker: Broker
    steady: Path

    def config(self, name: str, sinks: dict[str, Any], **more: Any) -> Path:
        """Its configuration; `more` is of the source."""
        bootstrap = self.broker.bootstrap
        source = {"type": "kafka", "bootstrap_servers": bootstrap, "topic": "samples", "format": "native"}
        config = {
            "name": "load",
            "sources": [{**source, "start": "earliest", **more}],
            "sinks": sinks,
            "patterns": [str(self.steady)],
            "tick": "10m",
            "out_of_orderness": "0s",
            "idle_after": "1h",
            "parallelism": PARTITIONS,
            "checkpoint": {"interval": "2s"},
            "limits": {"pattern_time_window": "5s", "matches_per_tick": 1_000_000},
        }
        file = self.folder / f"{name}.yaml"
        file.write_text(yaml.safe_dump(config), encoding="utf-8")
        return file

    def undisturbed(self) -> list[bytes]:
        """The matches of one run over all that the topic holds."""
        out = self.folder / "undisturbed"
        run_embedded(load_config(self.config("undisturbed", {"files": {"dir": str(out)}}, bounded=True)))
        return (out / "matches.ndjson").read_bytes().splitlines()


def make_topics(bootstrap: str) -> None:
    """Before anyone writes: a topic that is made by its first records may lose their order on the way."""
    made = {"num_partitions": PARTITIONS, "replication_factor": 1}
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    admin.create_topics(dict.fromkeys(("samples", MATCHES, AUDIT_TOPIC), made), wait_for_metadata=True)
    admin.close()


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Job]:
    """Runs on a cluster."""
    folder = tmp_path_factory.mktemp("load")
    with Broker(folder / "kafka", partitions=PARTITIONS) as broker, Cluster(folder / "flink") as cluster:
        make_topics(broker.bootstrap)
        patterns = folder / "steady.yaml"
        patterns.write_text(yaml.safe_dump([run_of("steady", 1, RUN), ended()]), encoding="utf-8")
        job = Job(folder, broker, patterns)
        file = job.config("job", {"kafka": {"bootstrap_servers": broker.bootstrap}})
        done = cluster.faultline("job", "submit", "--config", str(file), "--flink", cluster.address)
        assert done.returncode == exits.OK, done.stderr + done.stdout
        yield job


@dataclass(frozen=True, order=True)
class Match:
    """`first`, `last`: the scrapes of its samples, from 0."""

    pattern: str
    version: int
    node: str
    first: int
    last: int


def _match(value: bytes | None) -> Match:
    told = json.loads(value or b"{}")
    ends = ((told[end] - T0) // SCRAPE_MS for end in ("start", "end"))
    return Match(told["pattern"], told["version"], told["node"], *ends)


@dataclass(frozen=True)
class Told:
    """How many scrapes had serial numbers, and all matches, as they were written too."""

    scrapes: int
    lines: list[bytes]
    matches: list[Match]

    def of(self, pattern: str) -> list[Match]:
        return sorted(each for each in self.matches if each.pattern == pattern)


def await_matches(broker: Broker, enough: Callable[[list[Match]], bool], timeout_s: float = 900.0) -> None:
    """Until it is enough of what the topic holds, or time is up."""
    read: list[Match] = []

    def look(got: list[Got]) -> bool:
        read.extend(_match(each.value) for each in got[len(read) :])
        return enough(read)

    consume(broker.bootstrap, MATCHES, look, timeout_s)


def await_suspension(broker: Broker, pattern: str) -> None:
    """Until every subtask has suspended it."""

    def look(got: list[Got]) -> bool:
        told = read_lines(each.value or b"" for each in got)
        lost = [each for each in told if isinstance(each, PatternSuspended) and each.pattern == pattern]
        return len({each.who for each in lost}) == PARTITIONS

    consume(broker.bootstrap, AUDIT_TOPIC, look)


def await_event_time(broker: Broker, feeder: Feeder) -> None:
    """Until each node's event time has gone on by a minute, so that a version that drains has drained."""
    late, missing = feeder.sent + RUN + 60, set(NODES)
    follower = Follower(broker.bootstrap, MATCHES)
    for value in follower.values(time.monotonic() + 300):
        match = None if value is None else _match(value)
        if match is not None and match.pattern == "steady" and match.last >= late:
            missing.discard(match.node)
        if not missing:
            break
    follower.close()
    assert not missing


@pytest.fixture(scope="module")
def told(job: Job) -> Told:
    """What matched while 200 patterns came, two others changed, and more came and went."""
    broker = job.broker
    feeder = Feeder(broker.bootstrap)
    feeder.start()
    try:
        with Control(broker.bootstrap) as control:
            change_much(broker, feeder, control)
    finally:
        feeder.end()
    scrapes = feeder.sent
    for number in range(PATTERNS):
        feeder.scrape(f"bell-{number}", 1.0)
    feeder.scrape("end", 1.0)
    feeder.scrape("quiet", 1.0)
    feeder.end()
    whole = len(NODES) * (scrapes // RUN + PATTERNS + 1)
    await_matches(broker, lambda read: sum(each.pattern == "ended" for each in read) == len(NODES))
    await_matches(broker, lambda read: sum(each.pattern != "changing" for each in read) >= whole, 60.0)
    lines = list(values_since(broker.bootstrap, MATCHES, 0))
    return Told(scrapes, lines, list(map(_match, lines)))


def change_much(broker: Broker, feeder: Feeder, control: Control) -> None:
    """All at once, then one after the other, each answered by every subtask."""

    def tell(state: str, *records: ControlRecord) -> None:
        assert [each.state for each in control.send(records)] == [state] * (PARTITIONS * len(records))

    tell("live", *(publish(bell(number)) for number in range(PATTERNS)))
    tell("live", publish(zero()), publish(catastrophe()))
    await_suspension(broker, "catastrophe")
    for version in range(1, UPDATES + 1):
        passing = bell(PATTERNS + version)
        tell(
            "live",
            publish(run_of("drained", version, EVERY)),
            publish(run_of("dropped", version, EVERY), "drop"),
        )
        tell("live", publish(passing))
        tell("retired", record("retire", passing["id"], 1, in_flight="drop"))
        await_event_time(broker, feeder)


def test_no_sample_is_lost_or_matched_twice(job: Job, told: Told) -> None:
    assert LEAST_SCRAPES <= told.scrapes < MOST_SCRAPES, "the feeder ended before the updates did"
    runs = range(0, told.scrapes, RUN)
    wanted = [Match("steady", 1, node, run, run + RUN - 1) for node in NODES for run in runs]
    assert told.of("steady") == sorted(wanted)
    untouched = {"steady", "ended"}
    lines = [line for line, match in zip(told.lines, told.matches, strict=True) if match.pattern in untouched]
    assert sorted(lines) == sorted(job.undisturbed())


def test_of_a_pattern_that_drains_no_match_is_lost(told: Told) -> None:
    found = told.of("drained")
    assert {each.version for each in found} == set(range(1, UPDATES + 1))
    for node in NODES:
        firsts = sorted(each.first for each in found if each.node == node)
        assert firsts == list(range(firsts[0], told.scrapes - RUN + 1, EVERY)), node


def test_of_a_pattern_that_is_dropped_none_comes_twice(told: Told) -> None:
    found = told.of("dropped")
    assert {each.version for each in found} <= set(range(1, UPDATES + 1))
    assert {(each.first % EVERY, each.last - each.first) for each in found} == {(0, RUN - 1)}
    assert len({(each.node, each.first) for each in found}) == len(found)
    assert len(found) < len(told.of("drained")), "no change met half a match: the two do not differ"


def test_two_hundred_patterns_are_live_and_each_works(told: Told) -> None:
    rang = sorted(each for each in told.matches if each.pattern.startswith("bell-"))
    assert rang == sorted(
        Match(f"bell-{number}", 1, node, told.scrapes + number, told.scrapes + number)
        for node in NODES
        for number in range(PATTERNS)
    )


def test_what_goes_wrong_is_contained_and_named(job: Job, told: Told) -> None:
    assert told.of("catastrophe") == []
    bootstrap = job.broker.bootstrap
    audit = list(values_since(bootstrap, AUDIT_TOPIC, 0))
    lines = [line for line in map(json.loads, audit) if line["type"] == "pattern_contained"]
    named = {(line["pattern"], line["reason"]) for line in lines}
    assert named == {("zero", "condition_errors"), ("catastrophe", "partials_evicted")}
    records, wrong = read_records(last_values(bootstrap, CONTROL_TOPIC))
    assert wrong == {}
    states = {row.pattern: row.state for row in rows(records, read_lines(audit))}
    assert states.pop("catastrophe") == "suspended"
    assert set(states.values()) == {"live"}
    assert set(states) - {f"bell-{number}" for number in range(PATTERNS)} == {
        "steady",
        "ended",
        "zero",
        "drained",
        "dropped",
    }
