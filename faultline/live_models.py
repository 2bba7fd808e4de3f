"""Which bundles serve: the control topic and the jobs' answers on the audit topic, put together.

Pure: records in, rows and records out. Imports records.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import ValidationError

from records.errors import UsageError
from records.model_control import (
    BundleRef,
    Candidate,
    ModelAck,
    ModelRecord,
    ModelsLive,
    Promotion,
    Stage,
    read_told,
)
from records.validation import explain, readable

State = Literal["live", "refused", "passed_over", "not answered"]


@dataclass(frozen=True)
class Row:
    """A bundle as a job has it; `job` empty where none has answered.

    `since`: when its record was sent, ms, None for the configuration's. `answered`, `subtasks`: how many
    subtasks said so, of how many.
    """

    job: str
    model: str
    stage: Literal["full", "shadow", "canary"]
    share: float
    state: State
    since: int | None
    from_: Literal["configuration", "control"]
    answered: int = 0
    subtasks: int = 0
    reason: str | None = None


def read_record(value: bytes | None) -> tuple[ModelRecord | None, str | None]:
    """The record of the control topic, and what is wrong with one that is none."""
    if value is None:
        return None, None
    try:
        return ModelRecord.model_validate_json(value), None
    except ValidationError as error:
        return None, "; ".join(explain(error, ModelRecord))


def read_lines(lines: Iterable[bytes]) -> list[ModelAck | ModelsLive]:
    """What the audit says of bundles that serve, in its order; lines of another form are passed over."""
    return readable(lines, read_told)


def published(
    before: ModelRecord | None,
    bundle: BundleRef,
    stage: Literal["full"] | Stage,
    share: float,
    time: int,
    request: str,
    promote: Promotion | None = None,
) -> ModelRecord:
    """The record that puts a bundle into service after `before`; a tried bundle gives way to any other.

    UsageError for a rule of promotion where nothing comes after the stage.
    """
    if stage == "full" and promote is not None:
        raise UsageError(
            "--promote-after with --stage full: no stage comes after", "--stage shadow or canary"
        )
    live = None if before is None else before.live
    previous = None if before is None else before.previous
    if stage != "full":
        candidate = Candidate(bundle=bundle, stage=stage, share=share, promote=promote)
        return ModelRecord(
            action="publish", live=live, previous=previous, candidate=candidate, time=time, request=request
        )
    same = live is not None and live.sha256 == bundle.sha256
    return ModelRecord(
        action="publish", live=bundle, previous=previous if same else live, time=time, request=request
    )


def taken_back(before: ModelRecord | None, time: int, request: str) -> ModelRecord:
    """The record that takes back the bundle that is tried, else the live one.

    UsageError where there is neither.
    """
    if before is None or not before.bundles():
        message = "the configuration's bundle serves, and no other is tried: there is nothing to take back"
        raise UsageError(message, "see `faultline model status`")
    tried = before.candidate is not None
    return ModelRecord(
        action="rollback",
        live=before.live if tried else before.previous,
        previous=before.previous if tried else None,
        time=time,
        request=request,
    )


def rows(record: ModelRecord | None, told: Iterable[ModelAck | ModelsLive]) -> list[Row]:
    """The bundles that serve by job, and what the topic names that no job has answered."""
    lines = list(told)
    found = [
        row
        for job in dict.fromkeys(line.job for line in lines)
        for row in _of_job([line for line in lines if line.job == job], record)
    ]
    answered = any(line.request == record.request for line in lines) if record else True
    if record is not None and not answered:
        found += [replace(row, state="not answered") for row in _serving(record, "")]
    return found


def _of_job(lines: list[ModelAck | ModelsLive], record: ModelRecord | None) -> list[Row]:
    """What the newest line of each subtask says that took effect, and the newest refusal of the record."""
    newest: dict[int, ModelAck | ModelsLive] = {}
    own: str | None = None
    for line in lines:
        if isinstance(line, ModelsLive) or line.state == "live":
            newest[line.subtask] = line
        if isinstance(line, ModelsLive) and line.request is None:
            own = line.live
    rows: list[Row] = []
    if newest:
        last = max(newest.values(), key=lambda line: line.time or 0)
        subtasks = last.subtasks
        alike = [each for each in newest.values() if each.request == last.request]
        why = record.reason if record is not None and record.request == last.request else None
        rows = [
            replace(row, answered=min(len(alike), subtasks), subtasks=subtasks, reason=why)
            for row in _told(last, own)
        ]
    return [*rows, *([] if record is None else _refused(lines, record))]


def _refused(lines: list[ModelAck | ModelsLive], record: ModelRecord) -> list[Row]:
    refused = [
        line
        for line in lines
        if isinstance(line, ModelAck) and (line.state, line.request) == ("refused", record.request)
    ]
    if not refused:
        return []
    last = refused[-1]
    return [
        replace(row, state="refused", reason=last.reason, answered=len(refused), subtasks=last.subtasks)
        for row in _serving(record, last.job)
    ]


def _told(line: ModelAck | ModelsLive, own: str | None) -> list[Row]:
    live, from_ = line.live or own or "the configuration's", line.live is not None and line.live != own
    origin: Literal["configuration", "control"] = "control" if from_ else "configuration"
    since = line.time if from_ else None
    found = [Row(line.job, live, "full", 1.0, "live", since, origin)]
    if line.candidate is not None and line.stage is not None:
        found.append(Row(line.job, line.candidate, line.stage, line.share, "live", line.time, "control"))
    return found


def _serving(record: ModelRecord, job: str) -> list[Row]:
    """The bundles that a record names."""
    found = []
    if record.live is not None:
        found.append(Row(job, record.live.label, "full", 1.0, "live", record.time, "control"))
    if record.candidate is not None:
        tried = record.candidate
        found.append(Row(job, tried.bundle.label, tried.stage, tried.share, "live", record.time, "control"))
    return found
