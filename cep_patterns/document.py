"""Reads a pattern's document, the mapping that YAML and the fluent API both make, into a model.

Owns the document's keys. Unknown keys are errors that name the nearest valid one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, cast

from cep_patterns.model import PartModel, PatternModel, StepModel, vocabulary_of
from cep_patterns.parts import PartsReader
from cep_patterns.problems import Problem
from cep_patterns.select import derive_select
from cep_patterns.short_forms import (
    RefusedError,
    after_match,
    duration_ms,
    duration_of,
    made,
    mapping,
    unknown,
)
from cep_patterns.validate import validate
from records.validation import nearest

__all__ = ["PATTERN_KEYS", "duration_of", "read_document"]

PATTERN_KEYS: Final = (
    "id",
    "version",
    "maturity",
    "owner",
    "description",
    "misses",
    "key",
    "fields",
    "steps",
    "within",
    "after_match",
    "on_timeout",
    "severity",
    "runbook",
)
_STRUCTURE: Final = ("key", "fields", "steps", "within_ms", "after_match", "on_timeout")
_KEYS: Final = ("series", "node", "graph", "row")
_FIELD_KINDS: Final = ("number", "text", "truth")


def read_document(raw: object, file: str | None = None) -> tuple[PatternModel | None, list[Problem]]:
    """The pattern in the mapping `raw` and its problems; no pattern where one of them is an error.

    Every key and every step is read, so one pass shows all that is wrong.
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
        except RefusedError as refused:
            self._problem(refused)
            return None

    def _problem(self, refused: RefusedError) -> None:
        self.problems.append(Problem("error", refused.message, refused.step, column=refused.column))

    def _pattern(self, raw: object) -> PatternModel | None:
        document = mapping(raw, "a pattern")
        for refused in unknown(document, PATTERN_KEYS):
            self._problem(refused)
        fields = {name: document[name] for name in PATTERN_KEYS if name in document}
        fields["steps"] = self._steps(document)
        if "within" in fields:
            within = fields.pop("within")
            fields["within_ms"] = None if within is None else self._try(duration_ms, within, "within")
        fields["after_match"] = self._try(after_match, fields.get("after_match", "no_skip"), None)
        if self.problems:
            self._rest(fields)
            return None
        if "key" in fields:
            fields["select"] = derive_select(fields["key"], fields["steps"])
        return self._made(fields)

    def _steps(self, document: Mapping[str, Any]) -> list[PartModel] | None:
        """The steps; None where they, or what their conditions may look at, cannot be read."""
        key, fields = self._try(_key, document, None), self._try(_row_fields, document, None)
        if key is None or (key == "row" and fields is None):
            return None
        reader = PartsReader(vocabulary_of(key, fields), self._problem)
        return cast("list[PartModel] | None", self._try(reader.read, document.get("steps"), None))

    def _rest(self, fields: Mapping[str, Any]) -> None:
        """Tells what is wrong with the keys that were not read before, in a pattern that cannot be made."""
        read_before = ("key", "fields", "within_ms", "after_match", "steps")
        rest = {name: value for name, value in fields.items() if name not in read_before}
        key = {"key": "series"} if "key" in fields else {}
        self._try(partial(made, PatternModel), {**rest, **key, "steps": [StepModel(name="any")]}, None)

    def _made(self, fields: Mapping[str, Any]) -> PatternModel | None:
        """The pattern; where a key cannot be used, what is wrong with the structure is told all the same."""
        try:
            return made(PatternModel, fields)
        except RefusedError as refused:
            self._problem(refused)
        structure = {name: fields[name] for name in _STRUCTURE if name in fields}
        try:
            pattern = made(PatternModel, {**structure, "id": "any", "version": 1})
        except RefusedError:
            return None  # Told already.
        self.problems += [each for each in validate(pattern) if each.severity == "error"]
        return None

    def _try(self, read: Callable[[Any], Any], value: object, key: str | None) -> Any:
        try:
            return read(value)
        except RefusedError as refused:
            self._problem(RefusedError(f"{key}: {refused.message}" if key else refused.message))
            return None


def _key(document: Mapping[str, Any]) -> Any:
    key = document.get("key", "series")
    if key not in _KEYS:
        raise RefusedError(f"key: unknown key {str(key)!r}{nearest(str(key), _KEYS)}")
    return key


def _row_fields(document: Mapping[str, Any]) -> Any:
    """The declared fields of a row; there with `key: row` and only there."""
    fields = document.get("fields")
    if document.get("key") != "row":
        if fields is not None:
            raise RefusedError("fields: belongs to patterns with key: row")
        return None
    declared = mapping(fields, "fields")
    for name, kind in declared.items():
        if kind not in _FIELD_KINDS:
            raise RefusedError(f"fields: {name}: {kind!r} is no type{nearest(str(kind), _FIELD_KINDS)}")
    return declared
