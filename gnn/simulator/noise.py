"""Random factors shared by the simulator's stages."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
_TAIL_FREEDOM = 4


def factor(rng: np.random.Generator, shape: int | tuple[int, ...], sigma: F64 | float, heavy: bool) -> F64:
    """Return lognormal factors around 1; ``heavy``: Student t with 4 degrees of freedom in the exponent."""
    draw = rng.standard_normal(shape)
    if heavy:
        draw = 0.8 * draw / np.sqrt(rng.chisquare(_TAIL_FREEDOM, shape) / _TAIL_FREEDOM)
    return np.exp(np.clip(sigma * draw, -3.0, 3.0))


def log_uniform(rng: np.random.Generator, low: float, high: float, size: int | None = None) -> F64:
    """Return numbers between ``low`` and ``high``, uniform in their logarithm."""
    return np.asarray(np.exp(rng.uniform(np.log(low), np.log(high), size)))


def chance(rng: np.random.Generator, probability: float) -> bool:
    """Return True with the given probability."""
    return bool(rng.random() < probability)
