"""Fits a pattern to the fields that the rows of a stream have.

Pure: names and types in, a checked model out.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Final

import orjson

from cep_patterns.model import PatternModel
from cep_patterns.pattern import Pattern
from cep_patterns.vocabulary import FieldKind
from records.errors import PatternError

_KINDS: Final[tuple[FieldKind, ...]] = ("number", "text", "truth")
_VERSIONS: Final = 2_147_483_646


def check_pattern(pattern: object) -> None:
    """PatternError where it is none."""
    if not isinstance(pattern, Pattern | PatternModel):
        raise PatternError(f"a Pattern is wanted; this is {type_of(pattern)}", "begin with Pattern.begin")


def type_of(value: object) -> str:
    """What a value is, in words."""
    return "nothing" if value is None else f"of type {type(value).__name__}"


def fit(
    pattern: Pattern | PatternModel, types: Mapping[str, str], id: str, version: int | None
) -> PatternModel:
    """The model of `pattern` over rows with these fields.

    `types`: number, text, truth, or what else a field is, which no condition can look at. Without `version`
    it is derived from what the pattern says. A model stays as it is; PatternError where it does not fit.
    """
    fields: dict[str, FieldKind] = {
        name: kind for name in types for kind in _KINDS if types[name] == kind and name.isidentifier()
    }
    if isinstance(pattern, PatternModel):
        return _fitting(pattern, fields, types)
    try:
        model = pattern.model(id, version=version or 1, key="row", fields=fields)
    except PatternError as error:
        raise PatternError(error.message, _sight(fields, types)) from error
    return model if version is not None else model.model_copy(update={"version": content_version(model)})


def content_version(pattern: PatternModel) -> int:
    """A version that changes with whatever the pattern says."""
    told = {key: value for key, value in pattern.wire().items() if key != "version"}
    return zlib.crc32(orjson.dumps(told, option=orjson.OPT_SORT_KEYS)) % _VERSIONS + 1


def _fitting(
    pattern: PatternModel, fields: Mapping[str, FieldKind], types: Mapping[str, str]
) -> PatternModel:
    if pattern.key != "row":
        message = f"pattern {pattern.id}: its key is {pattern.key}, which only the job's streams have"
        raise PatternError(message, "say `key: row` and declare its fields")
    for name, kind in (pattern.fields or {}).items():
        if fields.get(name) != kind:
            found = types.get(name, "not there")
            message = f"pattern {pattern.id}: field {name} is declared as {kind}; in the stream it is {found}"
            raise PatternError(message, _sight(fields, types))
    return pattern


def _sight(fields: Mapping[str, FieldKind], types: Mapping[str, str]) -> str:
    seen = ", ".join(f"{name} ({kind})" for name, kind in fields.items())
    unseen = ", ".join(f"{name} ({kind})" for name, kind in types.items() if name not in fields)
    return f"conditions see {seen or 'no field'}" + (f"; not {unseen}" if unseen else "")
