"""Reads the files of one RCAEval case: its table of metrics, the moment of the fault, calls from traces.

What its publishers left in the data and is handled here: times in seconds, milliseconds and finer in one
set; a time column named `imte`; columns that come twice; empty cells, NaN and infinities (no sample);
columns that never change (dropped: not measured, or a limit); rows that come twice or out of order.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from records.errors import RecordingError
from records.importers.rcaeval_columns import TIME_NAMES, columns_of, time_index
from records.importers.tables import Row, Table, csv_rows, number

INJECT_TIME: Final = "inject_time.txt"
METRICS: Final = ("simple_data.csv", "simple_metrics.csv", "data.csv", "metrics.csv", "metrics.json")
"""A case's table, the first that is there: the aggregated one goes before the collector's own."""
TRACES: Final = "traces.csv"
ALIASES: Final = {"frontendservice": "frontend"}
"""Services that the traces name differently."""
_ANEW: Final = "fetch the file anew"


def milliseconds(value: float, place: str) -> int:
    """A time since 1970 in ms; published in s, ms, us or ns, which this century tells apart."""
    if not (math.isfinite(value) and value >= 0):
        raise RecordingError(f"{place}: {value} is no time", _ANEW)
    for limit, factor in ((1e11, 1e3), (1e14, 1.0), (1e17, 1e-3)):
        if value < limit:
            return round(value * factor)
    return round(value * 1e-6)


def read_inject_time(case: Path) -> int:
    """When the fault began, ms: the first line of inject_time.txt."""
    file = case / INJECT_TIME
    try:
        text = file.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise RecordingError(f"{file}: cannot be read: {error}", _ANEW) from error
    if not text:
        raise RecordingError(f"{file}: is empty", _ANEW)
    return milliseconds(number(text[0], str(file)), str(file))


def metrics_file(case: Path) -> Path | None:
    """The case's table of metrics; None where there is none that can be read."""
    return next((case / name for name in METRICS if (case / name).is_file()), None)


def read_table(file: Path) -> Table:
    """The table: rows in time order, each time once; series that change at least once."""
    header, rows = _of_json(file) if file.suffix == ".json" else _of_csv(file)
    columns = [column for column in columns_of(header) if _changes(rows, column.index)]
    if not rows or not columns:
        raise RecordingError(f"{file}: no metrics of any service", _ANEW)
    return Table(file, columns, rows)


def _of_csv(file: Path) -> tuple[Sequence[str], list[Row]]:
    lines = csv_rows(file)
    _, header = next(lines, ("", []))
    header = [name.strip() for name in header]
    at = time_index(header)
    if at is None:
        raise RecordingError(f"{file}: no column {', '.join(TIME_NAMES)}", _ANEW)
    rows: dict[int, list[float]] = {}
    for place, cells in lines:
        if len(cells) != len(header):
            raise RecordingError(f"{place}: {len(cells)} cells under {len(header)} columns", _ANEW)
        values = [number(cell, place) for cell in cells]
        rows.setdefault(milliseconds(values[at], place), values)
    return header, sorted(rows.items())


def _of_json(file: Path) -> tuple[Sequence[str], list[Row]]:
    """Of `{"<service>_<metric>": [[time, value], ...]}`."""
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        header = list(told)
        rows: dict[int, list[float]] = {}
        for index, name in enumerate(header):
            for time, value in told[name]:
                at = milliseconds(float(time), f"{file}: {name}")
                row = rows.setdefault(at, [math.nan] * len(header))
                row[index] = number("" if value is None else str(value), f"{file}: {name}")
    except OSError as error:
        raise RecordingError(f"{file}: cannot be read: {error.strerror}", _ANEW) from error
    except (ValueError, TypeError, LookupError) as error:
        raise RecordingError(f"{file}: no series of times and values: {error}", _ANEW) from error
    return header, sorted(rows.items())


def _changes(rows: Sequence[Row], index: int) -> bool:
    seen = {cells[index] for _, cells in rows if cells[index] == cells[index]}
    return len(seen) > 1


def read_trace_calls(case: Path) -> set[tuple[str, str]]:
    """(caller, callee) of every span whose parent is another service's; empty without a traces.csv.

    Reads a line at a time and keeps a number per span: a case has up to millions.
    """
    file = case / TRACES
    if not file.is_file():
        return set()
    services: dict[str, int] = {}
    service_of: dict[str, int] = {}
    waiting: dict[str, set[int]] = {}
    calls: set[tuple[int, int]] = set()
    for span, parent, name in _spans(file):
        service = services.setdefault(ALIASES.get(name, name), len(services))
        service_of[span] = service
        calls.update((service, callee) for callee in waiting.pop(span, ()))
        if parent in service_of:
            calls.add((service_of[parent], service))
        elif parent:
            waiting.setdefault(parent, set()).add(service)
    names = list(services)
    return {(names[caller], names[callee]) for caller, callee in calls if caller != callee}


def _spans(file: Path) -> Iterator[tuple[str, str, str]]:
    """(span, parent or empty, service); ids of spans are random, so that they differ between traces."""
    lines = csv_rows(file)
    _, header = next(lines, ("", []))
    wanted = ("spanID", "parentSpanID", "serviceName")
    missing = [name for name in wanted if name not in header]
    if missing:
        raise RecordingError(f"{file}: no column {', '.join(missing)}", _ANEW)
    places = [header.index(name) for name in wanted]
    for place, cells in lines:
        if len(cells) <= max(places):
            raise RecordingError(f"{place}: {len(cells)} cells under {len(header)} columns", _ANEW)
        span, parent, service = (cells[at] for at in places)
        if span and service:
            yield span, parent, service


def read_edges(file: Path) -> set[tuple[str, str]]:
    """(caller, callee) of a CSV with the columns source and target: a graph for sets that have none."""
    mend = "write a CSV: source,target and a line per call"
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.DictReader(stream, skipinitialspace=True)
            if not {"source", "target"} <= set(reader.fieldnames or ()):
                raise RecordingError(f"{file}: no columns source and target", mend)
            pairs = [(reader.line_num, row["source"], row["target"]) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RecordingError(f"{file}: cannot be read: {error}", mend) from error
    for line, source, target in pairs:
        if not source or not target:
            raise RecordingError(f"{file}:{line}: a call needs a source and a target", mend)
    return {(source, target) for _, source, target in pairs if source != target}
