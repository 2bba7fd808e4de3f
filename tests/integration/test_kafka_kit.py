"""The broker of the kit: gives back records with headers, over a restart too, and fails loudly."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from kafka import KafkaConsumer, KafkaProducer

from tests.kit.kafka import Broker, kafka_jars
from tests.kit.processes import NotReadyError


def produce(bootstrap: str, topic: str, values: list[bytes]) -> None:
    producer = KafkaProducer(bootstrap_servers=bootstrap)
    for value in values:
        producer.send(topic, key=b"k", value=value, headers=[("reason", b"none")])
    producer.flush(30)
    producer.close()


def consume(bootstrap: str, topic: str, count: int) -> list[tuple[bytes, list[tuple[str, bytes]]]]:
    consumer = KafkaConsumer(
        topic, bootstrap_servers=bootstrap, auto_offset_reset="earliest", consumer_timeout_ms=30_000
    )
    records = []
    for record in consumer:
        records.append((record.value, list(record.headers)))
        if len(records) == count:
            break
    consumer.close()
    return records


def test_records_come_back_and_survive_a_restart(tmp_path: Path) -> None:
    with Broker(tmp_path / "kafka") as broker:
        produce(broker.bootstrap, "topic", [b"one", b"\x00\xff"])
        want = [(b"one", [("reason", b"none")]), (b"\x00\xff", [("reason", b"none")])]
        assert consume(broker.bootstrap, "topic", 2) == want
        broker.stop()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("localhost", broker.port), timeout=5)
        broker.start()
        assert consume(broker.bootstrap, "topic", 2) == want


def test_a_port_that_is_taken_is_told_with_the_log(tmp_path: Path) -> None:
    with Broker(tmp_path / "one") as one:
        two = Broker(tmp_path / "two", port=one.port)
        with pytest.raises(NotReadyError, match="Address already in use"):
            two.start(30)
        two.stop()


def test_missing_jars_name_the_mend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAULTLINE_TEST_KAFKA", str(tmp_path))
    with pytest.raises(NotReadyError, match=r"make \.cache/kafka/\.done"):
        kafka_jars()
