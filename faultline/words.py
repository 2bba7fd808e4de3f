"""How times, durations, numbers and units are written for people. Pure; imports the standard library only."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Final

_PREFIXES: Final = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def clock(time: int) -> str:
    """`2026-01-01 00:05:02` (UTC) for ms."""
    return f"{datetime.fromtimestamp(time / 1000, tz=UTC):%Y-%m-%d %H:%M:%S}"


def moment(time: int) -> str:
    """As `clock`, with milliseconds where the time is no whole second: `2026-01-01 00:05:02.310`."""
    return clock(time) + (f".{time % 1000:03}" if time % 1000 else "")


def hours(time: int) -> str:
    """`00:05` (UTC) for ms; with seconds where they are not 0."""
    moment = datetime.fromtimestamp(time / 1000, tz=UTC)
    return f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}"


def iso(time: int) -> str:
    """`2026-01-01T00:05:02Z` for ms, for the machine-readable half of a time."""
    return f"{datetime.fromtimestamp(time / 1000, tz=UTC):%Y-%m-%dT%H:%M:%SZ}"


def duration(span_ms: float) -> str:
    """`45 s`, `2 min 5 s`, `3 h 20 min` or `2 d 3 h`; with a minus sign where it is negative."""
    if span_ms < 0:
        return "-" + duration(-span_ms)
    if 0 < span_ms < 1000:
        return f"{span_ms:.0f} ms"
    seconds = round(span_ms / 1000)
    for size, unit, below, small in ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "min"), (60, "min", 1, "s")):
        if seconds >= size:
            rest = seconds % size // below
            return f"{seconds // size} {unit}" + (f" {rest} {small}" if rest else "")
    return f"{seconds} s"


def number(value: float | None) -> str:
    """At most three significant digits, with a prefix from a million on: `0.0042`, `97.5`, `12,300`,
    `4.1M`.
    """
    if value is None or not math.isfinite(value):
        return "-"
    size = abs(value)
    if size >= 1e6:
        factor, prefix = next((each for each in _PREFIXES if size >= each[0]), (1.0, ""))
        return f"{value / factor:.3g}{prefix}"
    if size >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if size >= 0.001 or value == 0 else f"{value:.1e}"


def quantity(value: float | None, unit: str | None) -> str:
    """A number with its unit; the unit `1` is not written."""
    text = number(value)
    return text if unit in (None, "1") or text == "-" else f"{text} {unit}"


def share(value: float | None) -> str:
    """A share as `.92` does in tables: two digits, `-` where there is none."""
    return "-" if value is None else f"{value:.2f}"


def plural(count: int, word: str) -> str:
    """`1 match`, `2 matches`, `1,200 samples`."""
    ending = "es" if word.endswith(("ch", "sh", "s", "x")) else "s"
    return f"{count:,} {word}{'' if count == 1 else ending}"
