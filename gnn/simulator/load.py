"""Demand over time: season, drift, surges and noise; factors around 1 on the users' requests."""

from __future__ import annotations

import numpy as np

from gnn.simulator.noise import F64, chance, factor


def demand(rng: np.random.Generator, ticks: int, heavy: bool, calm: bool) -> F64:
    """Return factors [ticks] on all entries. ``calm``: little noise and no surges, for demonstrations."""
    when = np.arange(ticks)
    period = rng.uniform(60, 1440)
    depth = 0.05 if calm else float(rng.choice([0.0, 0.1, 0.3]))
    season = 1.0 + depth * np.sin(2 * np.pi * (when / period + rng.random()))
    noise = factor(rng, ticks, 0.03 if calm else float(rng.choice([0.03, 0.08, 0.15])), heavy)
    return np.asarray(season * noise * (1.0 if calm else _surges(rng, ticks)))


def _surges(rng: np.random.Generator, ticks: int) -> F64:
    """Sudden changes of demand that last a while: no fault, though every node's traffic moves."""
    level = np.ones(ticks)
    for _ in range(rng.poisson(ticks / 200)):
        start = int(rng.integers(0, ticks))
        end = start + int(rng.integers(3, 40))
        size = float(np.exp(rng.normal(0, 0.35)))
        level[start:end] *= size if chance(rng, 0.7) else np.linspace(1.0, size, end - start)[: ticks - start]
    return level
