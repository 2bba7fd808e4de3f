"""Imports RCAEval (RE1 to RE3: Online Boutique, Sock Shop, Train Ticket; MIT licence): a recording per case.

Owns what is a case, of which system, and its fault. A case is published with healthy minutes before its
fault, which stay as they are. RE1 and Sock Shop have no traces, so no calls: `edges` gives them from a file.
Imports this package only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final

from records.errors import RecordingError
from records.importers.rcaeval_files import (
    INJECT_TIME,
    METRICS,
    metrics_file,
    read_edges,
    read_inject_time,
    read_table,
    read_trace_calls,
)
from records.importers.shared import Imported, LeftOut, Progress, lasting_edges, silent
from records.importers.tables import Block, Table, samples_of
from records.recordings import Recording, RecordingMeta, write_recording
from records.samples import Fault
from records.signals import Signal

SOURCE: Final = "https://github.com/phamquiluan/RCAEval"
SYSTEMS: Final[Mapping[str, str]] = {"ob": "online-boutique", "ss": "sock-shop", "tt": "train-ticket"}
FAULT_SIGNALS: Final[Mapping[str, Signal]] = {
    "cpu": "cpu",
    "mem": "memory",
    "disk": "disk",
    "delay": "latency",
    "loss": "latency",
    "socket": "network",
}
"""Which signal shows a fault; of the faults in code (f1 to f5) none is said."""
LAYOUT: Final = f"a case is a folder <service>_<fault>/<n> with {INJECT_TIME} and one of {', '.join(METRICS)}"
_SUITE: Final = re.compile(r"(re[123])[-_]?(ob|ss|tt)", re.IGNORECASE)
_FLAT: Final = re.compile(r"(?:re[123](?:ob|ss|tt)_)?(?P<service>.+)_(?P<fault>[^_]+)_(?P<number>\d+)")
_NESTED: Final = re.compile(r"(?P<service>.+)_(?P<fault>[^_]+)")


@dataclass(frozen=True)
class Case:
    """A case's folder: the recording's name, the graph, which service had which fault."""

    folder: Path
    name: str
    graph: str
    service: str
    fault: str


def import_rcaeval(
    source: Path | str, out: Path | str, progress: Progress = silent, edges: Path | None = None
) -> Imported:
    """Writes a recording per case below `source` into folders of `out`; a case that is unfit is left out.

    `edges`: a CSV of source and target, for cases without traces. RecordingError where no case is fit.
    """
    root = Path(source).resolve()
    folders = sorted((file.parent for file in root.rglob(INJECT_TIME)), key=_in_order)
    if not folders:
        raise RecordingError(f"{source}: no case of RCAEval", LAYOUT)
    given = set() if edges is None else read_edges(edges)
    recordings: list[Recording] = []
    left_out: list[LeftOut] = []
    for index, folder in enumerate(folders, start=1):
        progress(f"case {index} of {len(folders)}: {folder.relative_to(root.parent)}")
        try:
            recordings.append(_import_case(case_of(folder, root), given, Path(out)))
        except RecordingError as error:
            left_out.append(LeftOut(str(folder.relative_to(root.parent)), error.message))
    if not recordings:
        raise RecordingError(f"{left_out[0].case}: {left_out[0].reason} (and no other case is fit)", LAYOUT)
    return Imported(tuple(recordings), tuple(left_out))


def _in_order(folder: Path) -> tuple[str, int, str]:
    number = int(folder.name) if folder.name.isdecimal() else 0
    return str(folder.parent), number, folder.name


def case_of(folder: Path, root: Path) -> Case:
    """Which case a folder is: `<service>_<fault>/<n>`, or one folder `re2ob_<service>_<fault>_<n>`."""
    if folder.name.isdecimal():
        found, number = _NESTED.fullmatch(folder.parent.name), folder.name
    else:
        found = _FLAT.fullmatch(folder.name)
        number = "" if found is None else found["number"]
    if found is None:
        raise RecordingError(f"{folder.name}: the name does not say which service had which fault", LAYOUT)
    suite, graph = _system(folder, root)
    name = "-".join(
        part for part in ("rcaeval", suite, f"{found['service']}_{found['fault']}", number) if part
    )
    return Case(folder, name, graph, found["service"], found["fault"])


def _system(folder: Path, root: Path) -> tuple[str, str]:
    """(suite and system as the publishers write them, graph) from the names of the folders above, the
    nearest first; else the name of `root` for both.
    """
    for name in (folder.name, *(each.name for each in folder.parents)):
        found = _SUITE.match(name)
        if found is not None:
            return f"{found[1]}-{found[2]}".upper(), SYSTEMS[found[2].lower()]
        known = next((system for system in SYSTEMS.values() if name.startswith(system)), None)
        if known is not None:
            return name, known
    return root.name, root.name


def _import_case(case: Case, given: set[tuple[str, str]], out: Path) -> Recording:
    file = metrics_file(case.folder)
    if file is None:
        raise RecordingError(f"{case.folder}: no {', no '.join(METRICS)}", LAYOUT)
    injected = read_inject_time(case.folder)
    table = read_table(file)
    times = [time for time, _ in table.rows]
    if not times[0] < injected <= times[-1]:
        raise RecordingError(
            f"{case.folder / INJECT_TIME}: {injected} lies outside {times[0]} to {times[-1]} of {file.name}",
            "a fault needs data before and after it",
        )
    calls = sorted(read_trace_calls(case.folder) or given)
    meta = RecordingMeta(
        name=case.name,
        graph=case.graph,
        interval=max(1, round(median(later - sooner for sooner, later in pairwise(times)))),
        start=times[0],
        end=times[-1],
        description=_description(case, table, injected, calls),
        licence="MIT",
        source=SOURCE,
    )
    fault = Fault(
        graph=case.graph,
        node=case.service,
        signal=FAULT_SIGNALS.get(case.fault),
        start=injected,
        end=times[-1],
        kind=case.fault,
    )
    samples = samples_of(table.columns, table.rows, case.graph, Block(times[0], times[-1] + 1, 0))
    edges = lasting_edges(case.graph, calls, times[0], times[-1])
    return write_recording(out / case.name, meta, samples, edges, [fault])


def _description(case: Case, table: Table, injected: int, calls: Sequence[tuple[str, str]]) -> str:
    minutes = (injected - table.rows[0][0]) / 60_000
    return " ".join(
        (
            f"{case.graph}: {case.fault} of {case.service}, from {table.file.name}.",
            f"Times are as published, with {minutes:.0f} healthy minutes before the fault,",
            "which is taken to last to the end.",
            f"{len(calls)} calls between services." if calls else "No calls are known.",
        )
    )
