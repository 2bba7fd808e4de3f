"""What rows of a trial may be, what their fields are to a condition, and how their values are sent. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, Protocol

from cep_patterns.fitting import check_pattern, type_of
from cep_patterns.model import PatternModel
from cep_patterns.pattern import Pattern
from records.errors import PatternError
from records.samples import LAST_MS


class Tried(Protocol):
    """What is looked at of a trial."""

    @property
    def pattern(self) -> Pattern | PatternModel: ...
    @property
    def rows(self) -> Sequence[Mapping[str, Any]]: ...
    @property
    def time(self) -> str: ...
    @property
    def key(self) -> Sequence[str]: ...
    @property
    def out_of_orderness_ms(self) -> int: ...
    @property
    def partials_per_key(self) -> int: ...


def check(trial: Tried) -> None:
    """Refuses what is no trial: an empty answer would look like one. PatternError that names the row."""
    check_pattern(trial.pattern)
    if isinstance(trial.key, str):
        raise PatternError(
            f"key: a list of fields is wanted; this is {trial.key!r}", f'say key=["{trial.key}"]'
        )
    for name, least in (("out_of_orderness_ms", 0), ("partials_per_key", 1)):
        value = getattr(trial, name)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= LAST_MS:
            raise PatternError(f"{name}: a whole number from {least} on is wanted; this is {value!r}")
    if isinstance(trial.rows, str | bytes) or not isinstance(trial.rows, Sequence):
        raise PatternError(
            f"rows: a list of mappings is wanted; this is {type_of(trial.rows)}", "say list(rows)"
        )
    if not trial.rows and isinstance(trial.pattern, Pattern):
        raise PatternError("rows: there are none, so nothing is known of their fields", "give at least one")
    for number, row in enumerate(trial.rows):
        _check_row(trial, number, row)


def _check_row(trial: Tried, number: int, row: object) -> None:
    if not isinstance(row, Mapping):
        mend = "say row.as_dict()" if hasattr(row, "as_dict") else "write {field: value, ...}"
        raise PatternError(f"row {number}: a mapping of fields is wanted; this is {type_of(row)}", mend)
    if wrong := [name for name in row if not isinstance(name, str)]:
        raise PatternError(f"row {number}: a field is named {wrong[0]!r}; text is wanted", "name it by text")
    time = row.get(trial.time)
    if not isinstance(time, int) or isinstance(time, bool) or not -LAST_MS <= time <= LAST_MS:
        message = f"row {number}: {trial.time}: the event time in whole ms is wanted; this is {time!r}"
        raise PatternError(message, "say which field has it: time=...")
    if missing := [by for by in trial.key if by not in row]:
        raise PatternError(f"row {number}: there is no field {missing[0]!r} to key by", "correct key")


def types_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """What the fields of the rows are to a condition; PatternError where one is now this and now that."""
    types: dict[str, str] = {}
    for number, row in enumerate(rows):
        for name, value in row.items():
            if value is None:
                continue
            kind = _kind(value)
            before = types.setdefault(name, kind)
            if kind != before:
                message = f"row {number}: field {name} is {kind}, and {before} in a row before"
                raise PatternError(message, "a field of a stream has one type; None is a missing value")
    return types


def wire(value: object) -> object:
    """A value as the engine reads it: JSON has no infinity, no NaN and no number beyond 64 bits."""
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        return value
    try:
        number = float(value)
    except OverflowError:
        number = -math.inf if value < 0 else math.inf
    return number if math.isfinite(number) else str(number)


def _kind(value: object) -> str:
    kinds: list[tuple[Any, str]] = [(bool, "truth"), (Real | Decimal, "number"), (str, "text")]
    return next((kind for type_, kind in kinds if isinstance(value, type_)), type(value).__name__)
