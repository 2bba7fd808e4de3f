"""Reads a pattern's document, the mapping that YAML and the fluent API both make, into a model.

Owns the document's keys and its short forms (`within: 30s`, `times: 3`, `after_match: skip_past_last`).
Unknown keys are errors that name the nearest valid one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from cep_patterns.expressions import parse_condition
from cep_patterns.model import AfterMatch, PatternModel, StepModel, Times
from cep_patterns.select import derive_select
from cep_patterns.tree import Expr
from cep_patterns.validate import Problem, validate
from cep_patterns.vocabulary import ConditionError
from records.validation import explain, nearest

PATTERN_KEYS: Final = (
    "id",
    "version",
    "maturity",
    "owner",
    "description",
    "misses",
    "key",
    "steps",
    "within",
    "after_match",
    "severity",
    "runbook",
)
STEP_KEYS: Final = (
    "name",
    "where",
    "contiguity",
    "times",
    "one_or_more",
    "optional",
    "greedy",
    "consecutive",
    "combinations",
    "until",
)
SKIPS: Final = ("no_skip", "skip_to_next", "skip_past_last", "skip_to_first", "skip_to_last")
_Model = TypeVar("_Model", PatternModel, StepModel)
_UNITS_MS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


class _RefusedError(Exception):
    """One thing wrong in a document, met while reading it; never leaves this module."""

    def __init__(self, message: str, step: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.step = step


def read_document(raw: object, file: str | None = None) -> tuple[PatternModel | None, list[Problem]]:
    """The pattern in the mapping `raw` and its problems; no pattern where one of them is an error.

    Every step is read, so one pass shows every wrong condition.
    """
    reader = _Reader()
    pattern = reader.pattern(raw)
    problems = [*reader.problems, *(validate(pattern) if pattern else [])]
    name = str(raw["id"]) if isinstance(raw, Mapping) and "id" in raw else None
    placed = [replace(problem, pattern=name, file=file) for problem in problems]
    refused = any(problem.severity == "error" for problem in placed)
    return None if refused else pattern, placed


class _Reader:
    """Reads one document and collects its problems."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def pattern(self, raw: object) -> PatternModel | None:
        try:
            return self._pattern(raw)
        except _RefusedError as refused:
            self._problem(refused)
            return None

    def _problem(self, refused: _RefusedError) -> None:
        self.problems.append(Problem("error", refused.message, refused.step))

    def _pattern(self, raw: object) -> PatternModel | None:
        document = _mapping(raw, "a pattern")
        for refused in _unknown(document, PATTERN_KEYS):
            self._problem(refused)
        if document.get("key") == "graph":
            raise _RefusedError("key: graph is not there yet; there are series and node")
        steps = self._steps(document.get("steps"))
        fields = {name: document[name] for name in PATTERN_KEYS if name in document}
        fields.pop("steps", None)
        if "within" in fields:
            within = fields.pop("within")
            fields["within_ms"] = None if within is None else self._try(duration_ms, within, "within")
        fields["after_match"] = self._try(_after_match, fields.get("after_match", "no_skip"), None)
        if self.problems:
            return None
        if fields.get("key") in ("series", "node"):
            fields["select"] = derive_select(fields["key"], steps)
        return _model(PatternModel, {**fields, "steps": steps})

    def _try(self, read: Any, value: object, key: str | None) -> Any:
        try:
            return read(value)
        except _RefusedError as refused:
            self._problem(_RefusedError(f"{key}: {refused.message}" if key else refused.message))
            return None

    def _steps(self, raw: object) -> list[StepModel]:
        if not isinstance(raw, list) or not raw:
            raise _RefusedError("steps: a list of at least one step is wanted")
        steps: list[StepModel] = []
        earlier: list[str] = []
        for number, each in enumerate(raw, start=1):
            name = _step_name(each, number)
            try:
                step = self._step(each, name, earlier)
            except _RefusedError as refused:
                self._problem(_RefusedError(refused.message, refused.step or name))
                earlier.append(name)
                continue
            steps.append(step)
            if not step.negated:
                earlier.append(step.name)
        return steps

    def _step(self, raw: object, name: str, earlier: list[str]) -> StepModel:
        document = _mapping(raw, "a step")
        if "group" in document:
            raise _RefusedError("groups of steps are not there yet")
        for refused in _unknown(document, STEP_KEYS):
            raise refused
        fields = dict(document)
        negated = str(fields.get("contiguity", "")).startswith("not_")
        seen = earlier if negated else [*earlier, name]
        for key in ("where", "until"):
            if key in fields:
                fields[key] = _condition(key, fields[key], seen)
        if "times" in fields:
            fields["times"] = _times(fields["times"])
        return _model(StepModel, fields)


