"""The short forms of a pattern's document: durations, counts, skip strategies; and its refusals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from cep_patterns.model import LONGEST_MS, AfterMatch, Times
from records.validation import explain, nearest

SKIPS: Final = ("no_skip", "skip_to_next", "skip_past_last", "skip_to_first", "skip_to_last")
_Model = TypeVar("_Model", bound=BaseModel)
_UNITS_MS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_KINDS: Final = (
    (type(None), "empty"),
    (bool, "true or false"),
    (int | float, "a number"),
    (str, "text"),
    (list, "a list"),
    (Mapping, "a mapping"),
)


class RefusedError(Exception):
    """One thing wrong in a document, met while reading it; never leaves the readers of documents."""

    def __init__(self, message: str, step: str | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.step = step
        self.column = column


def kind_of(raw: object) -> str:
    """What a value of YAML is, for people."""
    return next((name for kind, name in _KINDS if isinstance(raw, kind)), type(raw).__name__)


def mapping(raw: object, what: str) -> Mapping[str, Any]:
    """`raw` where it is a mapping."""
    if not isinstance(raw, Mapping):
        raise RefusedError(f"{what} is a mapping of keys to values; this is {kind_of(raw)}")
    return raw


def unknown(document: Mapping[str, Any], valid: tuple[str, ...]) -> Iterator[RefusedError]:
    """A refusal for each key that is not valid, with the nearest that is."""
    for key in document:
        if key not in valid:
            yield RefusedError(f"unknown key {key!r}{nearest(str(key), valid)}")


def made(model: type[_Model], fields: Mapping[str, Any]) -> _Model:
    """The model of these fields; refused in sentences."""
    try:
        return model.model_validate(dict(fields))
    except ValidationError as error:
        raise RefusedError("; ".join(explain(error, model))) from error


def times(raw: object) -> Times:
    """`3`, or `{from: 2, to: 4}`, or `{from: 2}` for two and more."""
    if isinstance(raw, int) and not isinstance(raw, bool):
        return Times(from_=raw, to=raw)
    if isinstance(raw, Mapping):
        for refused in unknown(raw, ("from", "to")):
            raise refused
        least, most = raw.get("from", 1), raw.get("to")
        if isinstance(least, int) and (most is None or isinstance(most, int)):
            return Times(from_=least, to=most)
    raise RefusedError("times: a number or {from, to} is wanted")


def after_match(raw: object) -> AfterMatch:
    """A strategy's name, or `{skip_to_first: step}`, `{skip_to_last: step}`."""
    if isinstance(raw, str):
        if raw in ("skip_to_first", "skip_to_last"):
            raise RefusedError(f"after_match: say the step, as in {{{raw}: step}}")
        if raw not in SKIPS:
            raise RefusedError(f"after_match: unknown strategy {raw!r}{nearest(raw, SKIPS)}")
        return AfterMatch(kind=raw)  # type: ignore[arg-type]
    if isinstance(raw, Mapping) and len(raw) == 1:
        ((kind, step),) = raw.items()
        if kind in ("skip_to_first", "skip_to_last") and isinstance(step, str):
            return AfterMatch(kind=kind, step=step)
    raise RefusedError(
        "after_match: a strategy's name, {skip_to_first: step} or {skip_to_last: step} is wanted"
    )


def duration_ms(raw: object) -> int:
    """Milliseconds of a duration that lasts, such as 30s, 500ms, 1h30m.

    A bare number is refused, and so is zero.
    """
    try:
        total = duration_of(raw)
    except ValueError as error:
        raise RefusedError(str(error)) from error
    if total == 0:
        raise RefusedError(f"{raw} is no time at all: leave the key out for no limit")
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
    if total > LONGEST_MS:
        raise ValueError(f"{raw} is longer than {LONGEST_MS // _UNITS_MS['d']} days")
    if total != int(total):
        raise ValueError(f"{raw} is finer than 1 ms")
    return int(total)


def duration_text(ms: int) -> str:
    """The shortest text that `duration_ms` reads as `ms`, such as 1h30m."""
    text, rest = "", ms
    for unit in ("d", "h", "m", "s", "ms"):
        number, rest = divmod(rest, _UNITS_MS[unit])
        text += f"{number}{unit}" if number else ""
    return text or "0ms"
