"""Sorting on disk: the same order as in memory, stable, nothing left behind."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from records.sorting import by_time


@pytest.mark.parametrize("run", [1, 7, 1_000])
def test_lines_come_in_order_of_time_and_equal_times_as_they_came(tmp_path: Path, run: int) -> None:
    pick = random.Random(run)
    lines = [(pick.randrange(20), f"{number} ä".encode()) for number in range(100)]

    assert list(by_time(iter(lines), tmp_path, run)) == sorted(lines, key=lambda line: line[0])
    assert list(tmp_path.iterdir()) == []


def test_the_last_time_there_is_and_the_first_are_sorted(tmp_path: Path) -> None:
    lines = [(253_402_300_799_999, b"z"), (0, b""), (1_700_000_000_000, b"a")]

    assert [time for time, _ in by_time(lines, tmp_path, 1)] == sorted(time for time, _ in lines)


def test_no_lines_are_no_lines(tmp_path: Path) -> None:
    assert list(by_time([], tmp_path)) == []
