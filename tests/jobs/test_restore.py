"""A worker that fails in the middle of an incident: after the restore the same events with the same ids."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Any

from pyflink.common import Row
from pyflink.common.watermark_strategy import WatermarkStrategy
from pyflink.datastream import FlatMapFunction
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.data_stream import CloseableIterator

from jobs.config import JobConfig
from jobs.operators import assemble
from jobs.rows import observation_type
from onnx_models.bundle import Bundle
from tests.jobs import minicluster
from tests.jobs.bundles import bundle
from tests.jobs.minicluster import RowTime, Sent, configuration, environment, events, observations, sent_of
from tests.jobs.test_operators import incident

MIDDLE = 40
"""The number of a row in the middle of the incident."""
FILLERS, PAUSE_S = 5_000, 0.05
"""Numbers between the two halves of the rows that give no row: time for a checkpoint, as much as it needs."""


class Rows(FlatMapFunction):
    """Turns a number into the row at that place and notes it; a filler between the halves gives nothing.

    Fails once: at the first filler that sees a complete checkpoint begun after a filler found the file
    `ready`, unset after the first filler. Until then fillers are slow, after it they pass at once.
    """

    def __init__(self, rows: list[Row], folder: Path, middle: int = MIDDLE, ready: str = ".") -> None:
        self._rows, self._folder, self._middle, self._ready = rows, folder, middle, ready
        self._before: int | None = None

    def flat_map(self, value: Any) -> Iterator[Row]:
        if self._middle <= value < self._middle + FILLERS:
            self._fill()
            return
        number = value if value < self._middle else value - FILLERS
        with (self._folder / "notes").open("a") as notes:
            notes.write(f"{number}\n")
        yield self._rows[number]

    def _fill(self) -> None:
        lost = self._folder / "lost"
        if lost.exists():
            return
        if self._before is None and (self._folder / self._ready).exists():
            self._before = max(self._checkpoints("chk-*"), default=0)
        sleep(PAUSE_S)
        done = max(self._checkpoints("chk-*/_metadata"), default=0)
        if self._before is not None and done > self._before:
            lost.touch()
            raise RuntimeError("the worker is lost")

    def _checkpoints(self, found: str) -> list[int]:
        paths = (
            path.relative_to(self._folder / "checkpoints")
            for path in (self._folder / "checkpoints").glob(f"*/{found}")
        )
        return [int(path.parts[1].removeprefix("chk-")) for path in paths]


def run(
    rows: list[Row], made: Bundle, folder: Path, config: JobConfig, middle: int = MIDDLE, ready: str = "."
) -> list[Sent]:
    """What a job sends whose worker fails between the rows before and after `middle`; see Rows."""
    env = environment(
        python__fn_execution__bundle__size="10",  # a barrier waits for a bundle
        execution__checkpointing__interval="200 ms",
        execution__checkpointing__dir=(folder / "checkpoints").as_uri(),
        restart_strategy__type="fixed-delay",
        restart_strategy__fixed_delay__attempts="1",
        restart_strategy__fixed_delay__delay="100 ms",
    )
    numbers = env.from_source(
        NumberSequenceSource(0, len(rows) + FILLERS - 1), WatermarkStrategy.no_watermarks(), "numbers"
    )
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(RowTime())
    stream = numbers.flat_map(
        Rows(rows, folder, middle, ready), output_type=observation_type()
    ).assign_timestamps_and_watermarks(strategy)
    out = assemble(stream, config, made.manifest)
    results = out.execute_and_collect("restore")
    assert isinstance(results, CloseableIterator)
    with results:
        return [sent_of(row) for row in results]


def went_on_from_the_checkpoint(folder: Path, rows: list[Row]) -> None:
    """Whether it failed, and took each row once all the same."""
    seen = [int(number) for number in (folder / "notes").read_text().split()]
    assert (folder / "lost").exists(), "nothing failed"
    assert sorted(seen) == list(range(len(rows))), "it began anew instead of from the checkpoint"


def test_after_a_failure_nothing_is_missing_doubled_or_renamed(tmp_path: Path) -> None:
    made = bundle(tmp_path)
    rows = observations(incident("shop", 10, 60, 90))
    after = run(rows, made, tmp_path, configuration(made.path))
    went_on_from_the_checkpoint(tmp_path, rows)
    undisturbed = minicluster.run(rows, configuration(made.path), made.manifest)
    assert [event.id for event in events(after)] == [event.id for event in events(undisturbed)]
    assert sorted(map(repr, after)) == sorted(map(repr, undisturbed))
