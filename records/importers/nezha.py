"""Imports the Nezha data set (Online Boutique and Train Ticket, MIT licence): one recording per day.

Owns what becomes of a day: which node, which faults, and the order of its hours. A day begins minutes after
its first fault, before any baseline is known; so a fault-free stretch is re-timed and placed before it, and
recording.json says which. Imports this package only.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from records.errors import RecordingError
from records.importers.nezha_files import (
    FAULT_SIGNALS,
    InjectedFault,
    read_calls,
    read_faults,
    read_tables,
)
from records.importers.shared import Imported, Progress, lasting_edges, silent
from records.importers.tables import Block, Table, samples_of
from records.recordings import Recording, RecordingMeta, Retimed, write_recording
from records.samples import Fault, Sample

MINUTE: Final = 60_000
INTERVAL: Final = MINUTE
FAULT_LASTS: Final = 3 * MINUTE
"""The list gives no end; the metrics show the effect for about three minutes."""
SETTLES: Final = 10 * MINUTE
"""After a fault the system is not taken for healthy before this is over."""
LEAST_HEALTHY: Final = 90 * MINUTE
LONG: Final = 360 * MINUTE
SOURCE: Final = "https://github.com/IntelligentDDS/Nezha"


@dataclass(frozen=True)
class System:
    """One of the two systems: its graph's name, its entry node, and calls that its traces leave out."""

    graph: str
    entry: str
    calls: tuple[tuple[str, str], ...] = ()


BOUTIQUE: Final = System("online-boutique", "frontend")
# The dashboard's web server hands every request to the gateway; it sends no traces itself.
TICKET: Final = System("train-ticket", "ts-ui-dashboard", (("ts-ui-dashboard", "ts-gateway-service"),))


@dataclass(frozen=True)
class Plan:
    """The order of a day's hours: blocks in their new order, and what was done, in words."""

    blocks: Sequence[Block]
    words: str


def import_nezha(source: Path | str, out: Path | str, progress: Progress = silent) -> Imported:
    """Writes a recording per day of `source` (the folder of days, or one day) into folders of `out`."""
    recordings = []
    for day in _days(Path(source)):
        progress(f"reading {day}")
        recordings.append(import_day(day, Path(out) / f"nezha-{day.name}"))
    return Imported(tuple(recordings))


def _days(source: Path) -> list[Path]:
    if (source / "metric").is_dir():
        return [source.resolve()]
    days = sorted(each for each in source.glob("*") if (each / "metric").is_dir()) if source.is_dir() else []
    if not days:
        raise RecordingError(
            f"{source}: no day of Nezha", "name the folder that holds 2022-08-22/metric and the like"
        )
    return days


def import_day(day: Path, out: Path) -> Recording:
    """The recording of one day, written into `out`."""
    ticket = any((day / "metric").glob("ts-*_metric.csv"))
    system = TICKET if ticket else BOUTIQUE
    tables = read_tables(day / "metric", system.entry)
    if not any(table.rows for table in tables):
        raise RecordingError(f"{day / 'metric'}: no metrics", "fetch the day anew")
    faults = read_faults(day / f"{day.name}-fault_list.json")
    plan = plan_day(_span(tables), faults)
    start, end = plan.blocks[0].start + plan.blocks[0].shift, plan.blocks[-1].end + plan.blocks[-1].shift
    services = {column.node for table in tables for column in table.columns}
    calls = [*read_calls(day, services), *(call for call in system.calls if services.issuperset(call))]
    meta = RecordingMeta(
        name=f"nezha-{day.name}",
        graph=system.graph,
        interval=INTERVAL,
        start=start,
        end=end,
        description=_description(day.name, system, len(faults), plan),
        licence="MIT",
        source=SOURCE,
        retimed=[_retimed(block) for block in plan.blocks if block.shift],
    )
    samples = _samples(tables, system.graph, plan)
    edges = lasting_edges(system.graph, calls, start, end)
    return write_recording(out, meta, samples, edges, _faults(system.graph, faults))


def _retimed(block: Block) -> Retimed:
    """`end` is the last minute that the block may hold."""
    start, end = block.start + block.shift, block.end + block.shift - 1
    return Retimed(start=start, end=end, shift=block.shift, reason="healthy data placed before the faults")


def _span(tables: Sequence[Table]) -> tuple[int, int]:
    times = [time for table in tables if table.rows for time in (table.rows[0][0], table.rows[-1][0])]
    return min(times), max(times)


def _description(day: str, system: System, faults: int, plan: Plan) -> str:
    return " ".join(
        (
            f"{system.graph} on {day}, {faults} injected faults.",
            plan.words,
            f"Nodes are services; front_service.csv became series of {system.entry}.",
            "A fault's end is taken as 3 minutes after its start.",
            "The host's columns were left out: which pod runs on which host is not published.",
        )
    )


def plan_day(span: tuple[int, int], faults: Sequence[InjectedFault]) -> Plan:
    """Where each hour goes. `span`: first and last time, ms.

    The first fault-free stretch of 90 minutes or more goes before the day: nearest in time, it has the load
    under which the faults were injected. Of one longer than 6 hours the later half goes. At the end of the
    day it is moved; from the middle it is copied, so that no hole is left.
    """
    first, last = span
    whole = Block(first, last + 1, 0)
    if not faults or faults[0].start - first >= LEAST_HEALTHY:
        return Plan([whole], "Times are as published.")
    stretch = _healthy(span, faults)
    if stretch is None:
        return Plan(
            [whole], "Times are as published; no fault-free stretch of 90 minutes could be placed before."
        )
    start, end = stretch
    if end - start > LONG:
        start = _minutes(start + (end - start) // 2)
    shift = -_minutes(end - first + MINUTE - 1)
    at_end = end == last + 1
    rest = Block(first, start, 0) if at_end else whole
    done = "moved" if at_end else "copied"
    words = (
        f"The day begins with a fault: the fault-free stretch {_clock(start)} to {_clock(end)} was {done} "
        f"before it, re-timed by {shift // MINUTE} minutes; all other times are as published."
    )
    return Plan([Block(start, end, shift), rest], words)


def _healthy(span: tuple[int, int], faults: Sequence[InjectedFault]) -> tuple[int, int] | None:
    """The first long stretch from a while after one fault to before the next, or to the end of the day."""
    ends = [fault.start - MINUTE for fault in faults[1:]] + [span[1] + 1]
    for fault, end in zip(faults, ends, strict=True):
        start = fault.start + FAULT_LASTS + SETTLES
        if end - start >= LEAST_HEALTHY:
            return start, end
    return None


def _minutes(time: int) -> int:
    return time // MINUTE * MINUTE


def _clock(time: int) -> str:
    return f"{datetime.fromtimestamp(time / 1000, tz=UTC):%H:%M}"


def _samples(tables: Sequence[Table], graph: str, plan: Plan) -> Iterator[Sample]:
    for block in plan.blocks:
        yield from heapq.merge(
            *(samples_of(table.columns, table.rows, graph, block) for table in tables),
            key=lambda sample: sample.time,
        )


def _faults(graph: str, faults: Sequence[InjectedFault]) -> list[Fault]:
    """The faults at their published times: re-timed blocks hold none."""
    return [
        Fault(
            graph=graph,
            node=fault.node,
            signal=FAULT_SIGNALS.get(fault.kind),
            start=fault.start,
            end=fault.start + FAULT_LASTS,
            kind=fault.kind,
        )
        for fault in faults
    ]
