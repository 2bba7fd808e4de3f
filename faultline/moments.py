"""Points in time as people type them, as ms. Imports the error tree and durations."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from records.errors import UsageError

EXAMPLES: Final = (
    "write 2026-01-31T09:30:00Z, milliseconds since 1970, -2h (before the end) or +10m (after the start)"
)
_FIRST_MS: Final = 100_000_000_000
"""A smaller number is taken for seconds by mistake: as ms it lies in 1973."""


def moment(text: str, *, start: int | None, end: int) -> int:
    """The ms since 1970 of a time: ISO 8601 (UTC where it names no zone), ms, or relative.

    `-2h` is two hours before `end`, `+10m` ten minutes after `start`; UsageError where that is not known, and
    for anything else.
    """
    from jobs.durations import parse_duration

    text = text.strip()
    if text[:1] in ("-", "+"):
        try:
            span = parse_duration(text[1:])
        except ValueError as error:
            raise UsageError(str(error), EXAMPLES) from error
        if text[0] == "-":
            return end - span
        if start is None:
            raise UsageError(f"{text}: a topic has no known start", EXAMPLES)
        return start + span
    if text.isdecimal():
        return _milliseconds(int(text))
    try:
        read = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is no time", EXAMPLES) from error
    return round((read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp() * 1000)


def _milliseconds(number: int) -> int:
    if number < _FIRST_MS:
        raise UsageError(
            f"{number} ms lies in {1970 + number // 31_557_600_000}", "are these seconds? times are in ms"
        )
    return number
