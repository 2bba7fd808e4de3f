"""Which stretch of healthy data is nearest to an incident."""

from __future__ import annotations

import numpy as np
import pytest

from records.importers.nearest import Stretches


def healthy(rows: int = 120) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Three series: one that rises from 10 to 20, one that is steady, one without a value."""
    rng = np.random.default_rng(1)
    rising = np.linspace(10.0, 20.0, rows)
    return np.stack([rising, 5.0 + 0.1 * rng.standard_normal(rows), np.full(rows, np.nan)], 1)


@pytest.mark.parametrize(("level", "first"), [(11.0, 0), (15.0, 48), (19.0, 96)])
def test_the_stretch_of_the_same_level_is_taken(level: float, first: int) -> None:
    found = Stretches(healthy(), 24).nearest(np.array([[level, 5.0, 1.0]]))

    assert (found.first, found.end) == (first, first + 24)
    assert found.distance is not None
    assert found.of_latest is not None
    assert found.distance <= found.of_latest
    assert found.distance < 0.3


def test_one_series_that_is_another_altogether_decides_nothing() -> None:
    values = np.concatenate([healthy(), healthy()[:, :1]], 1)
    found = Stretches(values, 24).nearest(np.array([[11.0, 5.0, 1.0, 1e9]]))

    assert found.first == 0


@pytest.mark.parametrize(
    "own", [np.empty((0, 3)), np.full((2, 3), np.nan), np.array([[np.nan, np.nan, 3.0]])]
)
def test_without_anything_to_compare_the_latest_is_taken(
    own: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> None:
    found = Stretches(healthy(), 24).nearest(own)

    assert (found.first, found.end, found.distance, found.of_latest) == (96, 120, None, None)


def test_of_fewer_rows_than_a_stretch_all_are_taken() -> None:
    found = Stretches(healthy(20), 24).nearest(np.array([[11.0, 5.0, 1.0]]))

    assert (found.first, found.end) == (0, 20)
