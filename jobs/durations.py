"""Durations as people write them, as milliseconds. Imports pydantic only."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field

_UNITS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_SHAPE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)")


def parse_duration(text: Any) -> int:
    """Milliseconds of `500ms`, `10s`, `5m`, `1.5h`, `2d`, and of a plain 0; ValueError for anything else."""
    if text == 0 and not isinstance(text, bool):
        return 0
    found = _SHAPE.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        raise ValueError(f"{text!r} is no duration; write a number with its unit: 500ms, 10s, 5m, 1h, 2d")
    return round(float(found[1]) * _UNITS[found[2]])


def show_duration(milliseconds: int) -> str:
    """The shortest form that `parse_duration` reads back: 90000 is `90s`, 300000 is `5m`."""
    for unit in ("d", "h", "m", "s"):
        if milliseconds and milliseconds % _UNITS[unit] == 0:
            return f"{milliseconds // _UNITS[unit]}{unit}"
    return f"{milliseconds}ms" if milliseconds else "0s"


Duration = Annotated[int, BeforeValidator(parse_duration)]
"""A length of time, ms; in a file with its unit."""
PositiveDuration = Annotated[int, BeforeValidator(parse_duration), Field(gt=0)]
"""A length of time above zero, ms; in a file with its unit."""
