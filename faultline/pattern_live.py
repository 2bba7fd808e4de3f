"""`faultline pattern publish | retire | status`: patterns of the running job.

Imports Kafka inside the commands.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from faultline import console, exits
from faultline.kafka_security import KafkaConfig, Servers, brokers
from faultline.words import clock

if TYPE_CHECKING:
    from faultline.live_patterns import Row
    from records.control import ControlRecord, PatternAck

DAY_MS: Final = 86_400_000
RUNNING: Final = ("live", "suspended")

Bootstrap = Annotated[
    str, typer.Option("--bootstrap", "--bootstrap-servers", help="Kafka broker(s), HOST:PORT[,...].")
]
InFlight = Annotated[
    Literal["drain", "drop"],
    typer.Option(help="Partial matches of the version that goes: let them end, or drop them."),
]
Timeout = Annotated[float, typer.Option(min=0, help="Seconds to wait for the job's answers.")]
Topic = Annotated[str, typer.Option(help="The control topic of the job.")]
Audit = Annotated[str, typer.Option(help="The audit topic of the job.")]
_CONTROL: Final = "faultline.control.v1"
_AUDIT: Final = "faultline.audit.v1"


def register(app: typer.Typer) -> None:
    """Adds the commands to `faultline pattern`."""
    for command in (publish, retire, status):
        app.command()(command)


def publish(
    file: Annotated[Path, typer.Argument(metavar="PATTERN.yaml", exists=True, dir_okay=False)],
    bootstrap: Bootstrap,
    kafka_config: KafkaConfig = None,
    in_flight: InFlight = "drain",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Matches are marked and open no incident.")
    ] = False,
    share: Annotated[float, typer.Option(help="The part of all graphs it applies to, above 0 to 1.")] = 1.0,
    timeout: Timeout = 30.0,
    topic: Topic = _CONTROL,
    audit: Audit = _AUDIT,
    json: console.Json = False,
) -> None:
    """Check a pattern, switch it on in the running job, and print the job's answers."""
    from records.control import ControlRecord
    from records.errors import UsageError

    if not 0 < share <= 1:
        raise UsageError(f"--share {share:g}: not above 0 and at most 1", "name a part of all graphs: 0.1")
    pattern = _one_pattern(file)
    record = ControlRecord(
        action="publish",
        id=pattern["id"],
        version=pattern["version"],
        in_flight=in_flight,
        dry_run=dry_run,
        share=share,
        pattern=pattern,
        time=int(time.time() * 1_000),
        request=uuid.uuid4().hex,
    )
    before = _Before(brokers(bootstrap, kafka_config), topic, audit)
    before.check_version(record)
    _tell(before, record, timeout, json)


def retire(
    pattern: Annotated[str, typer.Argument(metavar="ID", help="The pattern's id.")],
    bootstrap: Bootstrap,
    kafka_config: KafkaConfig = None,
    in_flight: InFlight = "drain",
    timeout: Timeout = 30.0,
    topic: Topic = _CONTROL,
    audit: Audit = _AUDIT,
    json: console.Json = False,
) -> None:
    """Switch a pattern off in the running job, and print the job's answers."""
    from records.control import ControlRecord

    before = _Before(brokers(bootstrap, kafka_config), topic, audit)
    record = ControlRecord(
        action="retire",
        id=pattern,
        version=before.version_of(pattern),
        in_flight=in_flight,
        time=int(time.time() * 1_000),
        request=uuid.uuid4().hex,
    )
    _tell(before, record, timeout, json)


def status(
    bootstrap: Bootstrap,
    kafka_config: KafkaConfig = None,
    days: Annotated[float, typer.Option(min=0, help="How far back the audit is read.")] = 7.0,
    topic: Topic = _CONTROL,
    audit: Audit = _AUDIT,
    json: console.Json = False,
) -> None:
    """Show which patterns are live: version, dry run, share, since when, in how many subtasks."""
    before = _Before(brokers(bootstrap, kafka_config), topic, audit, days)
    for key, reason in before.wrong.items():
        console.note(f"{topic}: the record of {key} cannot be read: {reason}")
    if json:
        for row in before.rows:
            told = asdict(row)
            console.say_json({**told, "from": told.pop("from_")})
        return
    if not before.rows:
        console.say("no pattern is known to the topics")
        return
    columns = (
        "job",
        "pattern",
        "version",
        "state",
        "dry run",
        "share",
        "since",
        "from",
        "subtasks",
        "reason",
    )
    console.table(columns, [_cells(row) for row in before.rows])


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.job or "-",
        row.pattern,
        str(row.version),
        row.state,
        "yes" if row.dry_run else "no",
        f"{row.share:g}",
        "-" if row.since is None else clock(row.since),
        row.from_,
        f"{row.answered} of {row.subtasks}" if row.subtasks else "-",
        row.reason or "",
    )


