"""Rules: what a metric measures, by its name and labels.

Loads the shipped rules and a user's, which come first.

Owns the form of the rules; the JVM applies them, and `first_match` says what it will do. Imports PyYAML and
pydantic.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import yaml
from pydantic import Field, ValidationError, field_validator, model_validator

from records.errors import ConfigError
from records.signals import Signal
from records.validation import Record, explain

SHIPPED: Final = Path(__file__).with_name("rules.yaml")


class Also(Record):
    """A further sum over the same series: over those that match all labels of one of `where`."""

    signal: Signal
    where: list[dict[str, str]] = Field(default_factory=list)

    @field_validator("where", mode="before")
    @classmethod
    def _one_is_a_list_too(cls, where: object) -> object:
        return [where] if isinstance(where, dict) else where

    @field_validator("where")
    @classmethod
    def _all_compile(cls, where: list[dict[str, str]]) -> list[dict[str, str]]:
        for text in (text for labels in where for text in labels.values()):
            _compile(text)
        return where


class Combine(Record):
    """What several metrics make together: `total` - `less`, or `part` / `whole`, of the same labels."""

    name: str
    signal: Signal
    unit: str | None = None
    term: Literal["total", "less", "part", "whole"]


class Rule(Record):
    """One rule; null leaves a field to the sample or to the default (signal other, kind gauge, no unit).

    `metric` and `labels` are regular expressions for whole texts; a label that is absent does not match; in
    their names a dot may be written as an underscore. A rule that neither says a signal nor drops corrects
    what the next one says. `kind: histogram`: `metric` names a histogram or summary, and so its parts.
    `as` restricts the rule to one series derived from a histogram. `drop`: the series is not wanted. `sum`:
    series that differ in these labels only are added up; `also`: further sums over some of them. `combine`:
    the series is a term of another one. `place`: where the rule is written.
    """

    metric: str
    labels: dict[str, str] = Field(default_factory=dict)
    signal: Signal | None = None
    unit: str | None = None
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
        _compile(text)
        return text

    @field_validator("labels")
    @classmethod
    def _all_compile(cls, labels: dict[str, str]) -> dict[str, str]:
        for text in labels.values():
            _compile(text)
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


def _compile(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from error


def load_rules(paths: Iterable[Path | str] = ()) -> list[dict[str, Any]]:
    """The rules of a user's files, then the shipped ones, as the JVM reads them.

    ConfigError names file and rule.
    """
    return [rule for file in (*map(Path, paths), SHIPPED) for rule in _read(file)]


def _read(file: Path) -> list[dict[str, Any]]:
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}", "name a file that is there") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: no YAML: {error}", "correct the file") from error
    if not isinstance(content, list):
        raise ConfigError(
            f"{file}: a list of rules is wanted", "write one rule per line: - {metric: ..., signal: ...}"
        )
    return [_rule(raw, f"{file}: rule {number}") for number, raw in enumerate(content, start=1)]


def _rule(raw: object, place: str) -> dict[str, Any]:
    try:
        rule = Rule.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(f"{place}: {'; '.join(explain(error, Rule))}", "correct the rule") from error
    return rule.model_dump(mode="json", by_alias=True)


def first_match(
    rules: Sequence[Mapping[str, Any]], metric: str, labels: Mapping[str, str] | None = None
) -> Mapping[str, Any] | None:
    """The rule that decides about a series of this name and these labels, or None.

    It is then `other`, and counted.
    """
    return next((rule for rule in rules if _matches(rule, metric, labels or {})), None)


def _matches(rule: Mapping[str, Any], metric: str, labels: Mapping[str, str]) -> bool:
    if re.fullmatch(rule["metric"], metric) is None:
        return False
    return all(name in labels and re.fullmatch(text, labels[name]) for name, text in rule["labels"].items())
