"""Matches: a pattern that completed or timed out on a key (topic faultline.matches.v1).

Imports pydantic only.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from records.samples import Name, TimeMs
from records.signals import Signal
from records.validation import Record

Severity = Literal["critical", "warning", "info"]


class MatchSeries(Record):
    """The series of a match whose pattern is keyed by series.

    With `peer` it belongs to the edge peer -> node.
    """

    metric: Name
    labels: dict[str, str] = Field(default_factory=dict)
    signal: Signal
    unit: str | None = None
    peer: str | None = None


class MatchSample(Record):
    """One sample that made a match: `value` and `baseline` in `unit`, `z` without unit; null is not known.

    In a match of a pattern keyed by graph it stands for a match of another `pattern` on `node`, with the last
    sample of that; or, without `pattern`, for an edge from `peer` to `node` that appeared.
    """

    time: TimeMs
    value: float | None = None
    z: float | None = None
    metric: str | None = None
    signal: Signal | None = None
    baseline: float | None = None
    unit: str | None = None
    peer: str | None = None
    node: Name | None = None
    pattern: Name | None = None


class MatchStep(Record):
    """One step of the pattern with the samples it took, in event time order."""

    name: Name
    samples: list[MatchSample] = Field(default_factory=list)


class Match(Record):
    """A pattern completed (`match`) or ran out of time (`timeout`) on a key.

    `time`: when event time made it ready, ms. `start`, `end`: times of the first and the last sample, ms.
    `dry_run`: of a pattern that is only tried: it opens no incident and is shown to no other pattern.
    """

    graph: Name
    node: Name
    peer: str | None = None
    series: MatchSeries | None = None
    pattern: Name
    version: int
    key: Literal["series", "node", "graph"]
    severity: Severity
    kind: Literal["match", "timeout"]
    time: TimeMs
    start: TimeMs
    end: TimeMs
    steps: list[MatchStep]
    runbook: str | None = None
    dry_run: bool = False

    @property
    def signal(self) -> Signal | None:
        """The signal the match is about: its series' signal, else that of the last sample that has one."""
        if self.series is not None:
            return self.series.signal
        named = [sample.signal for step in self.steps for sample in step.samples if sample.signal is not None]
        return named[-1] if named else None