class _Before:
    """What the topics said before a record is sent."""

    def __init__(self, servers: Servers, topic: str, audit: str, days: float = 7.0) -> None:
        from faultline.kafka import last_values, values_since
        from faultline.live_patterns import read_lines, read_records, rows

        self.servers, self.topic, self.audit = servers, topic, audit
        self.values = last_values(servers, topic)
        self.records, self.wrong = read_records(self.values)
        since = int(time.time() * 1_000 - days * DAY_MS)
        self.rows = rows(self.records, read_lines(values_since(servers, audit, since)))

    def check_version(self, record: ControlRecord) -> None:
        """UsageError where the version is not higher than what is live, and not the same content."""
        from records.errors import UsageError

        mend = "raise `version` in the file"
        live = [row.version for row in self.rows if row.pattern == record.id and row.state in RUNNING]
        said = self.records.get(record.id)
        highest = max([*live, 0 if said is None else said.version])
        if record.version < highest:
            message = f"{record.id}: version {record.version} is below {highest}, which the job has had"
            raise UsageError(message, mend)
        same = said is not None and said.version == record.version
        if same and said is not None and said.pattern not in (None, record.pattern):
            message = f"{record.id}: version {record.version} was published with other content"
            raise UsageError(message, mend)

    def version_of(self, pattern: str) -> int:
        """The version of a pattern that is live or published; UsageError for any other."""
        from records.errors import UsageError
        from records.validation import nearest

        versions = {row.pattern: row.version for row in self.rows}
        if pattern not in versions:
            said = nearest(pattern, versions) if versions else "; none is known to the topics"
            raise UsageError(f"no pattern {pattern!r} is live{said}", "see `faultline pattern status`")
        return versions[pattern]


def _one_pattern(file: Path) -> dict[str, Any]:
    """The compiled pattern of a file; PatternError where it is refused or there are several."""
    from cep_patterns.yaml_loader import load_patterns
    from records.errors import PatternError

    patterns = load_patterns([file])
    if len(patterns) != 1:
        raise PatternError(f"{file}: {len(patterns)} patterns", "publish them one by one, a file each")
    if patterns[0].key == "row":
        message = f"{file}: {patterns[0].id}: key row is for CEP.pattern, the job knows no rows"
        raise PatternError(message, "use series, node or graph")
    return patterns[0].wire()


def _tell(before: _Before, record: ControlRecord, timeout: float, json: bool) -> None:
    """Sends the record, waits for the answers, prints them; exits by what they say."""
    from faultline.kafka_send import COMPACTED, Follower, make_topic, send
    from records.control import LARGEST_BYTES
    from records.errors import MachineError, UsageError

    value = record.model_dump_json(exclude_none=True).encode()
    if len(value) > LARGEST_BYTES:
        message = f"{record.id}: {len(value):,} bytes, more than {LARGEST_BYTES:,} are not taken"
        raise UsageError(message, "write a smaller pattern")
    if make_topic(before.servers, before.topic, COMPACTED):
        console.note(f"made the compacted topic {before.topic}")
    follower = Follower(before.servers, before.audit)
    try:
        began = time.monotonic()
        send(before.servers, before.topic, record.id, value)
        console.note(f"sent {record.action} of {record.id} version {record.version}, waiting for answers")
        acks, complete = _answers(follower, record.request, began + timeout)
        seconds = time.monotonic() - began
    finally:
        follower.close()
    refused = [ack for ack in acks if ack.state == "refused"]
    if refused:
        send(before.servers, before.topic, record.id, before.values.get(record.id))
    _print(record, acks, seconds, json)
    if not acks:
        message = (
            f"no job answered within {timeout:g} s; one that reads {before.topic} later takes the record"
        )
        raise MachineError(message, "see that the job runs, that its `control` names this topic and broker")
    if refused:
        console.note("refused: the topic holds what it held before")
        raise typer.Exit(exits.FINDINGS)
    if not complete:
        message = f"only {len(acks)} of {_expected(acks)} subtasks answered within {timeout:g} s"
        raise MachineError(message, "see `faultline pattern status` later, and the job's log")


def _answers(follower: Any, request: str, until: float) -> tuple[list[PatternAck], bool]:
    """The answers to a request, and whether every subtask of each operator that answered is among them."""
    from faultline.live_patterns import read_lines
    from records.control import PatternAck

    acks: dict[tuple[str, str, int], PatternAck] = {}
    for value in follower.values(until):
        for told in [] if value is None else read_lines([value]):
            if isinstance(told, PatternAck) and told.request == request:
                acks[told.who] = told
        if acks and len(acks) == _expected(list(acks.values())):
            break
    found = [acks[who] for who in sorted(acks)]
    return found, bool(found) and len(found) == _expected(found)


def _expected(acks: list[PatternAck]) -> int:
    """How many subtasks answer, going by those that did."""
    return sum({(ack.job, ack.operator): ack.subtasks for ack in acks}.values())


def _print(record: ControlRecord, acks: list[PatternAck], seconds: float, json: bool) -> None:
    if json:
        told = {"pattern": record.id, "version": record.version, "action": record.action}
        answers = [ack.model_dump(mode="json") for ack in acks]
        console.say_json(
            {**told, "request": record.request, "seconds": round(seconds, 3), "answers": answers}
        )
        return
    for ack in acks:
        place = f"{ack.operator} subtask {ack.subtask + 1} of {ack.subtasks}"
        console.say(f"{ack.state:<7}  {ack.pattern} version {ack.version}  {ack.job}: {place}{_why(ack)}")


def _why(ack: PatternAck) -> str:
    return f": {ack.reason}" if ack.reason else ""
