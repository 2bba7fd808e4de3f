"""Reads the files of one day of the Nezha data set: metric CSVs, fault list, call graph.

No decisions about time.

What its publishers left in the data and is handled here: `TimeStamp` can lie (in one file it is in 2028), so
`Time` is parsed, UTC; `inject_timestamp` is off by hours, so `inject_time` is, UTC; a column that is zero
all day was not measured; an empty cell or NaN is no sample.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from records.errors import RecordingError
from records.importers.tables import Column, Measure, Table, csv_rows, number
from records.signals import Signal

POD_COLUMNS: Final[Mapping[str, Measure]] = {
    "CpuUsageRate(%)": Measure("cpu_usage_rate", "cpu", "%"),
    "MemoryUsage(Mi)": Measure("memory_usage", "memory", "MiBy"),
    "SyscallRead": Measure("syscall_read", "other", "1"),
    "SyscallWrite": Measure("syscall_write", "other", "1"),
    "NetworkReceiveBytes": Measure("network_receive", "network", "By/s"),
    "NetworkTransmitBytes": Measure("network_transmit", "network", "By/s"),
    "PodServerLatencyP90(s)": Measure("server_latency_p90", "latency", "s", "server"),
    "PodServerLatencyP95(s)": Measure("server_latency_p95", "latency", "s", "server"),
    "PodServerLatencyP99(s)": Measure("server_latency_p99", "latency", "s", "server"),
    # What a pod waits for at others, without saying at which: no latency of its own.
    "PodClientLatencyP90(s)": Measure("client_latency_p90", "other", "s", "client"),
    "PodClientLatencyP95(s)": Measure("client_latency_p95", "other", "s", "client"),
    "PodClientLatencyP99(s)": Measure("client_latency_p99", "other", "s", "client"),
    "PodWorkload(Ops)": Measure("workload", "traffic", "1/s"),
    "PodSuccessRate(%)": Measure("success_rate", "availability", "%"),
}
LEFT_OUT: Final = frozenset(
    {
        "Time",
        "TimeStamp",
        "PodName",
        "ServiceName",
        "CpuUsage(m)",  # the rate again, in other units
        "MemoryUsageRate(%)",  # the usage again
        "NodeCpuUsageRate(%)",  # of the host, and which host is not said
        "NodeMemoryUsageRate(%)",
        "NodeNetworkReceiveBytes",
    }
)
FRONT_COLUMNS: Final[Mapping[str, Measure]] = {
    "SuccessRate(%)": Measure("front_success_rate", "availability", "%"),
    "LatencyP50(s)": Measure("front_latency_p50", "latency", "s"),
    "LatencyP90(s)": Measure("front_latency_p90", "latency", "s"),
    "LatencyP95(s)": Measure("front_latency_p95", "latency", "s"),
    "LatencyP99(s)": Measure("front_latency_p99", "latency", "s"),
}
EDGE_FILES: Final[Mapping[str, Measure]] = {
    "source_50.csv": Measure("call_latency_p50", "latency", "s", "client"),
    "destination_50.csv": Measure("call_latency_p50", "latency", "s", "server"),
}
FAULT_SIGNALS: Final[Mapping[str, Signal]] = {
    "cpu_contention": "cpu",
    "cpu_consumed": "cpu",
    "network_delay": "latency",
    "return": "errors",
    "exception": "errors",
}


_Meaning = tuple[str, Measure, str | None]
"""Node, measure and peer of a column."""


@dataclass(frozen=True)
class InjectedFault:
    """One entry of the fault list; `start` in ms."""

    start: int
    node: str
    kind: str


def service_of(pod: str) -> str:
    """The service of a pod: its name without the hashes of replica set and pod."""
    parts = pod.rsplit("-", 2)
    return parts[0] if len(parts) == 3 else pod


def read_tables(metric: Path, entry: str) -> list[Table]:
    """Every metric file of the day, the pods' in order of name.

    `entry` is the node that front_service.csv is about.
    """
    tables = []
    for file in sorted(metric.glob("*_metric.csv")):
        node = service_of(file.name.removesuffix("_metric.csv"))
        tables.append(_table(file, partial(_named, POD_COLUMNS, node)))
    services = {column.node for table in tables for column in table.columns}
    for name, measure in EDGE_FILES.items():
        if (metric / name).is_file():
            tables.append(_table(metric / name, partial(_edge_column, services, measure)))
    if (metric / "front_service.csv").is_file():
        tables.append(_table(metric / "front_service.csv", partial(_named, FRONT_COLUMNS, entry)))
    return tables


def _named(known: Mapping[str, Measure], node: str, name: str) -> _Meaning | None:
    return (node, known[name], None) if name in known else None


def _edge_column(services: set[str], measure: Measure, name: str) -> _Meaning | None:
    source, _, target = name.partition("_")
    return (target, measure, source) if source in services and target in services else None


def _table(file: Path, meaning: Callable[[str], _Meaning | None]) -> Table:
    header, rows = _read_csv(file)
    columns = []
    for index, name in enumerate(header):
        found = meaning(name)
        if found is not None and any(abs(cells[index]) > 0 for _, cells in rows):
            node, measure, peer = found
            columns.append(Column(index, node, measure, peer))
    return Table(file, columns, rows)


def _read_csv(file: Path) -> tuple[list[str], list[tuple[int, list[float]]]]:
    lines = csv_rows(file)
    _, header = next(lines, ("", []))
    rows = [_row(cells, header, place) for place, cells in lines]
    times = [time for time, _ in rows]
    if times != sorted(times):
        raise RecordingError(f"{file}: the rows are not in time order", "fetch the file anew")
    return header, rows


def _row(cells: Sequence[str], header: Sequence[str], place: str) -> tuple[int, list[float]]:
    if len(cells) != len(header) or header[0].lower() != "time":
        raise RecordingError(
            f"{place}: {len(cells)} cells under {len(header)} columns", "fetch the file anew"
        )
    wanted = (name not in LEFT_OUT and index >= 2 for index, name in enumerate(header))
    return utc_ms(cells[0], place), [
        number(cell, place) if want else math.nan for cell, want in zip(cells, wanted, strict=True)
    ]


def utc_ms(text: str, place: str) -> int:
    """Milliseconds of `2022-08-22 03:51:19.607158889 +0000 UTC m=+0.1` or `2022-08-22 03:53:54`, both UTC."""
    date, _, rest = text.partition(" ")
    clock, _, fraction = rest.partition(" ")[0].partition(".")
    try:
        moment = datetime.fromisoformat(f"{date}T{clock}").replace(tzinfo=UTC)
        return int(moment.timestamp()) * 1000 + int(fraction.ljust(3, "0")[:3] or 0)
    except ValueError as error:
        raise RecordingError(f"{place}: {text!r} is no time", "fetch the file anew") from error


def read_faults(file: Path) -> list[InjectedFault]:
    """The fault list in order of time."""
    try:
        hours: dict[str, list[dict[str, str]]] = json.loads(file.read_text(encoding="utf-8"))
        entries = [entry for hour in hours.values() for entry in hour]
        faults = [
            InjectedFault(
                utc_ms(entry["inject_time"], str(file)), service_of(entry["inject_pod"]), entry["inject_type"]
            )
            for entry in entries
        ]
    except OSError as error:
        raise RecordingError(f"{file}: cannot be read: {error.strerror}", "a day has a fault list") from error
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise RecordingError(f"{file}: no fault list: {error!r}", "fetch the file anew") from error
    return sorted(faults, key=lambda fault: (fault.start, fault.node))


def read_calls(day: Path, services: set[str]) -> list[tuple[str, str]]:
    """(caller, callee) of the day's dependency.csv, else of graph_DAY.json beside the day.

    Both ends must be services.
    """
    dependency, graph = day / "metric" / "dependency.csv", day.parent / f"graph_{day.name}.json"
    pairs: Iterator[tuple[str, str]]
    if dependency.is_file():
        with dependency.open(newline="", encoding="utf-8") as stream:
            pairs = iter([(row["Source"], row["Target"]) for row in csv.DictReader(stream)])
    elif graph.is_file():
        pairs = iter([(source, target) for source, target in json.loads(graph.read_text(encoding="utf-8"))])
    else:
        pairs = iter(())
    return sorted({(a, b) for a, b in pairs if a != b and a in services and b in services})
