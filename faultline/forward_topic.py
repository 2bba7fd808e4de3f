"""Forwards the events of a topic as a member of a consumer group: deliver, dead-letter what is refused,
commit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from faultline import console
from faultline.forward import Forwarder, Memory, Outcome
from faultline.kafka import Record
from faultline.kafka_group import Group
from faultline.kafka_send import send
from records.cloudevents import read_cloudevent
from records.control import DEAD_LETTERS_TOPIC
from records.errors import EventError
from records.incidents import IncidentEvent

Tell = Callable[[IncidentEvent, Outcome], None]


@dataclass(frozen=True)
class Topic:
    """Which events: brokers, topic, group, where a new group begins, and when it is enough.

    `limit`: events; `idle_s`: seconds without one. Neither: until it is stopped.
    """

    servers: str
    name: str
    group: str
    from_beginning: bool
    limit: int | None
    idle_s: float | None


def forward_topic(forwarder: Forwarder, topic: Topic, tell: Tell) -> None:
    """Delivers what the group has not done; `tell` hears of each event.

    UsageError without the topic, MachineError without a broker, or where the receiver's address is wrong.
    """
    member = Group(topic.servers, topic.name, topic.group, from_beginning=topic.from_beginning)
    console.note(f"forwarding {topic.name} to {forwarder.receiver.place} as group {topic.group}")
    try:
        forwarder.wait = member.wait
        _follow(forwarder, member, topic, tell)
    finally:
        member.close()


def _follow(forwarder: Forwarder, member: Group, topic: Topic, tell: Tell) -> None:
    settled = -1
    for number, record in enumerate(member.records(topic.idle_s), start=1):
        if settled != member.settled:
            settled = member.settled
            forwarder.memory = _memory(member)
        if _handled(forwarder, topic, record, tell):
            member.done(record)
        if number == topic.limit:
            return


def _handled(forwarder: Forwarder, topic: Topic, record: Record, tell: Tell) -> bool:
    """Whether the record needs nobody any more."""
    event = _event(record)
    if event is None:
        forwarder.counts["unreadable"] += 1
        _dead_letter(forwarder, topic, record, "unreadable", "no incident event")
        return True
    outcome = forwarder.deliver(event)
    tell(event, outcome)
    if outcome.what == "refused":
        _dead_letter(forwarder, topic, record, "refused", outcome.reason or "")
    return outcome.what != "moved"


def _memory(member: Group) -> Memory:
    """What the group has delivered of this member's partitions."""
    memory = Memory()
    for record in member.behind():
        event = _event(record)
        if event is not None:
            memory.note(event)
    return memory


def _event(record: Record) -> IncidentEvent | None:
    try:
        return read_cloudevent(record.value or b"", record.headers)
    except EventError:
        return None


def _dead_letter(forwarder: Forwarder, topic: Topic, record: Record, reason: str, error: str) -> None:
    """The record as it came, with the reason in its headers: for another try once it is mended."""
    place = f"{topic.name}[{record.partition}]@{record.offset}"
    console.note(f"{place}: {reason}: {error}: to {DEAD_LETTERS_TOPIC}")
    why = {"reason": reason, "stage": "forward", "receiver": forwarder.receiver.place, "error": error[:500]}
    key = (record.key or b"").decode(errors="replace")
    send(topic.servers, DEAD_LETTERS_TOPIC, key, record.value, {**record.headers, **why, "origin": place})
