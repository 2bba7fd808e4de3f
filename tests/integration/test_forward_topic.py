"""`events forward` from a real broker to a real HTTP server: restarts, dead letters, receivers away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kafka.admin import KafkaAdminClient
from typer.testing import CliRunner, Result

from faultline import exits
from faultline.forward import Forwarder, Outcome, sleep
from faultline.forward_topic import Topic, forward_topic
from faultline.main import app
from faultline.receivers import receiver
from records.cloudevents import KafkaMessage, to_cloudevent
from records.incidents import IncidentEvent
from tests.faultline.run_folder_kit import event
from tests.kit.kafka import ROOT, Broker
from tests.kit.processes import read, wait_until
from tests.kit.receiver import HttpReceiver, Reply
from tests.kit.topics import Got, consume, producer_of

DEAD = "faultline.dead-letters.v1"


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with Broker(tmp_path_factory.mktemp("kafka")) as started:
        yield started


def send(broker: Broker, topic: str, *events: IncidentEvent | bytes, partition: int = 0) -> None:
    producer = producer_of(broker.bootstrap)
    for each in events:
        message = KafkaMessage(b"k", each, {}) if isinstance(each, bytes) else to_cloudevent(each)
        headers = [(name, value.encode()) for name, value in message.headers.items()]
        producer.send(topic, message.value, key=message.key, headers=headers, partition=partition)
    producer.flush()
    producer.close()


def arguments(broker: Broker, topic: str, there: HttpReceiver, *more: str) -> list[str]:
    to = ["--to", "alertmanager", "--url", there.url, "--group", topic]
    return ["events", "forward", "--bootstrap-servers", broker.bootstrap, "--topic", topic, *to, *more]


def run(broker: Broker, topic: str, there: HttpReceiver, *more: str) -> Result:
    return CliRunner().invoke(app, arguments(broker, topic, there, *more))


def dead(broker: Broker, stage: str, count: int) -> list[Got]:
    def of_stage(got: list[Got]) -> list[Got]:
        return [each for each in got if each.headers.get("origin", "").startswith(stage)]

    return of_stage(consume(broker.bootstrap, DEAD, lambda got: len(of_stage(got)) >= count, 300))


def test_a_new_group_begins_at_the_end_and_goes_on_where_it_was(broker: Broker) -> None:
    send(broker, "begin", event(1))
    with HttpReceiver() as there:
        assert run(broker, "begin", there, "--idle", "1").exit_code == exits.OK
        assert there.posts == []
        send(broker, "begin", event(2))
        first = run(broker, "begin", there, "--limit", "1")
        send(broker, "begin", event(3))
        second = run(broker, "begin", there, "--limit", "1")
    assert [first.exit_code, second.exit_code] == [exits.OK, exits.OK]
    assert [each.body[0]["annotations"]["status"] for each in there.posts] == ["updated", "resolved"]


def test_after_a_restart_it_is_known_what_was_told(broker: Broker) -> None:
    """A job at least once sends again what it sent before a crash; the alert that it changed is ended."""
    send(broker, "again", event(1))
    with HttpReceiver() as there:
        run(broker, "again", there, "--from-beginning", "--limit", "1")
        send(broker, "again", event(1), event(2, qos="P2"))
        done = run(broker, "again", there, "--limit", "2")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["repeated", "delivered"]
    severities = [[each["labels"]["severity"] for each in post.body] for post in there.posts]
    assert severities == [["critical"], ["info", "critical"]]


def test_what_is_refused_is_a_dead_letter_and_the_rest_goes_on(broker: Broker) -> None:
    send(broker, "refused", b"no event", event(1), event(2))
    with HttpReceiver(Reply(400, b"bad label"), Reply()) as there:
        done = run(broker, "refused", there, "--from-beginning", "--limit", "3")
        again = run(broker, "refused", there, "--idle", "1")
    assert done.exit_code == exits.FINDINGS
    assert (again.exit_code, again.stdout) == (exits.OK, "")
    unreadable, refused = dead(broker, "refused[0]", 2)
    assert (unreadable.value, unreadable.headers["reason"]) == (b"no event", "unreadable")
    assert refused.headers["reason"] == "refused"
    assert refused.headers["error"] == "400: bad label"
    message = to_cloudevent(event(1))
    assert refused.value == message.value
    assert message.headers.items() <= refused.headers.items()


def test_nothing_is_committed_before_it_is_delivered(broker: Broker, tmp_path: Path) -> None:
    """Stopped in the middle of a retry, the process leaves the event to the next one."""
    send(broker, "stopped", event(1))
    log = tmp_path / "forward.log"
    with HttpReceiver(Reply(503, b"starting", {"Retry-After": "300"}), Reply()) as there:
        typed = arguments(broker, "stopped", there, "--from-beginning")
        with log.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "faultline", *typed],
                stdout=out,
                stderr=out,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
        try:
            wait_until(lambda: "again in 300 s" in read(log), "a first try", log, process, 300)
            process.send_signal(signal.SIGTERM)
            assert process.wait(300) == exits.INTERRUPTED
        finally:
            process.kill()
            process.wait()
        done = run(broker, "stopped", there, "--limit", "1")
    assert done.exit_code == exits.OK
    assert len(there.posts) == 2
    assert there.posts[0].body == there.posts[1].body


def test_two_members_share_the_work_and_tell_everything(broker: Broker) -> None:
    """The second joins while the first waits for a receiver that is away: no event is lost for it."""
    admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
    admin.create_topics({"shared": {"num_partitions": 2, "replication_factor": 1}}, wait_for_metadata=True)
    admin.close()
    told = [event(1, incident_id=f"inc-{number}") for number in range(20)]
    send(broker, "shared", *told[:10])
    send(broker, "shared", *told[10:], partition=1)
    topic = Topic(broker.bootstrap, "shared", "shared", from_beginning=True, limit=None, idle_s=10.0)
    outcomes: list[list[Outcome]] = [[], []]

    def member(url: str, own: list[Outcome]) -> None:
        whom = receiver("alertmanager", url, secret=None, link=None, expires_ms=60_000)
        forward_topic(Forwarder(whom, 60.0, 30.0, sleep), topic, lambda _, outcome: own.append(outcome))

    with HttpReceiver(Reply(503, b"", {"Retry-After": "5"}), Reply()) as there:
        members = [threading.Thread(target=member, args=(there.url, own)) for own in outcomes]
        members[0].start()
        wait_for(lambda: bool(there.posts))
        members[1].start()
        for each in members:
            each.join(300)
    ids = [post.body[0]["labels"]["incident_id"] for post in there.posts[1:]]
    assert set(ids) == {each.incident_id for each in told}
    assert all(any(each.what == "delivered" for each in own) for own in outcomes)


def wait_for(found: Callable[[], bool]) -> None:
    end = time.monotonic() + 300
    while not found() and time.monotonic() < end:
        time.sleep(0.05)
    assert found()


def test_a_topic_that_is_not_there_is_named(broker: Broker) -> None:
    send(broker, "incidents", event(1))
    with HttpReceiver() as there:
        done = run(broker, "incidentz", there)
    assert done.exit_code == exits.USAGE
    assert "did you mean 'incidents'" in done.stderr
