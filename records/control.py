"""What the control topic tells the running job, and what the job answers on the audit topic.

Owns version 1 of these records: `faultline.control.v1` (compacted, key = id of the pattern), and the lines
`pattern_ack` and `patterns_live` of `faultline.audit.v1`. Imports pydantic only.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field, StringConstraints, TypeAdapter, model_validator

from records.samples import Name, TimeMs
from records.validation import Record

CONTROL_TOPIC: Final = "faultline.control.v1"
AUDIT_TOPIC: Final = "faultline.audit.v1"
DEAD_LETTERS_TOPIC: Final = "faultline.dead-letters.v1"
LARGEST_BYTES: Final = 256 * 1024
"""A larger record is refused by the job."""

PatternId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]
Version = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(gt=0, le=1, strict=False)]


class ControlRecord(Record):
    """Publishes a pattern, or retires it.

    `version`: of the pattern; higher than the live one, or the live one with the same content. `in_flight`:
    whether partial matches of the version that goes are ended (`drain`) or dropped. `dry_run`: matches are
    marked and open no incident. `share`: the part of all graphs that the pattern applies to. `pattern`: the
    compiled pattern, as PatternModel.wire() gives it; none where it is retired. `time`: when it was sent, ms.
    `request`: names the record in answers.
    """

    v: Literal[1] = 1
    kind: Literal["pattern"] = "pattern"
    action: Literal["publish", "retire"]
    id: PatternId
    version: Version
    in_flight: Literal["drain", "drop"] = "drain"
    dry_run: bool = False
    share: Share = 1.0
    pattern: dict[str, Any] | None = None
    time: TimeMs
    request: Name

    @model_validator(mode="after")
    def _pattern_where_published(self) -> ControlRecord:
        if (self.action == "publish") != (self.pattern is not None):
            raise ValueError("a pattern that is published is given, one that is retired is not")
        return self


class _Told(Record):
    """Who tells: a subtask of an operator of a job, `subtask` from 0."""

    v: Literal[1]
    job: str
    operator: Literal["node", "correlate"]
    subtask: Annotated[int, Field(ge=0)]
    subtasks: Annotated[int, Field(ge=1)]

    @property
    def who(self) -> tuple[str, str, int]:
        """Job, operator and subtask."""
        return self.job, self.operator, self.subtask


class PatternAck(_Told):
    """What a record of the control topic came to in one subtask.

    `pattern` is empty and `version` 0 where they could not be read; `reason` says why it was refused.
    """

    type: Literal["pattern_ack"]
    state: Literal["live", "retired", "refused"]
    pattern: str
    version: int
    dry_run: bool
    share: Share
    reason: str | None
    request: str | None
    time: TimeMs | None


class LivePattern(Record):
    """A pattern that is live; `since`: when its record was sent, ms, null for one of the configuration."""

    pattern: str
    version: int
    dry_run: bool
    share: Share
    from_: Annotated[Literal["configuration", "control"], Field(alias="from")]
    since: TimeMs | None


class PatternsLive(_Told):
    """All patterns that are live, told by each subtask once after it started; `time`: when it did, ms."""

    type: Literal["patterns_live"]
    time: TimeMs
    patterns: list[LivePattern]


Told = Annotated[PatternAck | PatternsLive, Field(discriminator="type")]
_TOLD: Final[TypeAdapter[PatternAck | PatternsLive]] = TypeAdapter(Told)


def read_told(line: bytes) -> PatternAck | PatternsLive | None:
    """What a line of the audit says of patterns; None for a line of another type.

    pydantic's ValidationError where it is of one of these types and not as it should be.
    """
    if b'"type":"pattern_ack"' not in line and b'"type":"patterns_live"' not in line:
        return None
    return _TOLD.validate_json(line)
