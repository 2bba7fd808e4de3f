"""The one model of a pattern, which Python and YAML both become and which is shipped to the JVM as JSON.

Imports pydantic and this package's tree and vocabulary only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import ConfigDict, Field, StringConstraints

from cep_patterns.tree import Expr
from cep_patterns.vocabulary import GRAPH, SAMPLE, FieldKind, Vocabulary, rows
from records.matches import Severity
from records.validation import Record

Key = Literal["series", "node", "graph", "row"]
Contiguity = Literal["next", "followed_by", "followed_by_any", "not_next", "not_followed_by"]
SkipKind = Literal["no_skip", "skip_to_next", "skip_past_last", "skip_to_first", "skip_to_last"]
OnTimeout = Literal["nothing", "match"]
Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]
StepName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=100)]
FieldName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=100)]

LONGEST_MS: Final = 36_525 * 86_400_000
"""No window is longer: a hundred years. The JVM refuses what is, too, since times are 64-bit numbers."""
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


class Part(Record):
    """What a step and a group have in common; the quantifiers have the meaning of Flink's."""

    contiguity: Contiguity = "followed_by"
    times: Times | None = None
    one_or_more: bool = False
    optional: bool = False
    consecutive: bool = False
    combinations: bool = False
    until: Expr | None = None

    @property
    def negated(self) -> bool:
        """Whether the part says what must not come."""
        return self.contiguity in NEGATED

    @property
    def looping(self) -> bool:
        """Whether the part can go on taking samples without end."""
        return self.one_or_more or (self.times is not None and self.times.to is None)

    @property
    def counted(self) -> bool:
        """Whether the part has a count at all."""
        return self.one_or_more or self.times is not None


class StepModel(Part):
    """One step.

    `where` null takes any sample. `within_ms`: longest time from the sample before it to its own, its end
    excluded; null is no limit.
    """

    name: StepName
    where: Expr | None = None
    greedy: bool = False
    within_ms: Annotated[int, Field(gt=0, le=LONGEST_MS)] | None = None


class GroupModel(Part):
    """Steps that are taken, repeated or left out together."""

    group: Annotated[list[PartModel], Field(min_length=1)]

    @property
    def label(self) -> str:
        """How the group is named to a person: by its first step."""
        return f"group of {next(every_step(self.group)).name}"


PartModel: TypeAlias = StepModel | GroupModel


def every_step(parts: Sequence[PartModel]) -> Iterator[StepModel]:
    """All steps of `parts` in order, those in groups too."""
    for part in parts:
        if isinstance(part, GroupModel):
            yield from every_step(part.group)
        else:
            yield part


def every_part(parts: Sequence[PartModel]) -> Iterator[PartModel]:
    """All steps and groups of `parts` in order, each group before what is in it."""
    for part in parts:
        yield part
        if isinstance(part, GroupModel):
            yield from every_part(part.group)


def label(part: PartModel) -> str:
    """The name of a step, or how a group is named to a person."""
    return part.label if isinstance(part, GroupModel) else part.name


class PatternModel(Record):
    """A pattern.

    `within_ms`: longest time from the first to the last sample, its end excluded; null is no limit.
    `on_timeout`: whether a partial match that ran out of time counts as a match, of kind timeout.
    `fields`: for `key: row`, the fields of the row with their types.
    """

    id: Identifier
    version: Annotated[int, Field(ge=1, lt=2**31)]
    key: Key
    maturity: Literal["experimental", "production", "deprecated"] = "experimental"
    severity: Severity = "warning"
    runbook: str | None = None
    within_ms: Annotated[int, Field(gt=0, le=LONGEST_MS)] | None = None
    after_match: AfterMatch = AfterMatch()
    on_timeout: OnTimeout = "nothing"
    fields: dict[FieldName, FieldKind] | None = None
    steps: Annotated[list[PartModel], Field(min_length=1)]
    select: Select = Select()
    owner: str = ""
    description: str = ""
    misses: list[str] = Field(default_factory=list)

    def wire(self) -> dict[str, Any]:
        """The pattern as the JVM reads it: JSON values, without what is for people only."""
        return self.model_dump(mode="json", by_alias=True, exclude=_NOT_SHIPPED)


def vocabulary_of(key: Key, fields: dict[str, FieldKind] | None) -> Vocabulary:
    """What the conditions of a pattern of this key may look at."""
    if key == "row":
        return rows(fields or {})
    return GRAPH if key == "graph" else SAMPLE


GroupModel.model_rebuild()
PatternModel.model_rebuild()
