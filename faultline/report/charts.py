"""Which series of an incident are drawn, and which of their samples made the patterns match.

The cause's series first; then, where the incident was noticed elsewhere, the series that matched there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from faultline.history import History
from faultline.report.chart import ChartView, Mark, Moments, chart
from faultline.report.series import Track, TrackKey, Want, cut, deviation
from faultline.words import clock, quantity
from records.matches import Match
from records.samples import Fault

CAUSE_CHARTS: Final = 6
NOTICED_CHARTS: Final = 3
_BEFORE: Final = 30
_AFTER: Final = 8
_MOST: Final = 120
"""Ticks shown before the onset, after the end, and in all."""


class Matched(NamedTuple):
    """A sample that made a match, on whose series it lies, and the baseline the job compared it with."""

    node: str
    metric: str | None
    peer: str | None
    labels: tuple[tuple[str, str], ...] | None
    time: int
    value: float | None
    baseline: float | None
    title: str


def moments_of(incident: History, tick_ms: int, faults: Sequence[Fault]) -> Moments:
    """The stretch of time to show: from well before the onset to a little after the end, at most `_MOST`
    ticks.
    """
    onset = incident.first.onset
    end = max(incident.last.time, incident.opened) + _AFTER * tick_ms
    start = min(onset, incident.opened) - _BEFORE * tick_ms
    near = [
        each for each in faults if each.graph == incident.graph and start <= each.start <= incident.opened
    ]
    latest = max(near, key=lambda each: each.start, default=None)
    band = None if latest is None else (latest.start, latest.end)
    return Moments(start, min(end, start + _MOST * tick_ms), onset, incident.opened, band)


def nodes_of(incident: History, matched: Sequence[Matched]) -> list[str]:
    """The nodes whose series may be drawn: the cause, then the first ones that matched."""
    cause = [] if incident.cause is None else [incident.cause.node]
    earliest = dict.fromkeys(each.node for each in sorted(matched, key=lambda each: each.time))
    return [*cause, *[node for node in earliest if node not in cause][:NOTICED_CHARTS]]


def wants_of(incident: History, matched: Sequence[Matched], moments: Moments) -> list[Want]:
    """What to read from the recordings for this incident."""
    return [Want(incident.graph, node, moments.start, moments.end) for node in nodes_of(incident, matched)]


def matched_samples(incident: History, matches: Iterable[Match]) -> list[Matched]:
    """The samples of the matches that belong to the incident; its triggers' own where the run kept no
    matches.
    """
    until = max(incident.last.time, incident.opened)
    found = [
        each
        for match in matches
        if match.graph == incident.graph and incident.first.onset <= match.end and match.time <= until
        for each in _of_match(match)
    ]
    return found or _of_triggers(incident)


def _of_match(match: Match) -> list[Matched]:
    series = match.series
    labels = None if series is None else tuple(sorted(series.labels.items()))
    return [
        Matched(
            match.node,
            sample.metric or (series.metric if series else None),
            sample.peer or match.peer or (series.peer if series else None),
            labels,
            sample.time,
            sample.value,
            sample.baseline,
            _title(match.pattern, step.name, sample.time, quantity(sample.value, sample.unit), sample.z),
        )
        for step in match.steps
        for sample in step.samples
    ]


def _of_triggers(incident: History) -> list[Matched]:
    triggers = [trigger for event in incident.revisions for trigger in event.triggers]
    return [
        Matched(
            trigger.node,
            sample.metric,
            sample.peer or trigger.peer,
            None,
            sample.time,
            sample.value,
            None,
            _title(trigger.pattern, None, sample.time, quantity(sample.value, sample.unit), sample.z),
        )
        for trigger in triggers
        for sample in trigger.samples
    ]


def _title(pattern: str, step: str | None, time: int, value: str, z: float | None) -> str:
    place = f"{pattern}, step {step}" if step else pattern
    return f"{clock(time)}: {value}" + (f", z {z:.1f}" if z is not None else "") + f" ({place})"


def cause_charts(
    incident: History,
    tracks: Mapping[str, Sequence[Track]],
    matched: Sequence[Matched],
    moments: Moments,
    tick_ms: int,
) -> list[ChartView]:
    """The cause's series, most telling first: matched, then of its signal, then by how far they moved."""
    if incident.cause is None:
        return []
    node, signal = incident.cause.node, incident.cause.signal

    def weight(track: Track) -> float:
        told = 1e6 if _on(track, matched) else 0.0
        return told + (1e3 if track.signal == signal else 0.0) + min(999.0, deviation(track, moments.onset))

    return _charts(_tracks_of(node, tracks, matched), weight, matched, moments, tick_ms)[:CAUSE_CHARTS]


def noticed_charts(
    incident: History,
    tracks: Mapping[str, Sequence[Track]],
    matched: Sequence[Matched],
    moments: Moments,
    tick_ms: int,
) -> list[tuple[str, ChartView]]:
    """Matched series of other nodes: (node, chart), the earliest match first."""
    cause = incident.cause.node if incident.cause else None
    nodes = [node for node in nodes_of(incident, matched) if node != cause]
    found: list[tuple[str, ChartView]] = []
    for node in nodes:
        hit = [track for track in _tracks_of(node, tracks, matched) if _on(track, matched)]
        found += [(node, view) for view in _charts(hit, lambda _: 0.0, matched, moments, tick_ms)[:1]]
    return found


def _charts(
    tracks: Iterable[Track],
    weight: Callable[[Track], float],
    matched: Sequence[Matched],
    moments: Moments,
    tick_ms: int,
) -> list[ChartView]:
    inside = [cut(track, moments.start, moments.end) for track in tracks]
    ordered = sorted(inside, key=weight, reverse=True)
    return [_chart(track, _on(track, matched), moments, tick_ms) for track in ordered]


def _chart(track: Track, on: Sequence[Matched], moments: Moments, tick_ms: int) -> ChartView:
    inside = [each for each in on if moments.start <= each.time <= moments.end]
    marks = {each.time: Mark(each.time, each.value, each.title) for each in inside if each.value is not None}
    baselines = [each.baseline for each in inside if each.baseline is not None]
    return chart(track, list(marks.values()), baselines[0] if baselines else None, moments, tick_ms)


def _on(track: Track, matched: Iterable[Matched]) -> list[Matched]:
    """The matched samples that lie on this series."""
    key = track.key
    return [
        each
        for each in matched
        if (each.node, each.metric, each.peer) == (key.node, key.metric, key.peer)
        and each.labels in (None, key.labels)
    ]


def _tracks_of(node: str, tracks: Mapping[str, Sequence[Track]], matched: Sequence[Matched]) -> list[Track]:
    """The node's series from the recordings; empty ones for matched series that are not there, so that their
    samples are still drawn."""
    known = list(tracks.get(node, ()))
    names = {(track.key.metric, track.key.peer) for track in known}
    for each in matched:
        if each.node == node and each.metric and (each.metric, each.peer) not in names:
            names.add((each.metric, each.peer))
            known.append(Track(TrackKey(node, each.metric, each.peer, None, each.labels or ())))
    return known
