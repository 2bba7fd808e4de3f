"""Healthy recordings of simulated systems of several shapes and loads: no pattern should find anything.

Load rises, falls and surges; values are missing, tails are heavy. What the simulator adds to confuse a model
(levels that shift without a cause, releases, series that spring up) is left out: to a pattern that is news.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from gnn.simulator.recording import write_simulation
from gnn.simulator.style import clean_style, random_style
from gnn.simulator.system import run
from gnn.simulator.timeline import Timeline
from gnn.simulator.topology import random_topology
from records.recordings import Recording


@dataclass(frozen=True)
class System:
    """One healthy system. `calm`: steady load; `clean`: monitored in full, else as it happens to be."""

    name: str
    seed: int
    nodes: int
    tick_s: int
    hours: int
    calm: bool
    clean: bool


SYSTEMS: Final = (
    System("small-steady", 1, 5, 60, 10, True, True),
    System("medium-steady", 2, 15, 30, 5, True, True),
    System("medium-busy", 3, 15, 60, 10, False, True),
    System("large-busy", 4, 40, 60, 8, False, False),
    System("small-fast", 5, 8, 15, 4, False, False),
    System("slow-scrapes", 6, 20, 300, 48, False, False),
)


def healthy_recording(system: System, folder: Path) -> Recording:
    """Writes the recording of `system` below `folder`; the same system gives the same bytes."""
    rng = np.random.default_rng((7, system.seed))
    topology = random_topology(rng, system.nodes)
    style = (
        clean_style()
        if system.clean
        else replace(random_style(rng), quirk=0.0, shift=0.0, seam=0.0, deploys=0.0)
    )
    timeline = Timeline(system.hours * 3600 // system.tick_s, [])
    simulation = run(rng, topology, timeline, style, system.name, system.tick_s * 1000, calm=system.calm)
    return write_simulation(folder / system.name, simulation, description=f"healthy, {system.name}")
