"""Numbers, times and durations as people read them."""

from __future__ import annotations

import pytest

from faultline import words


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (0, "0 s"),
        (250, "250 ms"),
        (45_000, "45 s"),
        (59_600, "1 min"),
        (125_000, "2 min 5 s"),
        (3_600_000, "1 h"),
        (12_000_000, "3 h 20 min"),
        (183_600_000, "2 d 3 h"),
        (-30_000, "-30 s"),
    ],
)
def test_durations(span: float, text: str) -> None:
    assert words.duration(span) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (97.54, "97.5"),
        (0.0042, "0.0042"),
        (0.00001234, "1.2e-05"),
        (-3.456, "-3.46"),
        (12_345, "12,345"),
        (4_123_456, "4.12M"),
        (-7.2e9, "-7.2G"),
        (None, "-"),
        (float("nan"), "-"),
        (float("inf"), "-"),
    ],
)
def test_numbers(value: float | None, text: str) -> None:
    assert words.number(value) == text


def test_quantities_leave_the_unit_one_out() -> None:
    assert words.quantity(0.5, "1") == "0.5"
    assert words.quantity(12, "ms") == "12 ms"
    assert words.quantity(None, "ms") == "-"


def test_times_are_utc() -> None:
    assert words.clock(1_767_225_902_310) == "2026-01-01 00:05:02"
    assert words.moment(1_767_225_902_310) == "2026-01-01 00:05:02.310"
    assert words.moment(1_767_225_902_007) == "2026-01-01 00:05:02.007"
    assert words.moment(1_767_225_902_000) == "2026-01-01 00:05:02"
    assert words.iso(1_767_225_902_310) == "2026-01-01T00:05:02Z"
    assert (words.hours(1_767_225_900_000), words.hours(1_767_225_902_000)) == ("00:05", "00:05:02")


def test_plurals() -> None:
    assert [words.plural(1, "match"), words.plural(2, "match"), words.plural(1200, "sample")] == [
        "1 match",
        "2 matches",
        "1,200 samples",
    ]
