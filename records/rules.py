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


class Rule(Record):
    """One rule; null leaves a field to the sample or to the default (signal other, kind gauge, no unit).

    `metric` and `labels` are regular expressions for whole texts; a label that is absent does not match.
    `as` restricts the rule to one series derived from a histogram. `drop`: the series is not wanted.
    """

    metric: str
    labels: dict[str, str] = Field(default_factory=dict)
    signal: Signal | None = None
    unit: str | None = None
    kind: Literal["gauge", "counter"] | None = None
    drop: bool = False
    as_: Literal["rate", "mean", "p95"] | None = Field(default=None, alias="as")

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
        if not self.drop and self.signal is None and self.unit is None and self.kind is None:
            raise ValueError("the rule says nothing: give it a signal, a unit, a kind, or drop: true")
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
