"""Reads a pattern's document, the mapping that YAML and the fluent API both make, into a model.

Owns the document's keys. Unknown keys are errors that name the nearest valid one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from cep_patterns.model import PatternModel, vocabulary_of
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
_KEYS: Final = ("series", "node", "graph", "row")
_FIELD_KINDS: Final = ("number", "text", "truth")


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
        vocabulary = vocabulary_of(_key(document), _row_fields(document))
        steps = PartsReader(vocabulary, self._problem).read(fields.pop("steps", None))
        if "within" in fields:
            within = fields.pop("within")
            fields["within_ms"] = None if within is None else self._try(duration_ms, within, "within")
        fields["after_match"] = self._try(after_match, fields.get("after_match", "no_skip"), None)
        if self.problems:
            return None
        if "key" in fields:
            fields["select"] = derive_select(fields["key"], steps)
        return made(PatternModel, {**fields, "steps": steps})

    def _try(self, read: Any, value: object, key: str | None) -> Any:
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
