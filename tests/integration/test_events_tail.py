"""`events tail` and `doctor` against a real broker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from faultline import exits
from faultline.checks import Asked, kafka
from faultline.main import app
from records.cloudevents import KafkaMessage, to_cloudevent, to_structured
from tests.faultline.run_folder_kit import event
from tests.kit.kafka import Broker
from tests.kit.topics import producer_of

TOPIC = "faultline.incidents.v1"


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker whose topic holds an event of each mode, with something else between them."""
    with Broker(tmp_path_factory.mktemp("kafka")) as started:
        producer = producer_of(started.bootstrap)
        other = KafkaMessage(b"k", b"no event", {})
        for message in (to_cloudevent(event(1)), other, to_structured(event(2))):
            headers = [(name, value.encode()) for name, value in message.headers.items()]
            producer.send(TOPIC, message.value, key=message.key, headers=headers, partition=0)
        producer.flush()
        producer.close()
        yield started


def test_events_are_printed_and_what_is_none_is_named(broker: Broker) -> None:
    arguments = ["--bootstrap-servers", broker.bootstrap, "--from-beginning", "--limit", "2", "--json"]
    done = CliRunner().invoke(app, ["events", "tail", *arguments])

    assert done.exit_code == exits.OK, done.output
    assert [json.loads(line)["revision"] for line in done.stdout.splitlines()] == [1, 2]
    assert f"{TOPIC}[0]@1: no incident event" in done.stderr


def test_the_tail_ends_where_nothing_comes(broker: Broker) -> None:
    done = CliRunner().invoke(app, ["events", "tail", "--bootstrap-servers", broker.bootstrap, "--idle", "1"])

    assert (done.exit_code, done.stdout) == (exits.OK, "")


def test_the_doctor_finds_the_broker(broker: Broker) -> None:
    assert kafka(Asked(bootstrap_servers=broker.bootstrap)).startswith(f"{broker.bootstrap} answers, ")


def test_an_event_file_and_the_topic_are_read_alike(broker: Broker, tmp_path: Path) -> None:
    file = tmp_path / "incidents.ndjson"
    file.write_bytes(to_cloudevent(event(1)).value + b"\n")
    arguments = ["--bootstrap-servers", broker.bootstrap, "--from-beginning", "--limit", "1"]
    of_topic = CliRunner().invoke(app, ["events", "tail", *arguments]).stdout

    assert of_topic == CliRunner().invoke(app, ["events", "tail", str(file)]).stdout != ""


def test_a_verdict_on_an_event_of_the_topic_is_a_label_of_the_feedback_topic(broker: Broker) -> None:
    servers = ["--bootstrap-servers", broker.bootstrap]
    incident = event(1).incident_id
    for verdict in ("true", "cause=some-db"):
        done = CliRunner().invoke(app, ["events", "feedback", incident, "--verdict", verdict, *servers])
        assert done.exit_code == exits.OK, done.output
        assert "kept in faultline.feedback.v1" in done.stdout
    (label,) = CliRunner().invoke(app, ["events", "labels", "--json", *servers]).stdout.splitlines()
    assert json.loads(label)["node"] == "some-db"
