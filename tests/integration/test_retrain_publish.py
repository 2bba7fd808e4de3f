"""`faultline model retrain --bootstrap`: a better bundle is published as shadow, and workers prove it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import onnx
import orjson
import pytest
from onnx import numpy_helper
from typer.testing import CliRunner, Result

from faultline import exits
from faultline.kafka_send import Follower, send
from faultline.live_models import read_record
from faultline.main import app
from gnn.simulator import simulate
from jobs.model_state import Decision, Teller
from jobs.models import LoadModels
from onnx_models.bundle import Bundle, default_bundle, load_bundle, write_bundle
from onnx_models.scorer import OnnxRun
from records.control import AUDIT_TOPIC, CONTROL_TOPIC
from tests.faultline.test_retraining import week
from tests.kit.kafka import Broker

SMALL = ("--systems", "6", "--judged", "1")


def blind(parent: Path) -> Bundle:
    """The shipped bundle without the last weights of its node scores: to it all nodes are alike."""
    shipped = load_bundle(default_bundle())
    proto: Any = onnx.load_model(str(shipped.model_file))
    (weight,) = [each for each in proto.graph.initializer if each.name == "model.node_head.3.weight"]
    weight.CopyFrom(numpy_helper.from_array(0 * numpy_helper.to_array(weight), weight.name))
    content = proto.SerializeToString()
    golden = [(inputs, OnnxRun(content).run(inputs)) for inputs, _ in shipped.golden()]
    return write_bundle(parent, shipped.manifest, content, golden, "for tests")


@contextmanager
def worker(bootstrap: str) -> Iterator[None]:
    """Loads and proves what the control topic names, as the operator `models`, and answers on the audit."""
    over = threading.Event()
    follower = Follower(bootstrap, CONTROL_TOPIC)
    loads, teller = LoadModels("cpu", float("inf")), Teller("job", "faultline-gnn-2", 0, 1)

    def answer() -> None:
        for value in follower.values(time.monotonic() + 1_800):
            if over.is_set():
                return
            if value is not None:
                record, reason = loads.made_ready(value)
                state = Decision("live" if reason is None else "refused", record, reason, 1.0)
                send(bootstrap, AUDIT_TOPIC, "job", orjson.dumps(teller.ack(state)))

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        follower.close()


def retrain(folder: Path, *more: str) -> Result:
    given = ["--archive", str(folder / "week"), "--out", str(folder / "bundles"), "--work", str(folder / "w")]
    return CliRunner().invoke(app, ["model", "retrain", *given, *SMALL, *more])


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    week(tmp_path / "week", simulate(11, 14, "shop"), tmp_path)
    return tmp_path


def test_a_better_bundle_is_published_as_shadow(archive: Path) -> None:
    live = str(blind(archive / "live").path)
    with Broker(archive / "kafka") as broker, worker(broker.bootstrap):
        done = retrain(archive, "--live", live, "--bootstrap", broker.bootstrap, "--json")
        assert done.exit_code == exits.OK, done.output
        told, published = map(orjson.loads, done.stdout.splitlines())
        assert [each["state"] for each in published["answers"]] == ["live"]
        record, wrong = read_record(orjson.dumps(published["record"]))
        assert wrong is None
        assert record is not None
        assert record.candidate is not None
        assert (record.candidate.stage, record.candidate.bundle.sha256) == ("shadow", told["sha256"])
        shown = CliRunner().invoke(app, ["model", "status", "--bootstrap", broker.bootstrap, "--json"])
    rows = [orjson.loads(line) for line in shown.stdout.splitlines()]
    assert (Path(told["bundle"]).name, "shadow", "live") in [
        (each["model"], each["stage"], each["state"]) for each in rows
    ]


def test_how_the_broker_is_reached_is_checked_before_the_training(archive: Path) -> None:
    config = archive / "client.properties"
    config.write_text("security.protocol=SASL_SSL\n")
    wrong = retrain(archive, "--bootstrap", "localhost:1", "--kafka-config", str(config))
    assert wrong.exit_code == exits.USAGE
    assert "no sasl.mechanism" in wrong.stderr
    away = retrain(archive, "--bootstrap", "localhost:1")
    assert away.exit_code == exits.ENVIRONMENT
    assert "no Kafka broker at localhost:1" in away.stderr
    assert not (archive / "bundles").exists()
    assert not (archive / "w").exists()
