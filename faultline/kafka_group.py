"""Reads a topic as a member of a consumer group: what is done is committed, what is not comes again.

With kafka.py and kafka_send.py all that knows kafka-python. A group that is new begins at the end of the
topic, and says so to the broker at once: from then on nothing is passed over, however the reader ends.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

from faultline.kafka import POLL_MS, Record, connect, read_topic, record_of
from records.errors import MachineError, UsageError
from records.validation import nearest

MEMORY_MS: Final = 7 * 86_400_000
"""How far back `behind` reads."""
_BATCH: Final = 100


class Group:
    """A member of the group, from here to `close`.

    `settled`: counts how often partitions were given out anew; what was known of a partition before may have
    been done by another member since.
    """

    def __init__(self, servers: str, topic: str, group: str, *, from_beginning: bool) -> None:
        """UsageError where there is no such topic, MachineError where no broker answers."""
        self._servers, self._topic = servers, topic
        _begin(servers, topic, group, from_beginning)
        self._consumer = connect(
            servers,
            group_id=group,
            auto_offset_reset="earliest",
            isolation_level="read_committed",
            max_poll_records=_BATCH,
        )
        self.settled = 0
        self._consumer.subscribe([topic], listener=_listener(self))

    def records(self, idle_s: float | None) -> Iterator[Record]:
        """The records that nobody in the group has done, in order of each partition; ends after `idle_s`
        seconds without one, or never.
        """
        silent = time.monotonic()
        while idle_s is None or time.monotonic() - silent < idle_s:
            batches = self._consumer.poll(timeout_ms=POLL_MS)
            settled = self.settled
            for record in (each for records in batches.values() for each in records):
                yield record_of(record)
                silent = time.monotonic()
                if settled != self.settled:
                    self._rewind()
                    break

    def _rewind(self) -> None:
        """To what is not committed, after the partitions were given out anew."""
        for each in self._consumer.assignment():
            self._consumer.seek(each, self._consumer.committed(each) or 0)

    def done(self, record: Record) -> None:
        """Commits the record: it comes never again. Where its partition is another member's now, it does."""
        from kafka import TopicPartition
        from kafka.errors import CommitFailedError, KafkaError, RebalanceInProgressError
        from kafka.structs import OffsetAndMetadata

        place = TopicPartition(self._topic, record.partition)
        try:
            self._consumer.commit({place: OffsetAndMetadata(record.offset + 1, "", -1)})
        except (CommitFailedError, RebalanceInProgressError):
            self.settled += 1
        except KafkaError as error:
            raise MachineError(f"{self._servers} takes no commit: {error}", "look at its log") from error

    def wait(self, seconds: float) -> bool:
        """Waits, staying in the group; whether the partitions are still those that they were."""
        settled = self.settled
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and settled == self.settled:
            assigned = self._consumer.assignment()
            self._consumer.pause(*assigned)
            came = self._consumer.poll(timeout_ms=int(min(left * 1_000, POLL_MS)))
            for place, records in came.items():  # of a partition that was given to this member just now
                self._consumer.seek(place, records[0].offset)
            self._consumer.resume(*(self._consumer.assignment() & assigned))
        return settled == self.settled

    def behind(self) -> Iterator[Record]:
        """What the group has done of this member's partitions in the last week, as far as it is kept."""
        ends = {each.partition: self._consumer.committed(each) or 0 for each in self._consumer.assignment()}
        since = time.time_ns() // 1_000_000 - MEMORY_MS
        for record in read_topic(self._servers, self._topic, since):
            if record.offset < ends.get(record.partition, 0):
                yield record

    def close(self) -> None:
        """Leaves the group."""
        self._consumer.close()


def _begin(servers: str, topic: str, group: str, from_beginning: bool) -> None:
    """Commits where the group begins, for the partitions of which it has done nothing yet."""
    from kafka import TopicPartition
    from kafka.errors import KafkaError
    from kafka.structs import OffsetAndMetadata

    consumer = connect(servers, group_id=group)
    try:
        topics = consumer.topics()
        if topic not in topics:
            known = [name for name in topics if not name.startswith("__")]
            said = nearest(topic, known) if known else "; the broker has no topics"
            raise UsageError(f"no topic {topic!r}{said}", "correct --topic, or start the job first")
        numbers: Any = consumer.partitions_for_topic(topic) or ()
        partitions = [TopicPartition(topic, number) for number in sorted(numbers)]
        new = [each for each in partitions if consumer.committed(each) is None]
        if new:
            starts = consumer.beginning_offsets(new) if from_beginning else consumer.end_offsets(new)
            consumer.commit({each: OffsetAndMetadata(starts[each], "", -1) for each in new})
    except KafkaError as error:
        raise MachineError(f"{servers}: group {group} cannot begin: {error}", "look at its log") from error
    finally:
        consumer.close()


def _listener(group: Group) -> Any:
    """Notes each time that partitions are given out; made here since kafka-python is imported late."""
    from kafka import ConsumerRebalanceListener

    class Listener(ConsumerRebalanceListener):
        def on_partitions_revoked(self, revoked: Any) -> None:
            group.settled += 1

        def on_partitions_assigned(self, assigned: Any) -> None:
            group.settled += 1

    return Listener()
