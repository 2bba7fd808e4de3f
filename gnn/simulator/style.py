"""How a system is monitored: which signals exist, how noisy and how complete; drawn once per system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from gnn.simulator.noise import chance
from records.signals import SIGNAL_INDEX, SIGNALS

_OFTEN = (0.75, 0.65, 0.25, 0.45, 0.8, 0.35, 0.65, 0.2, 0.45, 0.15, 0.35)
"""How often a system has each signal, in the order of SIGNALS."""

_SIDES: tuple[Literal["server", "client"] | None, ...] = (None, "server", "client")


Idle = Literal["absent", "held", "zero"]
_IDLE: tuple[Idle, ...] = ("absent", "held", "zero")


@dataclass(frozen=True, slots=True)
class Style:
    """Monitoring of one system. Probabilities are per series (or node, where it says so).

    ``signals`` bool [11]; ``node_lacks`` a signal at a node; ``unobserved`` a node without any series;
    ``latency_nodes`` share of nodes with own latency; ``side`` who measures it (None: not said);
    ``edge_kinds`` which edge series exist; ``alias`` edges with an extra client-side endpoint; ``percent``,
    ``millis``, ``counters``: units and kinds; ``noise`` factor on measuring noise; ``heavy`` tails; ``gaps``
    cells lost; ``quirk`` constant, quantised, spiky, vanishing or new series; ``shift`` level shifts of one
    series; ``seam`` how far all levels shift at one moment; ``sparse_errors``: errors exist only where not 0;
    ``idle`` what latency and availability say of a tick without a request; ``idle_traffic`` what traffic and
    errors say of it; ``replicas`` measured apart; ``hosts`` are nodes, called by what lives on them;
    ``cycles`` share of edges that are also called back now and then.
    """

    signals: npt.NDArray[np.bool_]
    node_lacks: float
    unobserved: float
    latency_nodes: float
    side: Literal["server", "client"] | None
    edge_kinds: tuple[str, ...]
    alias: float
    percent: bool
    millis: bool
    counters: bool
    noise: float
    heavy: bool
    gaps: float
    quirk: float
    shift: float
    sparse_errors: bool
    seam: float
    idle: Idle
    idle_traffic: Idle
    replicas: bool
    hosts: bool
    cycles: float
    deploys: float
    copies: float


def clean_style() -> Style:
    """Return good monitoring: the usual signals at every node, both sides of every edge, nothing lost."""
    signals = np.zeros(len(SIGNALS), bool)
    for name in ("cpu", "memory", "disk", "latency", "errors", "traffic", "saturation", "availability"):
        signals[SIGNAL_INDEX[name]] = True
    return Style(
        signals=signals,
        node_lacks=0.0,
        unobserved=0.0,
        latency_nodes=1.0,
        side="server",
        edge_kinds=("client", "server", "traffic", "errors"),
        alias=0.0,
        percent=True,
        millis=True,
        counters=False,
        noise=0.5,
        heavy=False,
        gaps=0.0,
        quirk=0.0,
        shift=0.0,
        sparse_errors=False,
        seam=0.0,
        idle="absent",
        idle_traffic="zero",
        replicas=False,
        hosts=False,
        cycles=0.0,
        deploys=0.0,
        copies=0.0,
    )


def random_style(rng: np.random.Generator) -> Style:
    """Return monitoring as found in the field: from latency alone to everything, seldom complete."""
    return Style(
        signals=_signals(rng),
        node_lacks=0.06,
        unobserved=float(rng.choice([0.0, 0.06, 0.15], p=[0.6, 0.25, 0.15])),
        latency_nodes=float(rng.choice([1.0, 0.9, 0.3], p=[0.6, 0.25, 0.15])),
        side=_SIDES[int(rng.choice(3, p=[0.4, 0.25, 0.35]))],
        edge_kinds=_edge_kinds(rng),
        alias=float(rng.choice([0.0, 0.08, 0.2], p=[0.68, 0.16, 0.16])),
        percent=chance(rng, 0.5),
        millis=chance(rng, 0.5),
        counters=chance(rng, 0.25),
        noise=float(rng.choice([0.5, 1.0, 1.8])),
        heavy=chance(rng, 0.5),
        gaps=float(rng.choice([0.0, 0.005, 0.03], p=[0.5, 0.3, 0.2])),
        quirk=0.06,
        shift=float(rng.choice([0.0, 0.03, 0.1])),
        sparse_errors=chance(rng, 0.2),
        seam=float(rng.choice([0.0, 0.15, 0.4], p=[0.85, 0.1, 0.05])),
        idle=_IDLE[int(rng.choice(3, p=[0.7, 0.15, 0.15]))],
        idle_traffic="zero" if chance(rng, 0.65) else "absent",
        replicas=(replicas := chance(rng, 0.2)),
        hosts=chance(rng, 0.12),
        cycles=float(rng.choice([0.0, 0.05, 0.15], p=[0.75, 0.15, 0.1])),
        deploys=float(rng.choice([0.0, 0.3, 1.0], p=[0.4, 0.4, 0.2])),
        copies=0.8 if replicas else 0.3,
    )


def _signals(rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    on = rng.random(len(SIGNALS)) < np.array(_OFTEN)
    mode = rng.random()
    if mode < 0.1:
        on = _only("latency", "traffic", "availability")
    elif mode < 0.18:
        on = _only("latency", "traffic", "errors")
    elif mode < 0.27:
        on = _only("cpu", "memory", *(["latency"] if chance(rng, 0.6) else []))
    elif mode < 0.34:
        on = _only("latency")
    elif mode < 0.52:
        on = on | _only("cpu", "memory", "network", "latency", "traffic")
    return on if on.any() else _only("cpu" if chance(rng, 0.5) else "latency")


def _only(*names: str) -> npt.NDArray[np.bool_]:
    return np.array([name in names for name in SIGNALS])


def _edge_kinds(rng: np.random.Generator) -> tuple[str, ...]:
    """Half of the systems have edge series: both sides mostly, or one side, with or without traffic and
    errors."""
    if chance(rng, 0.5):
        return ()
    latency = [("client", "server"), ("client",), ("server",)][int(rng.choice(3, p=[0.65, 0.2, 0.15]))]
    return (*latency, "traffic", "errors") if chance(rng, 0.4) else latency
