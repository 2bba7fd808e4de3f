"""Alerts: what an incident keeps of a match, and the deterministic ids of matches and incidents.

Imports records only.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Final

import orjson

from records.incidents import Trigger, TriggerSample
from records.matches import Match, Severity
from records.signals import Signal

SEVERITIES: Final[tuple[Severity, ...]] = ("info", "warning", "critical")
"""Mildest first."""
MAX_SAMPLES: Final = 20
"""Samples kept per alert: the first ones and the last."""

AlertKey = tuple[str, int, str, str, str]


@dataclass(frozen=True)
class Alert:
    """A match as an incident keeps it. Times in ms: `time` it was ready, `start` its first sample.

    `series`: the metric and labels of the series it followed, as canonical JSON, empty where it followed
    none.
    """

    id: str
    pattern: str
    version: int
    node: str
    peer: str | None
    signal: Signal | None
    series: str
    severity: Severity
    time: int
    start: int
    runbook: str | None
    samples: tuple[dict[str, Any], ...]

    @property
    def key(self) -> AlertKey:
        """What repeats when the same pattern matches on the same key again."""
        return self.pattern, self.version, self.node, self.peer or "", self.series

    @property
    def order(self) -> tuple[int, AlertKey]:
        """Alerts of one tick in an order that does not depend on which arrived first."""
        return self.time, self.key

    def trigger(self) -> Trigger:
        """The alert as an incident event shows it."""
        return Trigger.model_validate(
            {
                "pattern": self.pattern,
                "version": self.version,
                "node": self.node,
                "peer": self.peer,
                "signal": self.signal,
                "severity": self.severity,
                "kind": "match",
                "time": self.time,
                "samples": [TriggerSample.model_validate(sample) for sample in self.samples],
            }
        )


def alert_of(match: Match) -> Alert:
    """The alert of a match."""
    series = match.series
    peer = match.peer if match.peer is not None else (series.peer if series is not None else None)
    return Alert(
        id=match_id(match),
        pattern=match.pattern,
        version=match.version,
        node=match.node,
        peer=peer,
        signal=match.signal,
        series="" if series is None else _canonical([series.metric, series.labels]),
        severity=match.severity,
        time=match.time,
        start=match.start,
        runbook=match.runbook,
        samples=_samples(match),
    )


def _samples(match: Match) -> tuple[dict[str, Any], ...]:
    fields = set(TriggerSample.model_fields)
    taken = [
        sample.model_dump(include=fields, exclude_none=True)
        for step in match.steps
        for sample in step.samples
    ]
    kept = taken if len(taken) <= MAX_SAMPLES else [*taken[: MAX_SAMPLES - 1], taken[-1]]
    return tuple(kept)


def match_id(match: Match) -> str:
    """`mat-<12 hex>`, the same at every replay: from graph, key, pattern, version and times."""
    series = None if match.series is None else [match.series.metric, match.series.labels, match.series.peer]
    parts = [match.graph, match.node, match.peer, series, match.pattern, match.version, match.kind]
    return f"mat-{_digest([*parts, match.start, match.end, match.time])[:12]}"


def incident_id(graph: str, first: Alert) -> str:
    """`inc-<12 hex>`, the same at every replay.

    From the graph and the first alert's pattern, key and time.
    """
    return f"inc-{_digest([graph, first.pattern, first.node, first.peer, first.series, first.time])[:12]}"


def trace_id(incident: str) -> str:
    """The 32 hex digits of the trace that all events of an incident belong to."""
    return _digest(["trace", incident])[:32]


def worst(alerts: tuple[Alert, ...]) -> Severity:
    """The gravest severity among the alerts, `info` for none."""
    return max((alert.severity for alert in alerts), key=SEVERITIES.index, default="info")


def _canonical(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _digest(parts: list[Any]) -> str:
    return hashlib.sha256(_canonical(parts).encode()).hexdigest()
