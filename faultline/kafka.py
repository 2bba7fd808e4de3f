"""Reads topics: what the job wrote and what it reads. With kafka_send.py and kafka_group.py all
that knows kafka-python."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from faultline import console
from records.cloudevents import read_cloudevent
from records.errors import EventError, MachineError, UsageError
from records.incidents import IncidentEvent
from records.validation import nearest

CONNECT_MS = 10_000
"""How long to wait for a broker."""
POLL_MS: Final = 1_000
SILENT_S: Final = 60.0
"""A broker that has records and sends none for so long is taken for gone."""


@dataclass(frozen=True)
class Record:
    """One record as a consumer has it; `timestamp` is Kafka's, ms, None where it has none."""

    partition: int
    offset: int
    timestamp: int | None
    key: bytes | None
    value: bytes | None
    headers: dict[str, str]


def read_topic(servers: str, topic: str, since: int, done: Collection[int] = ()) -> Iterator[Record]:
    """The records of `topic` whose timestamps are `since` (ms) or later, up to those that are there now.

    In order of each partition. A partition in `done`, which may grow meanwhile, is read no further.
    UsageError where there is no such topic, MachineError where the broker does not answer.
    """
    consumer = connect(servers)
    try:
        ends = _begin(consumer, topic, since)
        silent = time.monotonic() + SILENT_S
        while True:
            left = [
                each
                for each, end in ends.items()
                if each.partition not in done and consumer.position(each) < end
            ]
            consumer.pause(*(each for each in ends if each not in left))
            if not left:
                return
            for partition, records in consumer.poll(timeout_ms=POLL_MS).items():
                silent = time.monotonic() + SILENT_S
                yield from (record_of(each) for each in records if each.offset < ends[partition])
            if time.monotonic() > silent:
                raise MachineError(f"{servers} sends nothing more of {topic}", "look at the broker's log")
    finally:
        consumer.close()


def _begin(consumer: Any, topic: str, since: int) -> dict[Any, int]:
    """Assigns the partitions from `since` on; partition to the offset behind its last record now."""
    from kafka import TopicPartition

    topics = consumer.topics()
    if topic not in topics:
        known = [name for name in topics if not name.startswith("__")]
        said = nearest(topic, known) if known else "; the broker has no topics"
        raise UsageError(f"no topic {topic!r}{said}", "correct --topic")
    partitions = [TopicPartition(topic, number) for number in sorted(consumer.partitions_for_topic(topic))]
    ends = consumer.end_offsets(partitions)
    starts = consumer.offsets_for_times(dict.fromkeys(partitions, max(since, 0)))
    begun = {each: starts[each].offset for each in partitions if starts.get(each) is not None}
    consumer.assign(list(begun))
    for each, offset in begun.items():
        consumer.seek(each, offset)
    return {each: ends[each] for each in begun}


def record_of(record: Any) -> Record:
    """kafka-python's record as ours."""
    timestamp = record.timestamp if record.timestamp is not None and record.timestamp >= 0 else None
    headers = _text(record.headers)
    return Record(record.partition, record.offset, timestamp, record.key, record.value, headers)


def incident_events(
    servers: str, topic: str, *, from_beginning: bool, idle_s: float | None
) -> Iterator[IncidentEvent]:
    """The incident events of `topic`, as they come; ends after `idle_s` seconds without one, or never.

    A record that is no incident event is named on stderr and passed over. MachineError without a broker.
    """
    consumer = _consumer(servers, topic, from_beginning, idle_s)
    try:
        yield from _incidents(topic, map(record_of, consumer))
    finally:
        consumer.close()


def told_incidents(servers: str, topic: str) -> Iterator[IncidentEvent]:
    """The incident events that are in `topic` now; as `incident_events`, UsageError without the topic."""
    return _incidents(topic, read_topic(servers, topic, 0))


def _incidents(topic: str, records: Iterable[Record]) -> Iterator[IncidentEvent]:
    for record in records:
        try:
            yield read_cloudevent(record.value or b"", record.headers)
        except EventError as error:
            console.note(f"{topic}[{record.partition}]@{record.offset}: {error.message}")


def check_broker(servers: str) -> int:
    """The number of topics at `servers`; MachineError where no broker answers."""
    consumer = connect(servers)
    try:
        return len(consumer.topics())
    finally:
        consumer.close()


def values_since(servers: str, topic: str, since: int) -> Iterator[bytes]:
    """The values of a topic from that moment (ms) on; none where there is no such topic."""
    for record in read_topic(servers, topic, since) if _has(servers, topic) else ():
        if record.value is not None:
            yield record.value


def last_values(servers: str, topic: str) -> dict[str, bytes]:
    """The last value of each key of a topic, without deleted ones; none where there is no such topic."""
    values: dict[str, bytes] = {}
    for record in read_topic(servers, topic, 0) if _has(servers, topic) else ():
        key = (record.key or b"").decode(errors="replace")
        values.pop(key, None)
        if record.value is not None:
            values[key] = record.value
    return values


def _has(servers: str, topic: str) -> bool:
    consumer = connect(servers)
    try:
        return topic in consumer.topics()
    finally:
        consumer.close()


def _consumer(servers: str, topic: str, from_beginning: bool, idle_s: float | None) -> Any:
    return connect(
        servers,
        topic,
        auto_offset_reset="earliest" if from_beginning else "latest",
        **({} if idle_s is None else {"consumer_timeout_ms": int(idle_s * 1000)}),
    )


def connect(servers: str, *topics: str, **options: Any) -> Any:
    """A consumer of what no transaction may still take back; MachineError where no broker answers."""
    from kafka import KafkaConsumer
    from kafka.errors import KafkaError

    mend = "start the broker, or correct --bootstrap-servers (HOST:PORT)"
    try:
        return KafkaConsumer(
            *topics,
            bootstrap_servers=servers.split(","),
            **{
                "group_id": None,
                "enable_auto_commit": False,
                "isolation_level": "read_committed",
                "bootstrap_timeout_ms": CONNECT_MS,
                **options,
            },
        )
    except (KafkaError, ValueError, OSError) as error:
        raise MachineError(f"no Kafka broker at {servers}: {error}", mend) from error


def _text(headers: Sequence[tuple[str, bytes]]) -> dict[str, str]:
    return {name: (value or b"").decode(errors="replace") for name, value in headers or ()}
