"""`faultline pattern publish | retire | status`: patterns of the running job.

Imports Kafka inside the commands.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from faultline import console
from faultline.kafka_security import KafkaConfig, Servers, brokers
from faultline.live_control import (
    AUDIT,
    CONTROL,
    DAY_MS,
    Audit,
    Bootstrap,
    Change,
    Days,
    Place,
    Timeout,
    Topic,
    check_share,
    now_ms,
    say_rows,
    standing,
    tell,
)

if TYPE_CHECKING:
    from faultline.live_patterns import Row
    from records.control import ControlRecord, PatternAck

RUNNING: Final = ("live", "suspended")

InFlight = Annotated[
    Literal["drain", "drop"],
    typer.Option(help="Partial matches of the version that goes: let them end, or drop them."),
]


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
    topic: Topic = CONTROL,
    audit: Audit = AUDIT,
    json: console.Json = False,
) -> None:
    """Check a pattern, switch it on in the running job, and print the job's answers."""
    from records.control import ControlRecord

    check_share(share)
    pattern = _one_pattern(file)
    record = ControlRecord(
        action="publish",
        id=pattern["id"],
        version=pattern["version"],
        in_flight=in_flight,
        dry_run=dry_run,
        share=share,
        pattern=pattern,
        time=now_ms(),
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
    topic: Topic = CONTROL,
    audit: Audit = AUDIT,
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
        time=now_ms(),
        request=uuid.uuid4().hex,
    )
    _tell(before, record, timeout, json)


def status(
    bootstrap: Bootstrap,
    kafka_config: KafkaConfig = None,
    days: Days = 7.0,
    topic: Topic = CONTROL,
    audit: Audit = AUDIT,
    json: console.Json = False,
) -> None:
    """Show which patterns are live: version, dry run, share, since when, in how many subtasks."""
    before = _Before(brokers(bootstrap, kafka_config), topic, audit, days)
    for key, reason in before.wrong.items():
        console.note(f"{topic}: the record of {key} cannot be read: {reason}")
    columns = ("job", "pattern", "version", "state", "dry run", "share")
    say_rows(before.rows, columns, _cells, "no pattern is known to the topics", json)


def _cells(row: Row) -> tuple[str, ...]:
    dry_run = "yes" if row.dry_run else "no"
    return (
        row.job or "-",
        row.pattern,
        str(row.version),
        row.state,
        dry_run,
        f"{row.share:g}",
        *standing(row),
    )


class _Before:
    """What the topics said before a record is sent."""

    def __init__(self, servers: Servers, topic: str, audit: str, days: float = 7.0) -> None:
        from faultline.kafka import last_values, values_since
        from faultline.live_patterns import read_lines, read_records, rows

        self.servers, self.topic, self.audit = servers, topic, audit
        self.values = last_values(servers, topic)
        self.records, self.wrong = read_records(self.values)
        since = int(now_ms() - days * DAY_MS)
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
    from faultline.live_patterns import read_lines
    from records.control import LARGEST_BYTES, PatternAck
    from records.errors import UsageError

    value = record.model_dump_json(exclude_none=True).encode()
    if len(value) > LARGEST_BYTES:
        message = f"{record.id}: {len(value):,} bytes, more than {LARGEST_BYTES:,} are not taken"
        raise UsageError(message, "write a smaller pattern")
    change = Change(
        key=record.id,
        value=value,
        before=before.values.get(record.id),
        request=record.request,
        what=f"{record.action} of {record.id} version {record.version}",
        look="faultline pattern status",
        needs="see that the job runs, that its `control` names this topic and broker",
    )
    place = Place(before.servers, before.topic, before.audit)
    tell(place, change, PatternAck, read_lines, timeout, lambda acks, took: _print(record, acks, took, json))


def _print(record: ControlRecord, acks: Sequence[PatternAck], seconds: float, json: bool) -> None:
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
