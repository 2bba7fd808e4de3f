"""The series that the report draws: read from the recordings in one pass each, for the nodes and times
asked for.

A display, not the job's normaliser: signal, unit and kind come from the sample, else from the rules; a
counter is shown as its rate between two samples; nothing else is changed. Lines are read without
validation, as `recording check` is there for that; what cannot be used is passed over.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from records.recordings import SAMPLES_FILE
from records.rules import first_match

_GAP: Final = 2.5
"""A line is broken where two samples are further apart than this many intervals."""


class TrackKey(NamedTuple):
    """What identifies a series in a graph."""

    node: str
    metric: str
    peer: str | None
    side: str | None
    labels: tuple[tuple[str, str], ...]


@dataclass
class Track:
    """One series: times (ms) and values in its declared unit, signal as declared."""

    key: TrackKey
    signal: str | None = None
    unit: str | None = None
    kind: str | None = None
    times: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def shown(self) -> tuple[list[int], list[float]]:
        """Times and values as drawn: rates per second for a counter, its resets left out."""
        if self.kind != "counter":
            return self.times, self.values
        times, values = [], []
        for index in range(1, len(self.times)):
            span = self.times[index] - self.times[index - 1]
            grown = self.values[index] - self.values[index - 1]
            if span > 0 and grown >= 0:
                times.append(self.times[index])
                values.append(grown / span * 1000)
        return times, values

    @property
    def shown_unit(self) -> str | None:
        """The unit of what is drawn."""
        return (
            self.unit if self.kind != "counter" else "1/s" if self.unit in (None, "1") else f"{self.unit}/s"
        )


class Want(NamedTuple):
    """A node of a graph over a stretch of time, ms."""

    graph: str
    node: str
    start: int
    end: int


def read_tracks(
    path: Path, graph: str, wants: Iterable[Want], rules: Sequence[Mapping[str, Any]] = ()
) -> dict[str, list[Track]]:
    """The series of the wanted nodes of the recording in `path`, whose graph is called `graph` in the run.

    By node, each in order of metric and peer. Stops reading where the last wanted time is passed.
    """
    spans: dict[str, list[tuple[int, int]]] = {}
    for want in wants:
        if want.graph == graph:
            spans.setdefault(want.node, []).append((want.start, want.end))
    if not spans:
        return {}
    until = max(end for each in spans.values() for _, end in each)
    tracks: dict[TrackKey, Track] = {}
    for sample in _lines(path / SAMPLES_FILE):
        if sample["time"] > until:
            break
        _take(tracks, sample, spans, rules)
    found: dict[str, list[Track]] = {node: [] for node in spans}
    for key in sorted(tracks, key=lambda each: (each.metric, each.peer or "", each.side or "", each.labels)):
        found[key.node].append(tracks[key])
    return found


def _lines(file: Path) -> Iterable[dict[str, Any]]:
    import gzip

    import orjson

    with gzip.open(file, "rb") if file.stat().st_size else file.open("rb") as lines:
        for line in lines:
            try:
                sample = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            if isinstance(sample, dict) and isinstance(sample.get("time"), int):
                yield sample


def _take(
    tracks: dict[TrackKey, Track],
    sample: Mapping[str, Any],
    spans: Mapping[str, Sequence[tuple[int, int]]],
    rules: Sequence[Mapping[str, Any]],
) -> None:
    windows = spans.get(str(sample.get("node")))
    value = sample.get("value")
    if windows is None or not isinstance(value, int | float) or not math.isfinite(value):
        return
    if not any(start <= sample["time"] <= end for start, end in windows):
        return
    labels = tuple(sorted((sample.get("labels") or {}).items()))
    key = TrackKey(
        str(sample["node"]), str(sample.get("metric")), sample.get("peer"), sample.get("side"), labels
    )
    if key not in tracks:
        tracks[key] = _track(key, sample, rules)
    track = tracks[key]
    track.times.append(sample["time"])
    track.values.append(float(value))


def _track(key: TrackKey, sample: Mapping[str, Any], rules: Sequence[Mapping[str, Any]]) -> Track:
    """A new track: what its first sample declares wins over the rule for its name, field by field."""
    rule = first_match(rules, key.metric, dict(key.labels)) or {}
    signal, unit, kind = (sample.get(name) or rule.get(name) for name in ("signal", "unit", "kind"))
    return Track(key, signal, unit, kind)


def cut(track: Track, start: int, end: int) -> Track:
    """The part of the track within start..end."""
    inside = [index for index, time in enumerate(track.times) if start <= time <= end]
    times, values = [track.times[index] for index in inside], [track.values[index] for index in inside]
    return Track(track.key, track.signal, track.unit, track.kind, times, values)


def deviation(track: Track, onset: int) -> float:
    """How far the drawn values from `onset` on leave the median before it, in robust spreads; to order
    charts only.
    """
    times, values = track.shown()
    before = sorted(value for time, value in zip(times, values, strict=True) if time < onset)
    after = [value for time, value in zip(times, values, strict=True) if time >= onset]
    if len(before) < 3 or not after:
        return 0.0
    middle = before[len(before) // 2]
    spread = before[int(len(before) * 0.9)] - before[int(len(before) * 0.1)]
    return max(abs(value - middle) for value in after) / max(spread, 0.02 * abs(middle), 1e-9)


def runs(times: Sequence[int], values: Sequence[float], interval: int) -> list[list[tuple[int, float]]]:
    """The points in stretches without a gap."""
    stretches: list[list[tuple[int, float]]] = []
    for time, value in zip(times, values, strict=True):
        if not stretches or time - stretches[-1][-1][0] > _GAP * interval:
            stretches.append([])
        stretches[-1].append((time, value))
    return stretches
