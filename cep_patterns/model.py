"""The one model of a pattern, which Python and YAML both become and which is shipped to the JVM as JSON.

Imports pydantic and this package's tree only.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field, StringConstraints

from cep_patterns.tree import Expr
from records.matches import Severity
from records.validation import Record

Contiguity = Literal["next", "followed_by", "followed_by_any", "not_next", "not_followed_by"]
SkipKind = Literal["no_skip", "skip_to_next", "skip_past_last", "skip_to_first", "skip_to_last"]
Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]
StepName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=100)]

NEGATED: Final[frozenset[Contiguity]] = frozenset({"not_next", "not_followed_by"})
_NOT_SHIPPED: Final = {"owner", "description", "misses"}


class Times(Record):
    """How often a step is taken: from `from` to `to` times, or `from` times and more where `to` is null."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True)

    from_: Annotated[int, Field(alias="from")]
    to: int | None


class AfterMatch(Record):
    """Where the next match may begin; `step` for skip_to_first and skip_to_last."""

    kind: SkipKind = "no_skip"
    step: str | None = None


class Select(Record):
    """Which samples can matter to the pattern at all, a hint for an index; null is any."""

    signals: list[str] | None = None
    metrics: list[str] | None = None


class StepModel(Record):
    """One step; its quantifiers have the meaning of Flink's. `where` null takes any sample."""

    name: StepName
    where: Expr | None = None
    contiguity: Contiguity = "followed_by"
    times: Times | None = None
    one_or_more: bool = False
    optional: bool = False
    greedy: bool = False
    consecutive: bool = False
    combinations: bool = False
    until: Expr | None = None

    @property
    def negated(self) -> bool:
        """Whether the step says what must not come."""
        return self.contiguity in NEGATED

    @property
    def looping(self) -> bool:
        """Whether the step can go on taking samples without end."""
        return self.one_or_more or (self.times is not None and self.times.to is None)

    @property
    def counted(self) -> bool:
        """Whether the step has a count at all."""
        return self.one_or_more or self.times is not None


class PatternModel(Record):
    """A pattern.

    `within_ms`: longest time from the first to the last sample, its end excluded; null is no limit.
    """

    id: Identifier
    version: Annotated[int, Field(ge=1)]
    key: Literal["series", "node"]
    maturity: Literal["experimental", "production", "deprecated"] = "experimental"
    severity: Severity = "warning"
    runbook: str | None = None
    within_ms: Annotated[int, Field(gt=0)] | None = None
    after_match: AfterMatch = AfterMatch()
    steps: Annotated[list[StepModel], Field(min_length=1)]
    select: Select = Select()
    owner: str = ""
    description: str = ""
    misses: list[str] = Field(default_factory=list)

    def wire(self) -> dict[str, Any]:
        """The pattern as the JVM reads it: JSON values, without what is for people only."""
        return self.model_dump(mode="json", by_alias=True, exclude=_NOT_SHIPPED)
