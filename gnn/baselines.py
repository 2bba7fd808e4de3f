"""What a model has to beat: scores without a graph on raw windows, the fallback, and chance.

A window is the raw data around an alarm: ``before`` [R1,S] healthy values, ``during`` [R2,S] the last ticks,
``recent`` [R3,S] the model's window, and which node and signal each series has. NaN means no sample. The
scores per node are the largest of its series.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from records.signals import SIGNAL_INDEX, SIGNALS

F64 = npt.NDArray[np.float64]
_SMALL = 1e-9


@dataclass(frozen=True, slots=True)
class Window:
    """Raw values: ``before`` [R1,S], ``during`` [R2,S], ``recent`` [R3,S]; ``node`` int [S] (-1: the node is
    not in the snapshot), ``signal`` [S] (empty where none is declared)."""

    before: F64
    during: F64
    recent: F64
    node: npt.NDArray[np.int64]
    signal: npt.NDArray[np.str_]


def nsigma(window: Window, nodes: int) -> F64:
    """Return [N]: the largest distance from the mean before, in standard deviations before."""
    return per_node(window, nsigma_series(window), nodes)


def nsigma_series(window: Window) -> F64:
    """Return [S]: N-sigma's score of each series."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        centre = np.nanmean(window.before, 0)
        scale = np.nanstd(window.before, 0)
    return _distance(window, centre, scale)


def baro(window: Window, nodes: int) -> F64:
    """Return [N]: the largest distance from the median before, in interquartile ranges before.

    This is the scorer of BARO (Pham et al., FSE 2024, "RobustScorer"), told the time of the fault.
    """
    return per_node(window, baro_series(window), nodes)


def baro_series(window: Window) -> F64:
    """Return [S]: BARO's score of each series."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        low, centre, high = np.nanpercentile(window.before, (25, 50, 75), axis=0)
    return _distance(window, centre, high - low)


def _distance(window: Window, centre: F64, scale: F64) -> F64:
    """Return [S]: the largest distance from the centre during; 0 where there is no value."""
    with np.errstate(invalid="ignore"):
        distance = np.abs(window.during - centre) / np.where(scale > _SMALL, scale, 1.0)
    worst: F64 = np.where(np.isfinite(distance), distance, 0.0).max(0, initial=0.0)
    return worst


def per_node(window: Window, series: F64, nodes: int) -> F64:
    """Return [N]: the largest of [S] per node, 0 where a node has no series."""
    result = np.zeros(nodes)
    known = window.node >= 0
    np.maximum.at(result, window.node[known], series[known])
    return result


def per_pair(window: Window, series: F64, nodes: int) -> F64:
    """Return [N,11]: the largest of [S] per node and declared signal, 0 where there is no series."""
    result = np.zeros((nodes, len(SIGNALS)))
    signal = np.array([SIGNAL_INDEX.get(str(name), -1) for name in window.signal], np.int64)
    known = (window.node >= 0) & (signal >= 0)
    np.maximum.at(result, (window.node[known], signal[known]), series[known])
    return result


def chance(nodes: int) -> F64:
    """Return [N] equal scores; ties count as drawn at random."""
    return np.zeros(nodes)
