"""What one measured series looks like: what it is called, and what measuring does to the truth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from gnn.simulator.noise import F64, chance, factor
from gnn.simulator.style import Idle, Style
from records.signals import Signal

Ticks = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Series:
    """One series: ``node`` and ``peer`` (the caller, for an edge series) are indices; the rest as in a native
    sample."""

    node: int
    metric: str
    signal: Signal
    unit: str | None = None
    kind: Literal["gauge", "counter"] = "gauge"
    peer: int | None = None
    side: Literal["server", "client"] | None = None
    labels: dict[str, str] = field(default_factory=dict)


METRICS: dict[Signal, str] = {
    "cpu": "container_cpu_usage_percent",
    "memory": "container_memory_working_set_bytes",
    "disk": "container_fs_io_rate",
    "network": "container_network_bytes_rate",
    "latency": "request_latency",
    "errors": "request_errors",
    "traffic": "request_rate",
    "saturation": "queue_depth",
    "availability": "request_success_ratio",
    "restarts": "container_restarts",
    "other": "runtime_gauge",
}
"""What a simulated metric of each signal is called."""

_NOISE: dict[str, float] = {
    "cpu": 0.03,
    "memory": 0.006,
    "disk": 0.05,
    "network": 0.05,
    "latency": 0.03,
    "traffic": 0.01,
    "other": 0.1,
}
"""Measuring noise (sigma of the logarithm) by signal; the others are counted, not measured."""


def measure(
    rng: np.random.Generator,
    style: Style,
    signal: str,
    truth: F64,
    copy: int = 0,
    measured: Ticks | None = None,
) -> F64:
    """Return what a series of ``signal`` shows of ``truth`` [R]: noise, quirks, level shifts, gaps (NaN).

    ``measured`` [R]: the tick in which each value was measured, where a value stands: its noise stands too.
    """
    value = truth.copy()
    sigma = _NOISE.get(signal, 0.0) * style.noise * float(np.exp(rng.normal(0, 0.6))) + 0.05 * copy
    if signal in _NOISE:
        noise = factor(rng, value.size, min(sigma, 0.8), style.heavy)
        value *= noise if measured is None else noise[measured]
        if chance(rng, style.shift):
            value[int(rng.integers(0, value.size)) :] *= np.exp(
                rng.choice([-1, 1]) * 10 ** rng.uniform(-1.5, 0.1)
            )
    _quirks(rng, style, value, signal in _NOISE)
    if style.gaps:
        value[rng.random(value.size) < style.gaps] = np.nan
    return value


def _quirks(rng: np.random.Generator, style: Style, value: F64, continuous: bool) -> None:
    """Spikes, coarse steps, a frozen exporter, a series that ends or begins: each rare, none a fault."""
    if continuous and chance(rng, style.quirk):
        spikes = rng.random(value.size) < 0.03
        value[spikes] *= np.exp(rng.uniform(0, 2))
    if chance(rng, 2 * style.quirk):
        size = 10 ** np.floor(np.log10(_typical(value) + 1e-9)) * rng.choice([0.1, 0.5, 1.0])
        value[:] = np.round(value / size) * size
    if chance(rng, 0.3 * style.quirk):
        value[:] = _typical(value)
    if chance(rng, 0.3 * style.quirk):
        at = int(rng.integers(0, value.size))
        value[at:] = np.nan
    elif chance(rng, 0.3 * style.quirk):
        value[: int(rng.integers(0, value.size))] = np.nan


def _typical(value: F64) -> float:
    """Return the median of what is there, 0 where nothing is."""
    there = np.abs(value[~np.isnan(value)])
    return float(np.median(there)) if there.size else 0.0


def shares(rng: np.random.Generator, share: F64, requests: F64) -> F64:
    """Return measured shares of counted requests: binomial, so that few requests are coarse; 0 without
    any."""
    counted = np.minimum(requests, 1e6).astype(np.int64)
    return np.asarray(rng.binomial(counted, np.clip(share, 0, 1)) / np.maximum(counted, 1), np.float64)


def idle(style: Idle, value: F64, requests: F64, zero: float = 0.0) -> F64:
    """Return what a series shows where no request came: nothing (NaN), its last value, or ``zero``."""
    none = requests < 1
    if style == "zero":
        return np.where(none, zero, value)
    if style == "absent" or none.all():
        return np.where(none, np.nan, value)
    last = measured(style, requests)
    held: F64 = np.where(none & (last == 0), np.nan, value[last])
    return held


def measured(style: Idle, requests: F64) -> Ticks:
    """Return for each tick the one in which the value it shows was measured; 0 before the first."""
    ticks = np.arange(requests.size)
    return np.maximum.accumulate(np.where(requests < 1, 0, ticks)) if style == "held" else ticks


def cumulative(value: F64, tick_s: float) -> F64:
    """Return the counter whose rate is ``value`` (NaN: no sample)."""
    counter = np.cumsum(np.nan_to_num(value) * tick_s)
    return np.where(np.isnan(value), np.nan, counter)
