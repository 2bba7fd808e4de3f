"""A worker that fails in the middle of an incident: after the restore the same events with the same ids."""

from __future__ import annotations

from pathlib import Path
from time import sleep
from typing import Any

from pyflink.common import Row
from pyflink.common.watermark_strategy import WatermarkStrategy
from pyflink.datastream import MapFunction
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.data_stream import CloseableIterator

from jobs.operators import assemble
from jobs.rows import observation_type
from onnx_models.bundle import Bundle
from tests.jobs import minicluster
from tests.jobs.bundles import bundle
from tests.jobs.minicluster import RowTime, Sent, configuration, environment, events, observations, sent_of
from tests.jobs.test_operators import incident

PAUSE_S, LONGER_PAUSE_S = 0.02, 0.15
MIDDLE = 40
"""The number of a row in the middle of the incident."""


class Rows(MapFunction):
    """Turns a number into the row at that place, slowly, and notes it.

    Fails once: at the first row from MIDDLE on for which a checkpoint is complete.
    """

    def __init__(self, rows: list[Row], folder: Path) -> None:
        self._rows, self._folder = rows, folder

    def map(self, value: Any) -> Row:
        lost = self._folder / "lost"
        waiting = value >= MIDDLE and not lost.exists()
        sleep(LONGER_PAUSE_S if waiting else PAUSE_S)
        with (self._folder / "notes").open("a") as notes:
            notes.write(f"{value}\n")
        if waiting and any(self._folder.glob("checkpoints/*/chk-*/_metadata")):
            lost.write_text(str(value))
            raise RuntimeError("the worker is lost")
        row: Row = self._rows[value]
        return row


def run(rows: list[Row], made: Bundle, folder: Path) -> list[Sent]:
    env = environment(
        execution__checkpointing__interval="200 ms",
        execution__checkpointing__dir=(folder / "checkpoints").as_uri(),
        restart_strategy__type="fixed-delay",
        restart_strategy__fixed_delay__attempts="1",
        restart_strategy__fixed_delay__delay="100 ms",
    )
    numbers = env.from_source(
        NumberSequenceSource(0, len(rows) - 1), WatermarkStrategy.no_watermarks(), "numbers"
    )
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(RowTime())
    stream = numbers.map(Rows(rows, folder), output_type=observation_type()).assign_timestamps_and_watermarks(
        strategy
    )
    out = assemble(stream, configuration(made.path), made.manifest)
    results = out.execute_and_collect("restore")
    assert isinstance(results, CloseableIterator)
    with results:
        return [sent_of(row) for row in results]


def test_after_a_failure_nothing_is_missing_doubled_or_renamed(tmp_path: Path) -> None:
    made = bundle(tmp_path)
    rows = observations(incident("shop", 10, 60, 90))
    after = run(rows, made, tmp_path)
    seen = [int(number) for number in (tmp_path / "notes").read_text().split()]
    assert (tmp_path / "lost").exists(), "no checkpoint was complete in time, so nothing failed"
    assert seen.count(0) == 1, "it began anew instead of from a checkpoint"
    assert seen.count(int((tmp_path / "lost").read_text())) == 2
    undisturbed = minicluster.run(rows, configuration(made.path), made.manifest)
    assert [event.id for event in events(after)] == [event.id for event in events(undisturbed)]
    assert sorted(map(repr, after)) == sorted(map(repr, undisturbed))
