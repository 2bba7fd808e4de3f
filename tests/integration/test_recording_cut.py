"""`recording cut` of topics of a real broker, by the job's own decoders."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

from faultline import exits
from faultline.main import app
from records.checking import check_recording
from records.recordings import Recording, open_recording
from records.samples import Sample
from tests.faultline.run_folder_kit import EDGES, T0, at, recording
from tests.kit.kafka import Broker
from tests.kit.otlp import requests
from tests.kit.topics import produce, producer_of

HOUR = 3_600_000
NATIVE, OTLP, MIXED, BROKEN, SPLIT = "native", "otlp", "mixed", "broken", "split"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """The small fixed recording: 90 minutes of 11 nodes."""
    return recording(tmp_path_factory.mktemp("whole") / "r")


def lines(whole: Recording) -> Iterator[tuple[int, dict[str, Any]]]:
    """(time, native object) of each edge and sample of the recording."""
    for edge in whole.edges():
        yield edge.time, edge.model_dump(exclude_none=True)
    for sample in whole.samples():
        yield sample.time, sample.model_dump(exclude_none=True)


@pytest.fixture(scope="module")
def broker(whole: Recording, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """Topics: the recording as native objects with one sent twice; as OTLP; two graphs; nonsense; late ones
    over two partitions.
    """
    with Broker(tmp_path_factory.mktemp("kafka"), partitions=2) as started:
        native = [(time, orjson.dumps(fields)) for time, fields in lines(whole)]
        produce(started.bootstrap, NATIVE, [*native, native[-1], (at(5), b"no sample")])
        produce(started.bootstrap, OTLP, requests(whole))
        other = [(time, orjson.dumps({**fields, "graph": "other"})) for time, fields in lines(whole)]
        produce(started.bootstrap, MIXED, [*native[-40:], *other[-20:]])
        produce(started.bootstrap, BROKEN, [(at(5), b"{"), (at(6), b"[]")])
        split(started, whole)
        yield started


def split(broker: Broker, whole: Recording) -> None:
    """The nodes over both partitions, the second sent backwards, both stamped by the producer's clock."""
    producer = producer_of(broker.bootstrap)
    samples = [fields for _, fields in lines(whole) if "value" in fields]
    for fields in samples:
        if fields["node"] < "d":
            producer.send(SPLIT, orjson.dumps(fields), partition=0)
    for fields in reversed(samples):
        if fields["node"] >= "d":
            producer.send(SPLIT, orjson.dumps(fields), partition=1)
    producer.flush()
    producer.close()


def in_words(samples: Iterable[Sample]) -> list[str]:
    """The samples in an order of their own; the native format's kind is gauge where it is not said."""
    return sorted(repr(each.model_copy(update={"kind": each.kind or "gauge"})) for each in samples)


def cut(broker: Broker, out: Path, topic: str, *more: str) -> Any:
    arguments = ["recording", "cut", "--bootstrap-servers", broker.bootstrap, "--topic", topic]
    return CliRunner().invoke(app, [*arguments, "--out", str(out), "--json", *more])


def test_the_span_of_a_topic_is_the_span_of_its_recording(
    broker: Broker, whole: Recording, tmp_path: Path
) -> None:
    span = ("--from", str(at(55)), "--to", "2026-01-01T01:15:00Z")
    assert at(75) == T0 + 75 * 60_000
    done = cut(broker, tmp_path / "topic", NATIVE, "--format", "native", *span)
    of_recording = CliRunner().invoke(
        app, ["recording", "cut", str(whole.path), "--out", str(tmp_path / "own"), *span]
    )

    assert (done.exit_code, of_recording.exit_code) == (exits.OK, exits.OK), done.output
    told = json.loads(done.stdout)
    made, own = open_recording(tmp_path / "topic"), open_recording(tmp_path / "own")
    assert in_words(made.samples()) == in_words(own.samples())
    assert list(made.edges()) == sorted(own.edges(), key=lambda edge: (edge.time, edge.source, edge.target))
    assert (made.meta.graph, made.meta.interval, made.meta.start) == ("shop", 60_000, at(55))
    assert (told["samples"], told["edges"], told["faults"]) == (sum(1 for _ in own.samples()), len(EDGES), 0)
    assert (told["duplicates"], told["dead_letters"]) == (0, {"malformed": 1})
    assert check_recording(made.path).findings == []


def test_an_open_span_is_everything_and_what_came_twice_is_taken_once(
    broker: Broker, whole: Recording, tmp_path: Path
) -> None:
    done = cut(broker, tmp_path / "cut", NATIVE, "--format", "native")
    told = json.loads(done.stdout)

    assert told["samples"] == sum(1 for _ in whole.samples())
    assert told["duplicates"] == 1
    assert (told["start"], told["end"]) == (whole.meta.start, whole.meta.end)


