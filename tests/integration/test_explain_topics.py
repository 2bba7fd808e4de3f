"""`events explain` and `events feedback` on the topics of a job, as the operators fill them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from faultline import exits
from faultline.kafka import last_values
from faultline.main import app
from onnx_models.bundle import Bundle
from records.feedback import FEEDBACK_TOPIC
from records.incidents import IncidentEvent
from tests.jobs import minicluster
from tests.jobs.bundles import bundle
from tests.jobs.minicluster import configuration, events, observations, of
from tests.jobs.test_operators import incident
from tests.kit.kafka import Broker
from tests.kit.topics import producer_of


class Topics:
    """A broker with what the operators sent for two incidents."""

    def __init__(self, broker: Broker, model: Bundle) -> None:
        self.broker, self.model = broker, model
        rows = observations([*incident("shop", 10, 14, 39), *incident("bank", 12, 14, 39)])
        sent = minicluster.run(rows, configuration(model.path), model.manifest)
        self.events: list[IncidentEvent] = events(sent)
        producer = producer_of(broker.bootstrap)
        for each in [*of(sent, "incidents"), *of(sent, "frames")]:
            headers = [(name, value.encode()) for name, value in each.headers.items()]
            producer.send(each.topic, key=each.key, value=each.value, headers=headers)
        producer.flush(300)
        producer.close()

    def run(self, *arguments: str) -> Result:
        where = ["--bootstrap-servers", self.broker.bootstrap]
        return CliRunner().invoke(app, ["events", *arguments, *where])


@pytest.fixture(scope="module")
def topics(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Topics]:
    folder = tmp_path_factory.mktemp("explain")
    with Broker(folder / "kafka") as broker:
        yield Topics(broker, bundle(folder / "model"))


def test_each_event_is_derived_anew_from_the_topics(topics: Topics) -> None:
    assert {event.graph for event in topics.events} == {"shop", "bank"}
    for event in topics.events:
        done = topics.run("explain", event.id, "--model", str(topics.model.path), "--json")
        assert done.exit_code == exits.OK, done.output
        told = json.loads(done.stdout)
        assert (told["id"], told["same"], told["input_hash"]) == (event.id, True, event.input_hash)


def test_another_model_or_no_frames_is_no_answer(topics: Topics, tmp_path: Path) -> None:
    event = topics.events[0]
    other = topics.run("explain", event.id, "--model", str(bundle(tmp_path, version=7, factor=1.0).path))
    assert other.exit_code == exits.USAGE
    assert "is not the model in" in other.stderr
    unknown = topics.run("explain", event.id)
    assert unknown.exit_code == exits.USAGE
    assert "is not among the released models" in unknown.stderr
    model = ["--model", str(topics.model.path)]
    nothing = topics.run("explain", event.id, *model, "--frames-topic", "faultline.incidents.v2")
    assert nothing.exit_code == exits.USAGE
    assert "faultline.incidents.v2" in nothing.stderr


def test_a_verdict_goes_to_the_topic(topics: Topics) -> None:
    event = topics.events[0]
    done = topics.run("feedback", event.id, "--verdict", "cause=cart", "--json")
    assert done.exit_code == exits.OK, done.output
    kept = last_values(topics.broker.bootstrap, FEEDBACK_TOPIC)
    assert json.loads(kept[event.incident_id])["node"] == "cart"
