"""One series as a small chart: scales, lines, marks. Pure geometry in px; chart.svg.j2 writes it down."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from faultline.report.series import Track, runs
from faultline.words import clock, hours, number, quantity

WIDTH: Final = 420.0
HEIGHT: Final = 156.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 10.0, 20.0, 22.0
_MAX_POINTS: Final = 600
_TINY: Final = 1e-300
"""Less than this is no difference."""
_TIME_STEPS: Final = (
    1,
    2,
    5,
    10,
    15,
    30,
    60,
    120,
    300,
    600,
    900,
    1800,
    3600,
    7200,
    10_800,
    21_600,
    43_200,
    86_400,
)


@dataclass(frozen=True)
class Mark:
    """A matched sample: time (ms), value as drawn, and the words that belong to it."""

    time: int
    value: float
    title: str


@dataclass(frozen=True)
class Moments:
    """Times (ms) that every chart of an incident shows; `fault` is the recorded truth where there is one."""

    start: int
    end: int
    onset: int
    found: int
    fault: tuple[int, int] | None = None


@dataclass(frozen=True)
class Label:
    """A text at a place along an axis."""

    at: float
    text: str


@dataclass(frozen=True)
class Dot:
    """A matched sample, placed."""

    x: float
    y: float
    title: str


@dataclass(frozen=True)
class ChartView:
    """One chart, ready to be written down."""

    name: str
    signal: str | None
    unit: str | None
    about: str
    title: str
    lines: tuple[str, ...]
    dots: tuple[Dot, ...]
    baseline: float | None
    onset: float | None
    found: float | None
    fault: tuple[float, float] | None
    x_labels: tuple[Label, ...]
    y_labels: tuple[Label, ...]
    width: float = WIDTH
    height: float = HEIGHT
    left: float = _LEFT
    right: float = WIDTH - _RIGHT
    top: float = _TOP
    bottom: float = HEIGHT - _BOTTOM


def chart(
    track: Track, marks: Sequence[Mark], baseline: float | None, moments: Moments, interval: int
) -> ChartView:
    """The chart of `track` with its matched samples; `baseline` is the job's own where a match named it."""
    times, values = track.shown()
    low, high, ticks = nice_scale(
        [*values, *(mark.value for mark in marks), *([] if baseline is None else [baseline])]
    )

    def x(time: float) -> float:
        return _LEFT + (time - moments.start) / max(1, moments.end - moments.start) * (WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return HEIGHT - _BOTTOM - (value - low) / (high - low) * (HEIGHT - _TOP - _BOTTOM)

    lines = [
        " ".join(f"{x(time):.1f},{y(value):.1f}" for time, value in thinned(stretch))
        for stretch in runs(times, values, interval)
    ]
    inside = {"onset": moments.onset, "found": moments.found}
    at = {key: x(time) if moments.start <= time <= moments.end else None for key, time in inside.items()}
    return ChartView(
        name=track.key.metric,
        signal=track.signal,
        unit=track.shown_unit,
        about=_about(track),
        title=_title(track, values, marks, baseline, moments),
        lines=tuple(lines),
        dots=tuple(Dot(x(mark.time), y(mark.value), mark.title) for mark in marks),
        baseline=None if baseline is None else y(baseline),
        onset=at["onset"],
        found=at["found"],
        fault=_band(moments, x),
        x_labels=tuple(Label(x(time), hours(time)) for time in time_ticks(moments.start, moments.end)),
        y_labels=tuple(Label(y(value), number(value)) for value in ticks),
    )


def nice_scale(values: Iterable[float]) -> tuple[float, float, list[float]]:
    """Lower end, upper end and three or four round ticks between; 0 is the lower end where the data come
    near it.
    """
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    if low >= 0 and low <= 0.6 * high:
        low = 0.0
    largest = max(abs(high), abs(low))
    if high - low <= max(1e-12 * largest, _TINY):
        pad = 0.1 * largest if largest > _TINY else 1.0
        low, high = (low - pad, high + pad) if low else (0.0, high + pad)
    raw = (high - low) / 3
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * each for each in (1, 2, 2.5, 5, 10) if power * each >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return first * step, last * step, [index * step for index in range(first, last + 1)]


def time_ticks(start: int, end: int) -> list[int]:
    """Two to five round times (ms) within start..end."""
    span = max(1, end - start)
    step = next((each * 1000 for each in _TIME_STEPS if span / (each * 1000) <= 5), 86_400_000)
    return list(range(-(-start // step) * step, end + 1, step))[:6]


def thinned(points: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """The points, or the least and greatest of each bucket where there are too many to see."""
    if len(points) <= _MAX_POINTS:
        return list(points)
    size = -(-len(points) * 2 // _MAX_POINTS)
    kept: list[tuple[int, float]] = []
    for index in range(0, len(points), size):
        bucket = points[index : index + size]
        ends = (min(bucket, key=lambda each: each[1]), max(bucket, key=lambda each: each[1]))
        kept += sorted(set(ends))
    return kept


def _band(moments: Moments, x: Callable[[float], float]) -> tuple[float, float] | None:
    """Left end and width of the recorded fault, as far as the chart shows it."""
    if moments.fault is None:
        return None
    low, high = x(max(moments.start, moments.fault[0])), x(min(moments.end, moments.fault[1]))
    return (low, high - low) if high > low else None


def _about(track: Track) -> str:
    """What sets the series apart: the peer, who measured, labels."""
    key = track.key
    parts = [f"from {key.peer}"] if key.peer else []
    parts += [f"at the {key.side}"] if key.side else []
    return ", ".join([*parts, *(f"{name}={value}" for name, value in key.labels)])


def _title(
    track: Track, values: Sequence[float], marks: Sequence[Mark], baseline: float | None, moments: Moments
) -> str:
    """The chart in words, for those who cannot see it."""
    unit = track.shown_unit
    text = f"{track.key.metric} of {track.key.node}, {clock(moments.start)} to {clock(moments.end)} UTC"
    if values:
        text += f": from {quantity(min(values), unit)} to {quantity(max(values), unit)}"
    if baseline is not None:
        text += f", baseline {quantity(baseline, unit)}"
    return text + (f", {len(marks)} matched" if marks else "")
