"""Number helpers of the encoder: compression of z and rel, filling of gaps, shares over a graph. numpy
only."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from onnx_models.snapshot import F32

LAST_TICKS = 3
Z_LIMIT, REL_LIMIT = 1e4, 4.0
SHARE_FLOOR = 0.3
"""A share is taken over at least this much: among quiet nodes the least noise would look like the maximum."""


def squash(z: npt.NDArray[Any]) -> F32:
    """Return z' = sign(z) log(1 + |z|) / 3, with |z| cut at 10,000."""
    cut = np.clip(z, -Z_LIMIT, Z_LIMIT)
    return np.asarray(np.sign(cut) * np.log1p(np.abs(cut)) / 3.0, np.float32)


def shorten(rel: npt.NDArray[Any]) -> F32:
    """Return rel' = rel / 2, with |rel| cut at 4."""
    return np.asarray(np.clip(rel, -REL_LIMIT, REL_LIMIT) / 2.0, np.float32)


def unsquashed(squashed: F32) -> npt.NDArray[np.float64]:
    """Return the z of z'."""
    return np.asarray(np.sign(squashed) * np.expm1(3.0 * np.abs(squashed.astype(np.float64))))


def lengthened(shortened: F32) -> npt.NDArray[np.float64]:
    """Return the rel of rel'."""
    return np.asarray(2.0 * shortened.astype(np.float64))


def fill(values: npt.NDArray[Any], valid: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Fill along axis 0: an invalid cell takes the valid one before it, in front of all the first valid one.

    ``values`` is [T, ..., K] and ``valid`` [T, ...]; a column without any valid cell stays as it is.
    """
    ticks = np.arange(valid.shape[0]).reshape(-1, *[1] * (valid.ndim - 1))
    source = np.maximum.accumulate(np.where(valid, ticks, -1), axis=0)
    source = np.where(source < 0, np.where(valid.any(0), valid.argmax(0), ticks), source)
    return np.take_along_axis(values, source[..., None], axis=0)


def share_of_graph(values: F32) -> F32:
    """Return values over the largest absolute value of the graph (axis 0), with a floor against noise."""
    largest = np.abs(values).max(0, keepdims=True, initial=0.0)
    return np.asarray(values / np.maximum(largest, SHARE_FLOOR), np.float32)


def extreme(values: F32, axis: int) -> F32:
    """Return the value with the largest absolute value along ``axis``."""
    place = np.expand_dims(np.abs(values).argmax(axis), axis)
    return np.asarray(np.take_along_axis(values, place, axis).squeeze(axis), np.float32)
