"""Which stretch of healthy data goes before an incident, where both were measured at different times.

A system's levels drift in weeks, so a stretch taken at will ends in a step where the incident begins: a
change that never happened, minutes before the fault. Of all stretches the one is taken whose level lies
nearest to the incident's own values from before its fault. Nothing else of the incident is looked at. Imports
numpy.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]

STEP: Final = 6
"""Stretches begin so many rows apart."""
FAR: Final = 20.0
"""A series that is further away counts no more than this: one that is another altogether decides nothing."""
FLOOR: Final = 0.02
"""The least usual spread, as a share of the usual level."""


@dataclass(frozen=True)
class Stretch:
    """Rows `first` to before `end`; its `distance` from the incident, and that of the latest stretch.

    Distances are in usual spreads, the mean over series; None where nothing was there to compare.
    """

    first: int
    end: int
    distance: float | None
    of_latest: float | None


class Stretches:
    """The stretches of `length` rows of healthy `values` [R,S], a row per time in order, NaN where there is
    no value; all rows are one stretch where there are fewer.
    """

    def __init__(self, values: F64, length: int) -> None:
        self._length = min(length, len(values))
        self._firsts = range(len(values) - self._length, -1, -STEP)
        self._levels = np.stack([_median(values[at : at + self._length]) for at in self._firsts])
        self._spread = _spread(values)

    def nearest(self, own: F64) -> Stretch:
        """The stretch nearest to `own` [Q,S], the incident's rows from before its fault; of equals, and
        where there are none, the latest.
        """
        distances = self._distances(_median(own)) if len(own) else np.full(len(self._firsts), np.nan)
        compared = bool(np.isfinite(distances).all())
        first = self._firsts[int(distances.argmin()) if compared else 0]
        return Stretch(
            first,
            first + self._length,
            float(distances.min()) if compared else None,
            float(distances[0]) if compared else None,
        )

    def _distances(self, level: F64) -> F64:
        """[stretches]; NaN where no series has a value on both sides."""
        there = np.isfinite(level) & np.isfinite(self._levels).all(0) & (self._spread > 0)
        if not there.any():
            return np.full(len(self._levels), np.nan)
        away = np.abs(self._levels[:, there] - level[there]) / self._spread[there]
        return np.asarray(np.minimum(away, FAR).mean(1))


def _median(values: F64) -> F64:
    """[S]; NaN where a series has no value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(np.nanmedian(values, axis=0))


def _spread(values: F64) -> F64:
    """[S]: the largest of three robust spreads; a share of the level where a series hardly varies."""
    level = _median(values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        low, high, least, most = np.nanquantile(values, (0.25, 0.75, 0.025, 0.975), axis=0)
    spreads = (1.4826 * _median(np.abs(values - level)), (high - low) / 1.349, (most - least) / 3.92)
    return np.asarray(np.maximum.reduce([*spreads, FLOOR * np.abs(level)]))
