"""The form of a rule, as a user writes it and the JVM reads it. Imports pydantic and records."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from pydantic import Field, field_validator, model_validator

from records.signals import Signal
from records.units import factor
from records.validation import Record

_Labels = dict[str, str]


@cache
def compiled(text: str) -> re.Pattern[str]:
    """The expression; ValueError where it is none."""
    try:
        return re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from error


class _Unit(Record):
    """What has a unit."""

    unit: str | None = None

    @field_validator("unit")
    @classmethod
    def _has_a_factor(cls, unit: str | None) -> str | None:
        if factor(unit) is None:
            raise ValueError(f"{unit!r} is no unit; UCUM's are meant, such as s, ms, By, MiBy, %, 1, By/s")
        return unit


class Also(Record):
    """A further sum over the same series: over those that match all labels of one of `where`."""

    signal: Signal
    where: list[_Labels] = Field(default_factory=list)

    @field_validator("where", mode="before")
    @classmethod
    def _one_is_a_list_too(cls, where: object) -> object:
        return [where] if isinstance(where, dict) else where

    @field_validator("where")
    @classmethod
    def _allcompiled(cls, where: list[_Labels]) -> list[_Labels]:
        for text in (text for labels in where for text in labels.values()):
            compiled(text)
        return where


class Combine(_Unit):
    """What several metrics make together: `total` - `less`, or `part` / `whole`, of the same labels.

    `of`: the total or the whole where it is always the same, such as 100.
    """

    name: str
    signal: Signal
    term: Literal["total", "less", "part", "whole"]
    of: float | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _one_whole(self) -> Combine:
        if self.of is not None and self.term in ("total", "whole"):
            raise ValueError(f"of: says the {self.term} a second time")
        return self


class Rule(_Unit):
    """One rule; null leaves a field to the sample or to the default (signal other, kind gauge, no unit).

    `metric` and `labels` are regular expressions for whole texts; a label that is absent does not match; in
    their names a dot may be written as an underscore. A rule that neither says a signal nor drops corrects
    what the next one says. `kind: histogram`: `metric` names a histogram or summary, and so its parts.
    `as` restricts the rule to one series derived from a histogram. `drop`: the series is not wanted. `sum`:
    series that differ in these labels only are added up; `also`: further sums over some of them. `combine`:
    the series is a term of another one. `place`: where the rule is written.
    """

    metric: str
    labels: _Labels = Field(default_factory=dict)
    signal: Signal | None = None
    kind: Literal["gauge", "counter", "histogram"] | None = None
    drop: bool = False
    as_: Literal["rate", "mean", "p95"] | None = Field(default=None, alias="as")
    sum: list[str] | None = None
    also: list[Also] = Field(default_factory=list)
    combine: Combine | None = None
    place: str | None = None

    @field_validator("metric")
    @classmethod
    def _compiles(cls, text: str) -> str:
        compiled(text)
        return text

    @field_validator("labels")
    @classmethod
    def _allcompiled(cls, labels: _Labels) -> _Labels:
        for text in labels.values():
            compiled(text)
        return labels

    @model_validator(mode="after")
    def _says_something(self) -> Rule:
        says = (self.signal, self.unit, self.kind, self.combine)
        if not self.drop and all(each is None for each in says):
            raise ValueError("the rule says nothing: give it a signal, a unit, a kind, or drop: true")
        if self.also and self.sum is None:
            raise ValueError("also: needs sum, the labels over which series are added up ([] for none)")
        if self.sum is not None and self.signal is None:
            raise ValueError("sum: needs a signal")
        return self
