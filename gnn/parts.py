"""Training, validation and test: by system, never at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gnn.config import TrainConfig
from gnn.examples import Arrays


@dataclass(frozen=True, slots=True)
class Split:
    """Numbers of the examples of each part; the systems of the parts are disjoint."""

    train: npt.NDArray[np.int64]
    validation: npt.NDArray[np.int64]
    test: npt.NDArray[np.int64]


def split(packed: Arrays, config: TrainConfig) -> Split:
    """Return a split by system: the highest system numbers are the test, those before them the validation."""
    systems = np.unique(packed["system"])
    test = max(1, round(len(systems) * config.test_share))
    validation = max(1, round(len(systems) * config.validation_share))
    first_test, first_validation = systems[-test], systems[-test - validation]
    system = packed["system"]
    return Split(
        train=np.flatnonzero(system < first_validation),
        validation=np.flatnonzero((system >= first_validation) & (system < first_test)),
        test=np.flatnonzero(system >= first_test),
    )
