"""Which patterns are live: the control topic and the job's answers on the audit topic, put together.

Pure: records in, rows out. Imports records.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import ValidationError

from records.control import ControlRecord, PatternAck, PatternsLive, PatternSuspended, Told, read_told
from records.model_control import MODEL_KEY
from records.validation import readable

State = Literal["live", "suspended", "refused", "not answered"]


@dataclass(frozen=True)
class Row:
    """A pattern as a job has it; `job` empty where none has answered.

    `since`: when its record was sent, ms, None for one of the configuration. `answered`, `subtasks`: how many
    subtasks said so, of how many.
    """

    job: str
    pattern: str
    version: int
    state: State
    dry_run: bool
    share: float
    since: int | None
    from_: Literal["configuration", "control"]
    answered: int = 0
    subtasks: int = 0
    reason: str | None = None


def read_records(values: Mapping[str, bytes]) -> tuple[dict[str, ControlRecord], dict[str, str]]:
    """The records of the control topic by id, and what is wrong with those that are none.

    Those of models are passed over.
    """
    records: dict[str, ControlRecord] = {}
    wrong: dict[str, str] = {}
    for key, value in values.items():
        if key == MODEL_KEY:
            continue
        try:
            records[key] = ControlRecord.model_validate_json(value)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            wrong[key] = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return records, wrong


def read_lines(lines: Iterable[bytes]) -> list[Told]:
    """What the audit says of patterns, in its order; lines of another form are passed over."""
    return readable(lines, read_told)


def rows(records: Mapping[str, ControlRecord], told: Iterable[Told]) -> list[Row]:
    """What is live, suspended, refused or not answered, by job and id."""
    jobs: dict[str, _Job] = {}
    for one in told:
        jobs.setdefault(one.job, _Job(one.job)).take(one)
    found = [row for job in jobs.values() for row in job.rows(records)]
    if not jobs:
        found = [_unanswered("", record) for record in records.values() if record.action == "publish"]
    return sorted(found, key=lambda row: (row.job, row.pattern))


class _Job:
    """The answers of one job."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._live: dict[tuple[str, str, int], PatternsLive] = {}
        self._acks: dict[str, dict[tuple[str, str, int], PatternAck]] = {}
        self._suspended: list[PatternSuspended] = []

    def take(self, told: Told) -> None:
        if isinstance(told, PatternsLive):
            self._live[told.who] = told
        elif isinstance(told, PatternSuspended):
            self._suspended.append(told)
        elif told.request is not None:
            self._acks.setdefault(told.request, {})[told.who] = told

    def rows(self, records: Mapping[str, ControlRecord]) -> list[Row]:
        latest = max(self._live.values(), key=lambda told: told.time, default=None)
        started = {each.pattern: each for each in latest.patterns} if latest else {}
        found = {
            pattern: Row(
                self._name,
                pattern,
                each.version,
                "live",
                each.dry_run,
                each.share,
                each.since,
                each.from_,
                *self._count(pattern),
            )
            for pattern, each in started.items()
        }
        for pattern, record in records.items():
            before = found.get(pattern)
            if before is not None and before.version > record.version:
                continue
            row = self._answered(record, before)
            if row is None:
                found.pop(pattern, None)
            else:
                found[pattern] = row
        return [self._with_suspensions(row, records.get(row.pattern)) for row in found.values()]

    def _with_suspensions(self, row: Row, record: ControlRecord | None) -> Row:
        """The row, marked where a subtask has suspended this version since it was published or started."""
        request = record.request if record is not None and row.from_ == "control" else None
        still = {
            told.who: told
            for told in self._suspended
            if (told.pattern, told.version, told.request) == (row.pattern, row.version, request)
            and self._started(told.who) <= told.time
        }
        if row.state != "live" or not still:
            return row
        worst = max(still.values(), key=lambda told: told.share)
        took = f"took {worst.share:.0%} of the time, {worst.allowed:.0%} are allowed"
        return replace(row, state="suspended", reason=f"{took}; in {len(still)} of {worst.subtasks} subtasks")

    def _started(self, who: tuple[str, str, int]) -> int:
        return self._live[who].time if who in self._live else 0

    def _count(self, pattern: str) -> tuple[int, int]:
        """How many subtasks of an operator that follows this pattern said so at their start, of how many."""
        said = [told for told in self._live.values() if told.operator == "node"]
        having = [told for told in said if any(each.pattern == pattern for each in told.patterns)]
        return len(having), max((told.subtasks for told in said), default=0)

    def _answered(self, record: ControlRecord, before: Row | None) -> Row | None:
        """The row of a pattern that the topic names; None for one that is retired."""
        acks = list(self._acks.get(record.request, {}).values())
        if record.action == "retire" and (acks or before is None):
            refused = next((ack for ack in acks if ack.state == "refused"), None)
            return before if refused is not None else None
        if not acks:
            same = before is not None and before.version == record.version and before.since == record.time
            return before if same else _unanswered(self._name, record)
        refused = next((ack for ack in acks if ack.state == "refused"), None)
        return Row(
            self._name,
            record.id,
            record.version,
            "live" if refused is None else "refused",
            record.dry_run,
            record.share,
            record.time,
            "control",
            len(acks),
            acks[0].subtasks,
            None if refused is None else refused.reason,
        )


def _unanswered(job: str, record: ControlRecord) -> Row:
    return Row(
        job,
        record.id,
        record.version,
        "not answered",
        record.dry_run,
        record.share,
        record.time,
        "control",
    )
