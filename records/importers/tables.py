"""Tables of measurements, a row per time and a column per series: CSV files to samples.

Owns what a column becomes and how rows are re-timed; which columns mean what is each importer's. Imports
this package only.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from records.errors import RecordingError
from records.samples import Sample
from records.signals import Signal

Side = Literal["server", "client"]
Row = tuple[int, Sequence[float]]
"""Time in ms, and the cells by column; NaN where there is no value."""


@dataclass(frozen=True)
class Measure:
    """What a column measures: the metric's name here, its signal and unit, who measured it.

    `factor`: a published value times it is in `unit`.
    """

    metric: str
    signal: Signal
    unit: str | None
    side: Side | None = None
    factor: float = 1.0


@dataclass(frozen=True)
class Column:
    """One column of a file: the series it becomes, with `peer` on an edge."""

    index: int
    node: str
    measure: Measure
    peer: str | None = None


@dataclass(frozen=True)
class Table:
    """One file: its columns, and its rows in time order."""

    file: Path
    columns: Sequence[Column]
    rows: Sequence[Row]


@dataclass(frozen=True)
class Block:
    """The rows from `start` to before `end` (published times, ms), moved by `shift` ms."""

    start: int
    end: int
    shift: int


def samples_of(
    columns: Sequence[Column], rows: Iterator[Row] | Sequence[Row], graph: str, block: Block
) -> Iterator[Sample]:
    """The samples of the rows that lie in `block`, row by row; a NaN is no sample."""
    for time, cells in rows:
        if block.start <= time < block.end:
            for column in columns:
                value = cells[column.index]
                if value == value:
                    yield _sample(column, graph, value, time + block.shift)


def _sample(column: Column, graph: str, value: float, time: int) -> Sample:
    measure = column.measure
    return Sample(
        graph=graph,
        node=column.node,
        metric=measure.metric,
        value=value * measure.factor,
        time=time,
        signal=measure.signal,
        unit=measure.unit,
        kind="gauge",
        peer=column.peer,
        side=measure.side,
    )


def number(cell: str, place: str) -> float:
    """The cell's value; NaN for one that is empty or not finite. RecordingError for one that is no number."""
    try:
        value = float(cell) if cell.strip() else math.nan
    except ValueError as error:
        raise RecordingError(f"{place}: {cell!r} is no number", "fetch the file anew") from error
    return value if math.isfinite(value) else math.nan


def csv_rows(file: Path) -> Iterator[tuple[str, list[str]]]:
    """(place, cells) of each line that is not empty; `place` is FILE:LINE. RecordingError where the file
    cannot be read.
    """
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.reader(stream)
            for cells in reader:
                if cells:
                    yield f"{file}:{reader.line_num}", cells
    except OSError as error:
        raise RecordingError(f"{file}: cannot be read: {error.strerror}", "fetch the file anew") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise RecordingError(f"{file}: no CSV: {error}", "fetch the file anew") from error
