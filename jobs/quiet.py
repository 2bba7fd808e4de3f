"""What nobody wants to be told of: muted nodes and patterns, times of maintenance. Imports pydantic only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, model_validator

from records.samples import Name
from records.validation import Record

HUSHED: Final = "hushed"
"""What a line of the audit and a counter say of what was kept back."""
_DAILY: Final = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")
_DAY_MIN: Final = 24 * 60


def _moment(value: Any) -> int:
    """Milliseconds of an ISO 8601 time; ValueError where it is none or names no zone."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            value = None
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise ValueError("write a time with its zone: 2026-12-01T22:00:00Z")
    return (value - datetime.fromtimestamp(0, UTC)) // timedelta(milliseconds=1)


def _span(value: Any) -> tuple[int, int]:
    """Minutes of the day, UTC, of `HH:MM-HH:MM`; the second may be before the first, past midnight."""
    found = _DAILY.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError("write two times of the day in UTC: 02:00-04:30")
    hours = [int(digits) for digits in found.groups()]
    first, last = 60 * hours[0] + hours[1], 60 * hours[2] + hours[3]
    if first == last:
        raise ValueError(f"{value} has no length; leave it out for the whole day")
    return first, last


Moment = Annotated[int, BeforeValidator(_moment)]


class Quiet(Record):
    """Matches on these opens no incident, nor does one open whose first cause is such a node.

    `graph`, `node`, `pattern`: names, `*` and `?` allowed. `since`, `until`: event time, with zone; unset,
    for ever. `daily`: only within these times of the day, UTC. `reason`: for the audit.
    """

    graph: Name = "*"
    node: Name = "*"
    pattern: Name = "*"
    since: Moment | None = None
    until: Moment | None = None
    daily: Annotated[tuple[int, int] | None, BeforeValidator(lambda text: text and _span(text))] = None
    reason: Annotated[str, Field(min_length=1)]

    @model_validator(mode="after")
    def _not_everything(self) -> Quiet:
        names_nothing = (self.graph, self.node, self.pattern) == ("*", "*", "*")
        if names_nothing and self.since is None and self.until is None and self.daily is None:
            raise ValueError("this would silence everything for ever: name a graph, node, pattern or time")
        if self.since is not None and self.until is not None and self.until <= self.since:
            raise ValueError("until is not after since")
        return self

    def covers(self, graph: str, node: str, pattern: str | None, time: int) -> bool:
        """Whether this speaks of `pattern` (None: of a cause) on the node at `time`, ms."""
        if pattern is None and self.pattern != "*":
            return False
        named = fnmatchcase(graph, self.graph) and fnmatchcase(node, self.node)
        return named and fnmatchcase(pattern or "", self.pattern) and self._at(time)

    def _at(self, time: int) -> bool:
        if (self.since is not None and time < self.since) or (self.until is not None and time >= self.until):
            return False
        if self.daily is None:
            return True
        first, last = self.daily
        minute = time // 60_000 % _DAY_MIN
        return first <= minute < last if first < last else minute >= first or minute < last


def hushed(quiet: Sequence[Quiet], graph: str, node: str, pattern: str | None, time: int) -> Quiet | None:
    """The first that covers it; None where it is to be told."""
    return next((each for each in quiet if each.covers(graph, node, pattern, time)), None)
