"""Simulations to frame rows: a matrix file per system, then one run of the JVM's own normaliser over all of
them.

A matrix file is one JSON header line, then float64-LE [R, S] with NaN for "no sample". Nothing is written per
sample, and no frame is ever made by Python: training sees what the job will see.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from gnn.simulator.system import Simulation
from records.frames import FrameRow, read_frame_file
from records.java import QUICK_START, run_main

START = 1_767_225_600_000
FRAMES_MAIN = "io.faultline.cli.Frames"
_FOREVER_MS = 10**12
"""A run of seconds spends half of its time in the optimising compiler: leave that out."""

FrameMaker = Callable[[Sequence[dict[str, Any]], Path, int | None], None]
"""Writes the frame rows of inputs (``{"matrix": path}`` or ``{"recording": path}``), in their order, to a
file."""

log = logging.getLogger(__name__)


def write_matrix(path: Path, simulation: Simulation) -> None:
    """Write one simulation as a matrix file, starting at ``START``; every edge lives throughout."""
    names = simulation.names
    header = {
        "graph": simulation.graph,
        "tick_ms": simulation.tick_ms,
        "start": START - START % simulation.tick_ms,
        "rows": len(simulation.matrix),
        "series": [
            {
                "node": names[one.node],
                "metric": one.metric,
                "signal": one.signal,
                "unit": one.unit,
                "kind": one.kind,
                "peer": None if one.peer is None else names[one.peer],
                "side": one.side,
                "labels": one.labels,
            }
            for one in simulation.series
        ],
        "edges": [
            {"source": names[source], "target": names[target], "ttl": _FOREVER_MS}
            for source, target in simulation.edges
        ],
    }
    with path.open("wb") as file:
        file.write(orjson.dumps(header) + b"\n")
        file.write(np.ascontiguousarray(simulation.matrix, "<f8").tobytes())


def jvm_frames(inputs: Sequence[dict[str, Any]], out: Path, tick_ms: int | None) -> None:
    """Make frames with the JVM's batch entry, with ``tick_ms`` or each input's own tick. Raises JavaError
    when Java, the jar or the run fails."""
    request = {
        "inputs": [dict(one) for one in inputs],
        "rules": [],
        "window_ticks": 10,
        "out": str(out.absolute()),
        **({} if tick_ms is None else {"tick_ms": tick_ms}),
    }
    for summary in run_main(FRAMES_MAIN, request, jvm_options=QUICK_START):
        log.debug("event=frames summary=%s", summary)


def frames_of(
    simulations: Sequence[Simulation], folder: Path, make: FrameMaker = jvm_frames
) -> Iterator[tuple[Simulation, list[FrameRow]]]:
    """Yield each simulation (distinct graph names) with its frame rows; ``folder`` takes the files."""
    inputs = []
    for simulation in simulations:
        path = folder / f"{simulation.graph}.matrix"
        write_matrix(path, simulation)
        inputs.append({"matrix": str(path.absolute())})
    out = folder / "frames.bin"
    make(inputs, out, None)
    rows: dict[str, list[FrameRow]] = {}
    for row in read_frame_file(out):
        rows.setdefault(row.graph, []).append(row)
    for simulation in simulations:
        (folder / f"{simulation.graph}.matrix").unlink()
        yield simulation, rows.pop(simulation.graph, [])
    out.unlink()
