"""Silence against habit, and what the neighbours show. Called by :mod:`onnx_models.encoding` and by what
rewires a snapshot.

A node that is called now and then has no latency in most ticks: that is how it is, not a sign. So a value
that is missing is told beside how often the series usually has one. numpy only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from onnx_models.snapshot import F32
from records.frames import FEATURES, SILENT, FrameRow

HABIT = ("gap", "age", "overdue")
NEIGHBOURS = ("callee_z", "caller_z")
_GAP = FEATURES.index("gap")


def _told(values: F32) -> F32:
    """Return [T,N,11]: the usual gap as each frame tells it, 0 where it tells none."""
    return np.asarray(np.nan_to_num(values[..., _GAP], nan=0.0, posinf=0.0, neginf=0.0), np.float32)


def _gaps(values: F32) -> F32:
    """Return [N,11], >= 1: the usual gap as last told in the window; 1 where none is."""
    told = _told(values)
    place = (len(told) - 1 - (told[::-1] > 0).argmax(0))[None]
    return np.asarray(np.maximum(np.take_along_axis(told, place, 0)[0], 1.0), np.float32)


OVERDUE = float(np.log(2.0) / 3.0)
"""``overdue`` of a series that has missed as many ticks as lie between two of its values: from here on its
silence is news."""


def _beyond(age: npt.NDArray[Any], gap: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return log((age + 1) / gap) / 3, 0 within the gap; ``age`` is 0 where there is a value now."""
    return np.asarray(np.log(np.maximum((age + 1.0) / gap, 1.0)) / 3.0)


def habit(values: F32, present: F32) -> F32:
    """Return float32 [N,11,3] in the order of ``HABIT``, from frames [T,N,11,F] and presence [N,11,T].

    All 0 for a signal without a value in the window.
    """
    ticks = present.shape[2]
    there = present > 0
    known = there.any(2)
    age = np.where(known, there[:, :, ::-1].argmax(2), ticks)
    gap = _gaps(values)
    columns = [np.log(gap) / 3.0, np.log1p(age) / 3.0, _beyond(age, gap)]
    return np.stack([np.where(known, column, 0.0).astype(np.float32) for column in columns], -1)


def node_habit(last: FrameRow, values: F32) -> tuple[F32, F32]:
    """Return gap and overdue of nodes, [N] each; overdue is 0 for a node that is not silent.

    A node without a frame in the window has no known gap: its silence is no news.
    """
    told = _told(values)
    least = np.where(told > 0, told, np.inf).min((0, 2))
    known = np.isfinite(least)
    gap = np.maximum(np.where(known, least, 1.0), 1.0)
    late = np.where((last.presence == SILENT) & known, _beyond(last.age, gap), 0.0)
    return np.asarray(np.log(gap) / 3.0, np.float32), np.asarray(late, np.float32)


def neighbours(z_last: F32, source: npt.NDArray[np.int64], target: npt.NDArray[np.int64]) -> F32:
    """Return float32 [N,11,2] in the order of ``NEIGHBOURS``, from z' [N,11] and the ends of the calls."""
    return np.stack([_largest(z_last, source, target), _largest(z_last, target, source)], -1)


def _largest(z_last: F32, at: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> F32:
    """Return [N,11]: of each node's ``other`` ends the z' with the largest absolute value, 0 without any."""
    up, down = np.zeros_like(z_last), np.zeros_like(z_last)
    np.maximum.at(up, at, z_last[other])
    np.minimum.at(down, at, z_last[other])
    return np.where(up >= -down, up, down)
