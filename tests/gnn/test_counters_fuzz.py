"""Processes that only count up, through the batch entry: repeats change nothing, restarts are no spikes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gnn.matrix import START, jvm_frames
from records.frames import FEATURES, FrameRow, read_frame_file
from records.recordings import RecordingMeta, write_recording
from records.samples import Sample
from records.signals import SIGNALS

TICK_MS = 10_000
TICKS = 40
TRAFFIC = SIGNALS.index("traffic")
PROCESSES = 20
"""As many share one run of the JVM."""


@dataclass(frozen=True)
class Process:
    """Calls per second [TICKS], ticks in which it restarts, ticks whose point is sent again."""

    rates: NDArray[np.float64]
    restarts: frozenset[int]
    repeats: frozenset[int]

    def samples(self, graph: str, repeated: bool) -> Iterator[Sample]:
        value = 1_000.0
        for tick, rate in enumerate(self.rates):
            restarted = tick in self.restarts
            value = (0.0 if restarted else value) + rate * TICK_MS / 1000 * (0.5 if restarted else 1.0)
            sample = Sample(
                graph=graph,
                node="cart",
                metric="requests",
                value=value,
                time=START + tick * TICK_MS,
                signal="traffic",
                unit="1",
                kind="counter",
            )
            yield sample
            if repeated and tick in self.repeats:
                yield sample


@st.composite
def processes(draw: st.DrawFn) -> Process:
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    steady = draw(st.floats(2.0, 10.0))
    return Process(
        rates=steady * generator.uniform(1.0, 2.0, TICKS),
        restarts=frozenset(draw(st.sets(st.integers(2, TICKS - 1), max_size=4))),
        repeats=frozenset(draw(st.sets(st.integers(0, TICKS - 1), max_size=10))),
    )


def frames(made: list[Process], folder: Path) -> dict[str, list[FrameRow]]:
    """The frame rows of each process by `N` and, with repeated points, `N-again`."""
    inputs = []
    for number, process in enumerate(made):
        for graph in (str(number), f"{number}-again"):
            end = START + TICKS * TICK_MS
            meta = RecordingMeta(name=graph, graph=graph, interval=TICK_MS, start=START, end=end)
            write_recording(folder / graph, meta, process.samples(graph, graph.endswith("again")))
            inputs.append({"recording": str(folder / graph)})
    jvm_frames(inputs, folder / "frames.bin", TICK_MS)
    rows: dict[str, list[FrameRow]] = {}
    for row in read_frame_file(folder / "frames.bin"):
        rows.setdefault(row.graph, []).append(row)
    return rows


@seed(4711)
@settings(max_examples=3, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.lists(processes(), min_size=PROCESSES, max_size=PROCESSES))
def test_repeats_change_nothing_and_restarts_are_no_spikes(made: list[Process]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = frames(made, Path(folder))
    assert len(rows) == 2 * len(made)
    for number, process in enumerate(made):
        once, again = rows[str(number)], rows[f"{number}-again"]
        assert len(once) == len(again) >= TICKS
        for one, other in zip(once, again, strict=True):
            assert np.array_equal(one.frames, other.frames)
        traffic = np.array([row.frames[0, TRAFFIC] for row in once])
        level = traffic[:, FEATURES.index("level")]
        assert level.max() <= process.rates.max() * (1 + 1e-6)
        assert level[-1] >= process.rates.min() / 2
