"""What `pattern publish` and `model publish` have in common: a record for the control topic of the running
job, the answers of its subtasks on the audit topic, and rows of what is live.

Imports Kafka inside functions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol, TypeVar

import typer

from faultline import console, exits
from faultline.words import clock

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from faultline.kafka_security import Servers

DAY_MS: Final = 86_400_000
CONTROL: Final = "faultline.control.v1"
AUDIT: Final = "faultline.audit.v1"

Bootstrap = Annotated[
    str, typer.Option("--bootstrap", "--bootstrap-servers", help="Kafka broker(s), HOST:PORT[,...].")
]
Timeout = Annotated[float, typer.Option(min=0, help="Seconds to wait for the job's answers.")]
Topic = Annotated[str, typer.Option(help="The control topic of the job.")]
Audit = Annotated[str, typer.Option(help="The audit topic of the job.")]
Days = Annotated[float, typer.Option(min=0, help="How far back the audit is read.")]


class Ack(Protocol):
    """One subtask's answer; `who` ends with the number of the subtask, before it whose subtasks they are."""

    @property
    def who(self) -> tuple[Any, ...]: ...
    @property
    def subtasks(self) -> int: ...
    @property
    def state(self) -> str: ...
    @property
    def request(self) -> str | None: ...


class Standing(Protocol):
    """What a row says of where something stands."""

    @property
    def since(self) -> int | None: ...
    @property
    def from_(self) -> str: ...
    @property
    def answered(self) -> int: ...
    @property
    def subtasks(self) -> int: ...
    @property
    def reason(self) -> str | None: ...


A = TypeVar("A", bound=Ack)
Reader = Callable[[Iterable[bytes]], Iterable[object]]
"""Reads lines of the audit."""


@dataclass(frozen=True)
class Place:
    """Where the job is told and answers."""

    servers: Servers
    topic: str
    audit: str


@dataclass(frozen=True)
class Change:
    """A record to send. `before`: what its key had. `what`: for people; `look`: the command that shows what
    is live; `needs`: what a job must be to answer.
    """

    key: str
    value: bytes
    before: bytes | None
    request: str
    what: str
    look: str
    needs: str


def check_share(share: float) -> None:
    """UsageError where it is no share of all graphs."""
    from records.errors import UsageError

    if not 0 < share <= 1:
        raise UsageError(f"--share {share:g}: not above 0 and at most 1", "name a part of all graphs: 0.1")


def now_ms() -> int:
    """The time of a record, ms UTC."""
    return int(time.time() * 1_000)


def tell(
    place: Place,
    change: Change,
    kind: type[A],
    read: Reader,
    timeout_s: float,
    show: Callable[[Sequence[A], float], None],
) -> None:
    """Sends a record, waits for the answers, shows them with the seconds it took; exits by what they say."""
    from faultline.kafka_send import COMPACTED, Follower, make_topic, send
    from records.errors import MachineError

    if make_topic(place.servers, place.topic, COMPACTED):
        console.note(f"made the compacted topic {place.topic}")
    follower = Follower(place.servers, place.audit)
    try:
        began = time.monotonic()
        send(place.servers, place.topic, change.key, change.value)
        console.note(f"sent {change.what}, waiting for answers")
        acks = answers(follower, change.request, began + timeout_s, kind, read)
        seconds = time.monotonic() - began
    finally:
        follower.close()
    refused = any(ack.state == "refused" for ack in acks)
    if refused:
        send(place.servers, place.topic, change.key, change.before)
    show(acks, seconds)
    if not acks:
        message = (
            f"no job answered within {timeout_s:g} s; one that reads {place.topic} later takes the record"
        )
        raise MachineError(message, change.needs)
    if refused:
        console.note("refused: the topic holds what it held before")
        raise typer.Exit(exits.FINDINGS)
    if len(acks) != expected(acks):
        message = f"only {len(acks)} of {expected(acks)} subtasks answered within {timeout_s:g} s"
        raise MachineError(message, f"see `{change.look}` later, and the job's log")


def answers(follower: Any, request: str, until: float, kind: type[A], read: Reader) -> list[A]:
    """The answers to a request, up to those of every subtask or a moment of the monotonic clock (s)."""
    found: dict[tuple[Any, ...], A] = {}
    for value in follower.values(until):
        for told in [] if value is None else read([value]):
            if isinstance(told, kind) and told.request == request:
                found[told.who] = told
        if found and len(found) == expected(found.values()):
            break
    return [found[who] for who in sorted(found)]


def expected(acks: Iterable[Ack]) -> int:
    """How many subtasks answer, going by those that did."""
    return sum({ack.who[:-1]: ack.subtasks for ack in acks}.values())


def say_rows(
    rows: Sequence[DataclassInstance],
    columns: Sequence[str],
    cells: Callable[[Any], Sequence[str]],
    none: str,
    json: bool,
) -> None:
    """Prints what is live: JSON lines, a table that ends with `standing`, or that there is none."""
    if json:
        for row in rows:
            told = asdict(row)
            console.say_json({**told, "from": told.pop("from_")})
        return
    if not rows:
        console.say(none)
        return
    console.table((*columns, "since", "from", "subtasks", "reason"), [cells(row) for row in rows])


def standing(row: Standing) -> tuple[str, str, str, str]:
    """The last cells of a row."""
    return (
        "-" if row.since is None else clock(row.since),
        row.from_,
        f"{row.answered} of {row.subtasks}" if row.subtasks else "-",
        row.reason or "",
    )
