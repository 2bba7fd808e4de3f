"""Turns pydantic's errors into sentences that name the key and the nearest valid one.

Imports pydantic only.
"""

from __future__ import annotations

import difflib
import re
import typing
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

T = TypeVar("T")

_KINDS: Final = {
    "model_type": "a mapping of keys",
    "model_attributes_type": "a mapping of keys",
    "dict_type": "a mapping",
    "list_type": "a list",
    "string_type": "text",
}
_LONGEST: Final = 60


class Record(BaseModel):
    """Base of what crosses a wire or a file: immutable, no unknown keys, no silent conversion of types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def nearest(key: str, valid: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the valid key most like `key`, or `; valid: a, b, c` where none is alike."""
    names = sorted(valid)
    close = difflib.get_close_matches(key, names, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; valid: {', '.join(names)}"


def explain(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """One sentence per finding of `error`, met while reading `model`.

    The place, what is wrong, the nearest valid key.
    """
    return [_sentence(dict(finding), model) for finding in error.errors(include_url=False)]


def readable(lines: Iterable[bytes], read: Callable[[bytes], T | None]) -> list[T]:
    """What `read` makes of the lines, in their order.

    Those of another form (its ValidationError) and of which it makes nothing are passed over.
    """
    found = []
    for line in lines:
        try:
            one = read(line)
        except ValidationError:
            continue
        if one is not None:
            found.append(one)
    return found


def _sentence(finding: dict[str, Any], model: type[BaseModel]) -> str:
    location: tuple[str | int, ...] = finding["loc"]
    place = ".".join(str(part) for part in location)
    if finding["type"] == "extra_forbidden":
        key, inside = str(location[-1]), ".".join(str(part) for part in location[:-1])
        valid = _keys_at(model, location[:-1])
        return f"unknown key {key!r}{f' in {inside}' if inside else ''}{nearest(key, valid)}"
    message = _wanted(finding) or str(finding["msg"]).removeprefix("Value error, ") + _meant(finding)
    return f"{place}: {message}" if place else message


def _wanted(finding: dict[str, Any]) -> str:
    """What kind of value is wanted, where one of quite another kind is there; empty for other findings."""
    kind, value = finding["type"], finding["input"]
    if kind == "too_short" and isinstance(value, list):
        return f"at least {finding['ctx']['min_length']} wanted; there {_count(len(value))}"
    wanted = _KINDS.get(kind)
    if wanted is None:
        return ""
    quotes = "; write it in quotes" if kind == "string_type" and isinstance(value, int | float) else ""
    return f"{wanted} is wanted; this is {_named(value)}{quotes}"


def _count(number: int) -> str:
    return "is 1" if number == 1 else f"are {number or 'none'}"


def _named(value: object) -> str:
    names: list[tuple[type, str]] = [(dict, "a mapping"), (list, "a list"), (bool, repr(value))]
    if value is None:
        return "nothing"
    found = next((name for kind, name in names if isinstance(value, kind)), repr(value))
    return found if len(found) <= _LONGEST else f"{found[:_LONGEST]}..."


def _meant(finding: dict[str, Any]) -> str:
    """The word of a fixed list that is most like the one that is wrong; empty where none is."""
    if finding["type"] != "literal_error" or not isinstance(finding["input"], str):
        return ""
    words = re.findall(r"'([^']*)'", str(finding["ctx"]["expected"]))
    close = difflib.get_close_matches(finding["input"], words, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""


def _keys_at(model: type[BaseModel], location: tuple[str | int, ...]) -> set[str]:
    """The keys allowed at `location` below `model`, following fields, lists and unions."""
    models = [model]
    for part in location:
        found = [each for each in models if isinstance(part, str) and part in each.model_fields]
        if found:
            models = [
                below for each in found for below in _models_in(each.model_fields[str(part)].annotation)
            ]
    return {field.alias or name for each in models for name, field in each.model_fields.items()}


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for argument in typing.get_args(annotation) for found in _models_in(argument)]
