"""Records to and from a broker, as a person's producers and consumers would send and read them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from kafka import KafkaConsumer, KafkaProducer

DELIVERY_MS: Final = 900_000
"""A record may take so long to be stored: kafka-python 3.0.12 sends nothing any more once one has expired."""


@dataclass(frozen=True)
class Got:
    """One record read from a topic."""

    key: bytes | None
    value: bytes | None
    headers: dict[str, str]


def producer_of(bootstrap: str, **settings: Any) -> KafkaProducer:
    """One that outlives a broker which answers nothing for minutes, as on a machine that does too much."""
    return KafkaProducer(bootstrap_servers=bootstrap, delivery_timeout_ms=DELIVERY_MS, **settings)


def produce(bootstrap: str, topic: str, records: Iterable[tuple[int, bytes]]) -> int:
    """Send (timestamp in ms, value) records in order to partition 0; returns how many once all are stored."""
    producer = producer_of(bootstrap, linger_ms=20, batch_size=1_000_000)
    count = 0
    for timestamp_ms, value in records:
        producer.send(topic, value=value, partition=0, timestamp_ms=timestamp_ms)
        count += 1
    producer.flush(900)
    producer.close()
    return count


def consume(
    bootstrap: str,
    topic: str,
    enough: Callable[[list[Got]], bool],
    timeout_s: float = 900.0,
    *,
    committed: bool = False,
) -> list[Got]:
    """Read a topic from its beginning until ``enough`` says so of all records read, or time is up.

    What was read is returned either way: the caller's assertion says what is missing. ``committed``: only
    what no transaction may still take back.
    """
    consumer = KafkaConsumer(
        topic,
        bootstrap_servers=bootstrap,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        isolation_level="read_committed" if committed else "read_uncommitted",
    )
    got: list[Got] = []
    end = time.monotonic() + timeout_s
    while not enough(got) and time.monotonic() < end:
        for batch in consumer.poll(timeout_ms=500).values():
            for record in batch:
                headers = {name: value.decode(errors="replace") for name, value in record.headers}
                got.append(Got(record.key, record.value, headers))
    consumer.close()
    return got