def test_otlp_is_decoded_as_the_job_decodes_it(broker: Broker, whole: Recording, tmp_path: Path) -> None:
    done = cut(
        broker, tmp_path / "cut", OTLP, "--format", "otlp_proto", "--from", str(at(30)), "--node", "cart"
    )

    assert done.exit_code == exits.OK, done.output
    made = open_recording(tmp_path / "cut")
    wanted = {(s.metric, s.time, s.value) for s in whole.samples() if s.node == "cart" and s.time >= at(30)}
    got = {(s.metric, s.time, s.value) for s in made.samples()}
    assert wanted <= got
    assert {sample.node for sample in made.samples()} == {"cart"}
    assert {(e.source, e.target) for e in made.edges()} == {
        ("frontend", "cart"), ("checkout", "cart"), ("cart", "redis"),
    }  # fmt: skip
    assert check_recording(made.path).findings == []


def test_partitions_and_disorder_are_merged(broker: Broker, whole: Recording, tmp_path: Path) -> None:
    done = cut(
        broker, tmp_path / "cut", SPLIT, "--format", "native", "--from", str(at(10)), "--to", str(at(20))
    )

    assert done.exit_code == exits.OK, done.output
    wanted = [s for s in whole.samples() if at(10) <= s.time <= at(20)]
    assert in_words(open_recording(tmp_path / "cut").samples()) == in_words(wanted)
    assert check_recording(tmp_path / "cut").findings == []


def test_the_jobs_configuration_says_broker_and_format(broker: Broker, tmp_path: Path) -> None:
    config = tmp_path / "job.yaml"
    source = f"{{type: kafka, bootstrap_servers: '{broker.bootstrap}', topic: {OTLP}, format: otlp_proto}}"
    config.write_text(f"sources:\n- {source}\nsinks: {{files: {{dir: out}}}}\n")
    arguments = ["recording", "cut", "--topic", OTLP, "--config", str(config), "--out", str(tmp_path / "cut")]
    done = CliRunner().invoke(app, arguments)

    assert done.exit_code == exits.OK, done.output
    assert done.stdout.startswith(f"{tmp_path / 'cut'}: Cut of {OTLP}, 2026-01-01 00:00:00 to ")


def test_a_cut_goes_through_a_pattern(broker: Broker, tmp_path: Path) -> None:
    cut(broker, tmp_path / "cut", NATIVE, "--format", "native", "--node", "cart")
    pattern = tmp_path / "high.yaml"
    pattern.write_text(
        "id: high\nversion: 1\nkey: series\nsteps:\n"
        '- {name: high, where: signal == "cpu" and value > 80}\nwithin: 5m\n'
    )
    samples = str(tmp_path / "cut" / "samples.ndjson.gz")
    done = CliRunner().invoke(app, ["pattern", "run", str(pattern), "--samples", samples, "--json"])

    assert done.exit_code == exits.OK, done.output
    assert {json.loads(line)["key"] for line in done.stdout.splitlines()} == {"shop/cart"}


@pytest.mark.parametrize(
    ("topic", "more", "code", "told"),
    [
        ("nativ", ("--format", "native"), exits.USAGE, "no topic 'nativ'; did you mean 'native'?"),
        (NATIVE, (), exits.USAGE, "no --format"),
        (NATIVE, ("--format", "native", "--from", "-1h"), exits.FINDINGS, "no sample at"),
        (NATIVE, ("--format", "native", "--node", "nobody"), exits.FINDINGS, "no sample at"),
        (NATIVE, ("--format", "native", "--from", "+1h"), exits.USAGE, "no known start"),
        (NATIVE, ("--format", "native", "--graph", "shpo"), exits.USAGE, "no sample of graph 'shpo'"),
        (NATIVE, ("--format", "otlp_proto"), exits.FINDINGS, "could be decoded as otlp_proto"),
        (MIXED, ("--format", "native"), exits.USAGE, "2 graphs, shop, other"),
        (BROKEN, ("--format", "native"), exits.FINDINGS, "nothing of 2 records could be decoded"),
    ],
)
def test_bad_input_is_told_and_leaves_nothing(
    broker: Broker, tmp_path: Path, topic: str, more: tuple[str, ...], code: int, told: str
) -> None:
    done = cut(broker, tmp_path / "cut", topic, *more)

    assert (done.exit_code, done.stdout) == (code, "")
    assert told in done.stderr
    assert "mend: " in done.stderr
    assert not (tmp_path / "cut").exists()


def test_one_of_several_graphs_is_chosen(broker: Broker, tmp_path: Path) -> None:
    done = cut(broker, tmp_path / "cut", MIXED, "--format", "native", "--graph", "other")

    assert json.loads(done.stdout)["graph"] == "other"
    assert json.loads(done.stdout)["samples"] == 20


def test_no_broker_is_something_missing_here(tmp_path: Path) -> None:
    arguments = ["--bootstrap-servers", "localhost:1", "--topic", "t", "--format", "native"]
    done = CliRunner().invoke(app, ["recording", "cut", *arguments, "--out", str(tmp_path / "cut")])

    assert done.exit_code == exits.ENVIRONMENT
    assert "no Kafka broker at localhost:1" in done.stderr
