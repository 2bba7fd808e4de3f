"""Scales, ticks, thinning, rates: what a chart shows is what was recorded."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultline.report.chart import Mark, Moments, chart, nice_scale, thinned, time_ticks
from faultline.report.series import Track, TrackKey, cut, deviation, runs

KEY = TrackKey("cart", "cpu_usage", None, None, ())
MOMENTS = Moments(0, 600_000, 300_000, 360_000, (300_000, 540_000))


def track(values: list[float], kind: str | None = None, unit: str | None = "%") -> Track:
    """A track with a value a minute."""
    times = [60_000 * index for index in range(len(values))]
    return Track(KEY, "cpu", unit, kind, times, values)


@given(st.lists(st.floats(-1e12, 1e12, allow_nan=False), min_size=1, max_size=20))
def test_a_scale_holds_every_value(values: list[float]) -> None:
    low, high, ticks = nice_scale(values)

    slack = 1e-9 * max(1.0, abs(low), abs(high))
    assert low - slack <= min(values)
    assert max(values) <= high + slack
    assert low < high
    assert 2 <= len(ticks) <= 7


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([3, 97], [0, 50, 100]),
        ([0.2, 0.31], [0.2, 0.25, 0.3, 0.35]),
        ([0, 0], [0, 0.5, 1]),
        ([], [0, 0.5, 1]),
        ([-4, 4], [-5, 0, 5]),
        ([math.nan, 8], [7, 8, 9]),
    ],
)
def test_ticks_are_round(values: list[float], ticks: list[float]) -> None:
    assert nice_scale(values)[2] == pytest.approx(ticks)


def test_time_ticks_are_round_times_inside() -> None:
    ticks = time_ticks(1_000_000, 2_800_000)

    assert ticks == [1_200_000, 1_800_000, 2_400_000]
    assert time_ticks(5, 5) == []


def test_thinning_keeps_the_peaks() -> None:
    points = [(index, 1.0) for index in range(5000)]
    points[3210] = (3210, 99.0)
    points[1234] = (1234, -99.0)
    kept = thinned(points)

    assert len(kept) <= 601
    assert {(3210, 99.0), (1234, -99.0)} <= set(kept)
    assert kept == sorted(kept)


def test_a_counter_is_shown_as_its_rate_without_its_resets() -> None:
    times, values = track([0, 60, 180, 30, 90], "counter", None).shown()

    assert (times, values) == ([60_000, 120_000, 240_000], [1.0, 2.0, 1.0])
    assert track([1], "counter", None).shown_unit == "1/s"
    assert track([1], "counter", "By").shown_unit == "By/s"
    assert track([1]).shown_unit == "%"


def test_a_line_breaks_where_samples_are_missing() -> None:
    assert runs([0, 60, 120, 600], [1, 2, 3, 4], 60) == [[(0, 1), (60, 2), (120, 3)], [(600, 4)]]


def test_deviation_orders_what_moved_before_what_did_not() -> None:
    moved, still = track([10, 11, 10, 9, 10, 50]), track([10, 11, 10, 9, 10, 11])

    assert deviation(moved, 300_000) > 5 * deviation(still, 300_000)
    assert deviation(track([1, 2]), 300_000) == 0


def test_a_cut_keeps_both_ends() -> None:
    assert cut(track([1, 2, 3, 4]), 60_000, 120_000).values == [2, 3]


def test_a_chart_places_the_marks_on_the_line() -> None:
    view = chart(track([10, 10, 10, 10, 10, 90, 95]), [Mark(300_000, 90, "high")], 10.0, MOMENTS, 60_000)
    (line,), (dot,) = view.lines, view.dots

    assert f"{dot.x:.1f},{dot.y:.1f}" in line.split()
    assert dot.x == view.onset
    assert view.fault is not None
    assert view.fault[0] == view.onset
    assert (view.left, view.bottom) < (dot.x, view.bottom + 1)
    assert "1 matched" in view.title
    assert "baseline 10 %" in view.title


def test_moments_outside_the_chart_are_not_drawn() -> None:
    view = chart(track([1, 2]), [], None, Moments(0, 60_000, 90_000, 120_000), 60_000)

    assert (view.onset, view.found, view.fault) == (None, None, None)
