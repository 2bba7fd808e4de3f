"""Writes to topics, and follows one from now on: what `pattern publish` needs of kafka-python."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from faultline.kafka import CONNECT_MS, connect
from records.errors import MachineError

SEND_S: Final = 30.0
"""A record that is not stored within so long is given up."""
COMPACTED: Final[Mapping[str, str]] = {"cleanup.policy": "compact"}
_POLL_MS: Final = 100


def make_topic(servers: str, topic: str, settings: Mapping[str, str]) -> bool:
    """Makes a topic of one partition where it is missing; whether it was. MachineError without a broker."""
    from kafka.admin import KafkaAdminClient
    from kafka.errors import KafkaError, TopicAlreadyExistsError

    consumer = connect(servers)
    try:
        if topic in consumer.topics():
            return False
    finally:
        consumer.close()
    try:
        admin = KafkaAdminClient(bootstrap_servers=servers.split(","))
        try:
            made = {"num_partitions": 1, "replication_factor": -1, "configs": dict(settings)}
            admin.create_topics({topic: made}, wait_for_metadata=True)
        finally:
            admin.close()
    except TopicAlreadyExistsError:
        return False
    except KafkaError as error:
        raise MachineError(
            f"{servers}: {topic} cannot be made: {error}", "make the topic yourself"
        ) from error
    return True


def send(
    servers: str, topic: str, key: str, value: bytes | None, headers: Mapping[str, str] | None = None
) -> None:
    """Stores one record; None deletes what the key had. MachineError where the broker does not take it."""
    from kafka import KafkaProducer
    from kafka.errors import KafkaError

    try:
        producer = KafkaProducer(
            bootstrap_servers=servers.split(","), bootstrap_timeout_ms=CONNECT_MS, acks="all"
        )
        try:
            told = [(name, text.encode()) for name, text in (headers or {}).items()]
            producer.send(topic, key=key.encode(), value=value, headers=told).get(SEND_S)
        finally:
            producer.close()
    except (KafkaError, OSError) as error:
        message = f"{servers} does not take a record of {topic}: {error}"
        raise MachineError(message, "look at the broker's log") from error


class Follower:
    """A topic from the moment at which this was made; one that is not there yet from its beginning."""

    def __init__(self, servers: str, topic: str) -> None:
        """MachineError where no broker answers."""
        self._consumer = connect(servers)
        self._topic = topic
        self._assigned = self._assign(from_end=True)

    def values(self, until: float) -> Iterator[bytes | None]:
        """The values of records as they come; None each time there is none for a moment.

        Ends at `until` of the monotonic clock, s.
        """
        while time.monotonic() < until:
            if not self._assigned:
                self._assigned = self._assign(from_end=False)
            if not self._assigned:
                time.sleep(_POLL_MS / 1_000)
                yield None
                continue
            batches = self._consumer.poll(timeout_ms=_POLL_MS)
            for records in batches.values():
                yield from (record.value for record in records if record.value is not None)
            if not batches:
                yield None

    def close(self) -> None:
        """Hangs up."""
        self._consumer.close()

    def _assign(self, *, from_end: bool) -> bool:
        from kafka import TopicPartition

        if self._topic not in self._consumer.topics():
            return False
        numbers: Any = self._consumer.partitions_for_topic(self._topic) or ()
        partitions = [TopicPartition(self._topic, number) for number in sorted(numbers)]
        ends = self._consumer.end_offsets(partitions)
        self._consumer.assign(partitions)
        for each in partitions:
            self._consumer.seek(each, ends[each] if from_end else 0)
        return bool(partitions)
