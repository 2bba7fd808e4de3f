"""Signals and units: the eleven signals, their order, and the factors to base units. Imports nothing."""

from __future__ import annotations

from typing import Final, Literal, get_args

Signal = Literal[
    "cpu",
    "memory",
    "disk",
    "network",
    "latency",
    "errors",
    "traffic",
    "saturation",
    "availability",
    "restarts",
    "other",
]

SIGNALS: Final[tuple[Signal, ...]] = get_args(Signal)
"""The signals; a signal's position is its index in frames and in the model."""

SIGNAL_INDEX: Final[dict[str, int]] = {name: index for index, name in enumerate(SIGNALS)}
"""Signal name to its index in frames."""

UNITS: Final[dict[str, tuple[str, float]]] = {
    "s": ("s", 1.0),
    "ms": ("s", 1e-3),
    "us": ("s", 1e-6),
    "ns": ("s", 1e-9),
    "min": ("s", 60.0),
    "h": ("s", 3600.0),
    "By": ("By", 1.0),
    "kBy": ("By", 1e3),
    "MBy": ("By", 1e6),
    "GBy": ("By", 1e9),
    "KiBy": ("By", 1024.0),
    "MiBy": ("By", 1024.0**2),
    "GiBy": ("By", 1024.0**3),
    "1": ("1", 1.0),
    "%": ("1", 1e-2),
    "1/s": ("1/s", 1.0),
    "1/min": ("1/s", 1.0 / 60.0),
    "m{cpu}": ("1", 1e-3),
    "mcpu": ("1", 1e-3),
}
"""UCUM unit to (base unit, factor): a value in the unit times the factor is the value in the base unit."""


def base_unit(unit: str) -> tuple[str, float] | None:
    """(base unit, factor) of a unit, also of a rate such as By/s or KiBy/min; None where it is not known."""
    if unit in UNITS:
        return UNITS[unit]
    above, slash, below = unit.rpartition("/")
    if slash and above in UNITS and below in UNITS and UNITS[below][0] == "s":
        return f"{UNITS[above][0]}/s", UNITS[above][1] / UNITS[below][1]
    return None


def to_base(value: float, unit: str | None) -> float:
    """The value in its base unit.

    An undeclared or unknown unit leaves it as it is, since units are never guessed.
    """
    known = None if unit is None else base_unit(unit)
    return value if known is None else value * known[1]
