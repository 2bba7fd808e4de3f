"""AC@k and Avg@5 with bootstrap intervals, paired differences, calibration. numpy only.

AC@k is the share of faults with the true place among the first k, Avg@5 the mean of AC@1 to AC@5. Equal
scores count as drawn at random. Intervals are quantiles of the mean over bootstrap samples of the faults.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
FIRST = 5
"""The largest k."""
BOOTSTRAPS = 4000
BINS = 10
LEAST = 8
"""On fewer faults nothing is beyond noise."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over faults and its bootstrap interval; NaN without faults."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Accuracy:
    """AC@k and Avg@5 over ``cases`` faults."""

    cases: int
    ac1: Interval
    ac3: Interval
    ac5: Interval
    avg5: Interval


def accuracy_at(scores: npt.ArrayLike, truth: int, k: int) -> float:
    """Return the probability that ``truth`` is among the first k, ties drawn at random."""
    values = np.asarray(scores, np.float64)
    better, equal = int((values > values[truth]).sum()), int((values == values[truth]).sum())
    return float(np.clip((k - better) / equal, 0.0, 1.0))


def hits(scores: npt.ArrayLike, truth: int) -> F64:
    """Return [5]: the probability that ``truth`` is among the first 1 to 5 of ``scores`` (any shape, flat
    index)."""
    flat = np.asarray(scores, np.float64).ravel()
    return np.array([accuracy_at(flat, truth, k) for k in range(1, FIRST + 1)])


def accuracy(found: F64) -> Accuracy:
    """Return the accuracy of ``found`` [faults,5], rows of :func:`hits`."""
    columns = [found[:, k - 1] for k in (1, 3, 5)]
    ac1, ac3, ac5, avg5 = (interval(values) for values in (*columns, found.mean(1)))
    return Accuracy(len(found), ac1, ac3, ac5, avg5)


def interval(values: F64, level: float = 0.95, samples: int = BOOTSTRAPS) -> Interval:
    """Return the mean of [n] values with the interval that holds ``level`` of its bootstrap ``samples``."""
    if not len(values):
        return Interval(float("nan"), float("nan"), float("nan"))
    drawn = np.random.default_rng(0).integers(0, len(values), (samples, len(values)))
    low, high = np.quantile(values[drawn].mean(1), ((1 - level) / 2, (1 + level) / 2))
    return Interval(float(values.mean()), float(low), float(high))


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better (+) or worse (-) one is than another on the same windows, at a ``level``."""

    cases: int
    level: float
    ac1: Interval
    avg5: Interval

    @property
    def worse(self) -> bool:
        """Whether it is worse beyond noise: over enough faults, and all of an interval lies below 0."""
        return self.cases >= LEAST and (self.ac1.high < 0 or self.avg5.high < 0)


def difference(one: F64, other: F64, level: float = 0.95) -> Difference:
    """Return the paired difference of two [faults,5] over the same faults."""
    return Difference(
        len(one), level, interval(one[:, 0] - other[:, 0], level), interval((one - other).mean(1), level)
    )


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers whose confidence lies in one tenth: how many, their mean confidence, the share that was
    right."""

    cases: int
    confidence: float
    right: float


@dataclass(frozen=True, slots=True)
class Trust:
    """How far a confidence can be trusted: expected calibration error, means, and the tenths that have
    answers."""

    cases: int
    error: float
    confidence: float
    right: float
    bins: tuple[Bin, ...]


def trust(confidence: Sequence[float], right: Sequence[float]) -> Trust:
    """Return the calibration of [n] confidences in 0..1 against being right (0, 1, or between for ties)."""
    said, were = np.asarray(confidence, np.float64), np.asarray(right, np.float64)
    if not len(said):
        return Trust(0, float("nan"), float("nan"), float("nan"), ())
    place = np.minimum((said * BINS).astype(int), BINS - 1)
    bins = tuple(
        Bin(int((place == b).sum()), float(said[place == b].mean()), float(were[place == b].mean()))
        for b in np.unique(place)
    )
    error = sum(abs(each.confidence - each.right) * each.cases for each in bins) / len(said)
    return Trust(len(said), error, float(said.mean()), float(were.mean()), bins)