def _mapping(raw: object, what: str) -> Mapping[str, Any]:
    if not isinstance(raw, Mapping):
        raise _RefusedError(f"{what} is a mapping of keys to values; this is {type(raw).__name__}")
    return raw


def _unknown(document: Mapping[str, Any], valid: tuple[str, ...]) -> Iterator[_RefusedError]:
    for key in document:
        if key not in valid:
            yield _RefusedError(f"unknown key {key!r}{nearest(str(key), valid)}")


def _step_name(raw: object, number: int) -> str:
    name = raw.get("name") if isinstance(raw, Mapping) else None
    return name if isinstance(name, str) else f"number {number}"


def _model(model: type[_Model], fields: Mapping[str, Any]) -> _Model:
    try:
        return model.model_validate(dict(fields))
    except ValidationError as error:
        raise _RefusedError("; ".join(explain(error, model))) from error


def _condition(key: str, raw: object, steps: list[str]) -> Expr | None:
    if raw is None or raw is True:
        return None
    if not isinstance(raw, str):
        raise _RefusedError(f"{key}: a condition is text; this is {type(raw).__name__}")
    try:
        return parse_condition(raw, steps)
    except ConditionError as error:
        raise _RefusedError(f"{key}: {error}: {raw.strip()}") from error


def _times(raw: object) -> Times:
    if isinstance(raw, int) and not isinstance(raw, bool):
        return Times(from_=raw, to=raw)
    if isinstance(raw, Mapping):
        for refused in _unknown(raw, ("from", "to")):
            raise refused
        least, most = raw.get("from", 1), raw.get("to")
        if isinstance(least, int) and (most is None or isinstance(most, int)):
            return Times(from_=least, to=most)
    raise _RefusedError("times: a number or {from, to} is wanted")


def _after_match(raw: object) -> AfterMatch:
    if isinstance(raw, str):
        if raw in ("skip_to_first", "skip_to_last"):
            raise _RefusedError(f"after_match: say the step, as in {{{raw}: step}}")
        if raw not in SKIPS:
            raise _RefusedError(f"after_match: unknown strategy {raw!r}{nearest(raw, SKIPS)}")
        return AfterMatch(kind=raw)  # type: ignore[arg-type]
    if isinstance(raw, Mapping) and len(raw) == 1:
        ((kind, step),) = raw.items()
        if kind in ("skip_to_first", "skip_to_last") and isinstance(step, str):
            return AfterMatch(kind=kind, step=step)
    raise _RefusedError(
        "after_match: a strategy's name, {skip_to_first: step} or {skip_to_last: step} is wanted"
    )


def duration_ms(raw: object) -> int:
    """Milliseconds of a duration that lasts, such as 30s, 500ms, 1h30m.

    A bare number is refused, and so is zero.
    """
    try:
        total = duration_of(raw)
    except ValueError as error:
        raise _RefusedError(str(error)) from error
    if total == 0:
        raise _RefusedError(f"{raw} is no time at all: leave the key out for no limit")
    return total


def duration_of(raw: object) -> int:
    """Milliseconds of a duration such as 30s, 500ms, 1h30m, or 0; ValueError where it is none."""
    text = raw.strip() if isinstance(raw, str) else ""
    if raw == 0 and not isinstance(raw, bool):
        return 0
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)", text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError(f"a duration with its unit is wanted, such as 30s, 500ms or 1h30m; this is {raw!r}")
    total = sum(float(number) * _UNITS_MS[unit] for number, unit in parts)
    if total != int(total):
        raise ValueError(f"{raw} is finer than 1 ms")
    return int(total)
