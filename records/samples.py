"""Samples, edges and faults in the native format: one JSON object per line or record, times in ms UTC.

Imports pydantic and this package's signals only.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, FiniteFloat, StringConstraints, model_validator

from records.signals import Signal
from records.validation import Record

Name = Annotated[str, StringConstraints(min_length=1)]
LAST_MS: Final = 253_402_300_799_999
"""The end of the year 9999, the last time there is."""
TimeMs = Annotated[int, Field(ge=0, le=LAST_MS, description="milliseconds since 1970, UTC")]

DEFAULT_TTL_MS: Final = 3_600_000
"""How long an edge lives when it does not say."""


class Sample(Record):
    """One value of one series at one event time.

    Built per line of a recording and by the simulator and importers.

    `value` is in `unit` (UCUM), or in no declared unit. With `peer` the series belongs to the edge peer ->
    node, and `side` says who measured it. A counter is cumulative.
    """

    graph: Name
    node: Name
    metric: Name
    value: FiniteFloat
    time: TimeMs
    signal: Signal | None = None
    unit: Name | None = None
    kind: Literal["gauge", "counter"] | None = None
    peer: Name | None = None
    side: Literal["server", "client"] | None = None
    labels: dict[str, str] | None = None

    @property
    def series(self) -> tuple[str, str, str, str | None, tuple[tuple[str, str], ...]]:
        """What identifies the series: graph, node, metric, peer and the labels in order of their names."""
        return self.graph, self.node, self.metric, self.peer, tuple(sorted((self.labels or {}).items()))


class Edge(Record):
    """A call or dependency.

    `source` on `target`, seen at `time` and alive for `ttl` ms (an hour when unsaid).
    """

    graph: Name
    source: Name
    target: Name
    time: TimeMs
    kind: Name | None = None
    ttl: Annotated[int, Field(gt=0, description="time to live in ms")] | None = None


class Fault(Record):
    """The truth about one fault, for judging.

    What broke, from `start` to `end` (ms), and which signal shows it.
    """

    graph: Name
    node: Name
    signal: Signal | None = None
    start: TimeMs
    end: TimeMs
    kind: Name

    @model_validator(mode="after")
    def _ends_after_start(self) -> Fault:
        if self.end < self.start:
            raise ValueError(f"the fault ends at {self.end}, before its start {self.start}")
        return self
