"""Hops over a call graph, vectorised over edges."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

MAX_HOPS = 16


def hops(
    node_count: int,
    source: npt.NDArray[np.int64],
    target: npt.NDArray[np.int64],
    start: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Return, int64 [N], the fewest edges from any of ``start`` to each node along source -> target.

    -1: not reachable within ``MAX_HOPS``. Swap ``source`` and ``target`` to walk from callee to caller.
    """
    distance = np.full(node_count, -1, np.int64)
    distance[start] = 0
    frontier = np.zeros(node_count, bool)
    frontier[start] = True
    for step in range(1, MAX_HOPS + 1):
        reached = target[frontier[source]]
        reached = reached[distance[reached] < 0]
        if not reached.size:
            break
        distance[reached] = step
        frontier[:] = False
        frontier[reached] = True
    return distance


def closeness(distance: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """Return float32 [N]: 1 / (1 + hops), 0 where not reachable."""
    return np.where(distance < 0, 0.0, 1.0 / (1.0 + np.maximum(distance, 0))).astype(np.float32)
