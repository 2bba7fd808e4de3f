"""Reads the files of a scenario of the PetShop data set: wide CSVs of metrics, call graph, targets.

No decisions about time but one: a row is published under the second at which its five minutes begin, and
becomes known when they end, so `read_metrics` gives that end.

What its publishers left in the data and is handled here: a row of header that names the index only; columns
that an issue has and the normal operation has not; `root_cause.metric` that is null; empty cells where
nothing was called.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, Final

from records.errors import RecordingError
from records.importers.tables import Column, Measure, Table, csv_rows, number
from records.signals import Signal

SECOND: Final = 1_000
HEADS: Final = ("microservice", "metric", "statistic")
LATENCIES: Final = ("Average", "p50", "p90", "p95", "p99")
SIGNALS: Final[Mapping[str, Signal]] = {
    "latency": "latency",
    "availability": "availability",
    "requests": "traffic",
}


@dataclass(frozen=True)
class Issue:
    """What target.json says: the alarmed metric of `target`, when (ms), and the node that caused it.

    `signal`: of the cause; None where the publishers do not say.
    """

    start: int
    target: str
    metric: str
    cause: str
    signal: Signal | None


@dataclass(frozen=True)
class Metrics:
    """A metrics.csv with its interval, ms."""

    table: Table
    interval: int


def measures(interval: int) -> dict[tuple[str, str], Measure]:
    """(metric, statistic) to what it measures. Latency is in seconds, availability in %, requests are a sum
    over the interval (ms) and become a rate.
    """
    known = {
        ("latency", statistic): Measure(f"latency_{statistic.lower()}", "latency", "s", "server")
        for statistic in LATENCIES
    }
    known["availability", "Average"] = Measure("availability", "availability", "%")
    known["requests", "Sum"] = Measure("requests", "traffic", "1/s", None, SECOND / interval)
    return known


def read_metrics(file: Path, interval: int | None = None) -> Metrics:
    """The rows of a metrics.csv by the end of their interval, each time once.

    `interval` (ms): unset it is the median distance of the rows. RecordingError where the three rows of
    header or the rows' times are not there.
    """
    lines = csv_rows(file)
    head = [next(lines, ("", [""]))[1] for _ in HEADS]
    if tuple(cells[0] for cells in head) != HEADS or len({len(cells) for cells in head}) != 1:
        raise RecordingError(
            f"{file}: the header is not three rows that begin with {', '.join(HEADS)}", "fetch the file anew"
        )
    begun: dict[int, list[float]] = {}
    for place, cells in lines:
        if cells[0] != "unix_timestamp":
            time, values = _row(cells, len(head[0]), place)
            begun.setdefault(time, values)
    if len(begun) < 2:
        raise RecordingError(f"{file}: fewer than two rows", "fetch the file anew")
    times = sorted(begun)
    step = interval or round(median(b - a for a, b in pairwise(times)))
    rows = [(time + step, begun[time]) for time in times]
    return Metrics(Table(file, _columns(head, step), rows), step)


def _columns(head: Sequence[Sequence[str]], interval: int) -> list[Column]:
    """A column per series; of a repeated one the first. What is not documented is left out."""
    known = measures(interval)
    first: dict[tuple[str, str], Column] = {}
    for index, (node, metric, statistic) in enumerate(zip(*head, strict=True)):
        measure = known.get((metric, statistic))
        if measure is not None:
            first.setdefault((node, measure.metric), Column(index, node, measure))
    return list(first.values())


def _row(cells: Sequence[str], width: int, place: str) -> tuple[int, list[float]]:
    if len(cells) != width:
        raise RecordingError(f"{place}: {len(cells)} cells under {width} columns", "fetch the file anew")
    values = [number(cell, place) for cell in cells]
    if not values[0] >= 0:
        raise RecordingError(f"{place}: {cells[0]!r} is no time", "fetch the file anew")
    return round(values[0] * SECOND), values


def read_calls(file: Path) -> list[tuple[str, str]]:
    """(caller, callee) of the adjacency matrix graph.csv: a row calls the columns where it has 1."""
    lines = csv_rows(file)
    _, head = next(lines, ("", []))
    calls: set[tuple[str, str]] = set()
    for place, cells in lines:
        if len(cells) != len(head):
            raise RecordingError(
                f"{place}: {len(cells)} cells under {len(head)} columns", "fetch the file anew"
            )
        values = [number(cell, place) for cell in cells[1:]]
        calls.update((cells[0], to) for to, value in zip(head[1:], values, strict=True) if value > 0)
    return sorted((caller, callee) for caller, callee in calls if caller != callee)


def read_issue(file: Path) -> Issue:
    """What target.json says; RecordingError names the key that is missing."""
    try:
        told: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        target, cause = told["target"], told["root_cause"]
        return Issue(
            start=round(float(target["timestamp"]) * SECOND),
            target=str(target["node"]),
            metric=str(target["metric"]),
            cause=str(cause["node"]),
            signal=SIGNALS.get(str(cause.get("metric"))),
        )
    except OSError as error:
        raise RecordingError(
            f"{file}: cannot be read: {error.strerror}", "an issue has a target.json"
        ) from error
    except KeyError as error:
        raise RecordingError(f"{file}: no key {error}", "fetch the file anew") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise RecordingError(f"{file}: no target of an issue: {error}", "fetch the file anew") from error
