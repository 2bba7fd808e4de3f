"""The broker of the kit: gives back records with headers, over a restart too, and fails loudly."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.kit.kafka import Broker, kafka_jars
from tests.kit.processes import NotReadyError
from tests.kit.topics import Got, consume, produce


def test_records_come_back_and_survive_a_restart(tmp_path: Path) -> None:
    want = [Got(None, b"one", {}), Got(None, b"\x00\xff", {})]

    def two(got: list[Got]) -> bool:
        return len(got) >= 2

    with Broker(tmp_path / "kafka") as broker:
        assert produce(broker.bootstrap, "topic", [(1_767_225_600_000, b"one"), (0, b"\x00\xff")]) == 2
        assert consume(broker.bootstrap, "topic", two) == want
        broker.stop()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("localhost", broker.port), timeout=5)
        broker.start()
        assert consume(broker.bootstrap, "topic", two) == want


def test_a_port_that_is_taken_is_told_with_the_log(tmp_path: Path) -> None:
    with Broker(tmp_path / "one") as one:
        two = Broker(tmp_path / "two", port=one.port)
        with pytest.raises(NotReadyError, match="Address already in use"):
            two.start()
        assert two.process is None, "what did not come up does not stay"
        two.stop()


def test_missing_jars_name_the_mend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAULTLINE_TEST_KAFKA", str(tmp_path))
    with pytest.raises(NotReadyError, match=r"make \.cache/kafka/\.done"):
        kafka_jars()
