"""Reads what the job wrote to Kafka. The only module of the command that knows kafka-python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from faultline import console
from records.cloudevents import read_cloudevent
from records.errors import EventError, MachineError
from records.incidents import IncidentEvent

CONNECT_MS = 10_000
"""How long to wait for a broker."""


def incident_events(
    servers: str, topic: str, *, from_beginning: bool, idle_s: float | None
) -> Iterator[IncidentEvent]:
    """The incident events of `topic`, as they come; ends after `idle_s` seconds without one, or never.

    A record that is no incident event is named on stderr and passed over. MachineError without a broker.
    """
    consumer = _consumer(servers, topic, from_beginning, idle_s)
    try:
        for record in consumer:
            place = f"{topic}[{record.partition}]@{record.offset}"
            try:
                yield read_cloudevent(record.value or b"", _text(record.headers))
            except EventError as error:
                console.note(f"{place}: {error.message}")
    finally:
        consumer.close()


def check_broker(servers: str) -> int:
    """The number of topics at `servers`; MachineError where no broker answers."""
    consumer = _connect(servers)
    try:
        return len(consumer.topics())
    finally:
        consumer.close()


def _consumer(servers: str, topic: str, from_beginning: bool, idle_s: float | None) -> Any:
    return _connect(
        servers,
        topic,
        auto_offset_reset="earliest" if from_beginning else "latest",
        **({} if idle_s is None else {"consumer_timeout_ms": int(idle_s * 1000)}),
    )


def _connect(servers: str, *topics: str, **options: Any) -> Any:
    from kafka import KafkaConsumer
    from kafka.errors import KafkaError

    mend = "start the broker, or correct --bootstrap-servers (HOST:PORT)"
    try:
        return KafkaConsumer(
            *topics,
            bootstrap_servers=servers.split(","),
            group_id=None,
            enable_auto_commit=False,
            bootstrap_timeout_ms=CONNECT_MS,
            **options,
        )
    except (KafkaError, ValueError, OSError) as error:
        raise MachineError(f"no Kafka broker at {servers}: {error}", mend) from error


def _text(headers: Sequence[tuple[str, bytes]]) -> dict[str, str]:
    return {name: (value or b"").decode(errors="replace") for name, value in headers or ()}
