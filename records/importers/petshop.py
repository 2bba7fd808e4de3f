"""Imports the PetShop data set (Pet Shop on AWS, CC-BY-4.0): a recording per issue, one of normal operation.

Owns what becomes of a scenario (low, high or temporal traffic). An issue is published as five rows, too few
to know what is normal; so hours of the scenario's normal operation, those nearest in level to the issue's
rows from before its fault, are re-timed and placed right before them, and recording.json says so. Imports
this package and numpy.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np

from records.errors import RecordingError
from records.importers.nearest import F64, Stretch, Stretches
from records.importers.petshop_files import Issue, Metrics, read_calls, read_issue, read_metrics
from records.importers.shared import Imported, Progress, lasting_edges, silent
from records.importers.tables import Block, samples_of
from records.recordings import Recording, RecordingMeta, Retimed, write_recording
from records.samples import Fault, Sample

GRAPH: Final = "petshop"
MINUTE: Final = 60_000
HEALTHY: Final = 12 * 60 * MINUTE
"""So much normal operation goes before an issue: more ticks than a baseline holds."""
LASTS: Final = 10 * MINUTE
"""The publishers give no end; the metrics show the effect for about ten minutes."""
SPLITS: Final = ("train", "test")
SOURCE: Final = "https://github.com/amazon-science/petshop-root-cause-analysis"
LAYOUT: Final = "a scenario holds graph.csv, noissue/metrics.csv, and train/ or test/ with issue_N folders"
_STAMPED: Final = "stamped with the end of its interval"


@dataclass(frozen=True)
class Scenario:
    """A scenario's folder, opened: its name, its calls and its normal operation."""

    name: str
    calls: Sequence[tuple[str, str]]
    normal: Metrics
    stretches: Stretches


def _scenario(folder: Path) -> Scenario:
    normal = read_metrics(folder / "noissue" / "metrics.csv")
    stretches = Stretches(_values(normal, normal), HEALTHY // normal.interval)
    return Scenario(folder.name, read_calls(folder / "graph.csv"), normal, stretches)


def _values(metrics: Metrics, normal: Metrics, until: float = math.inf) -> F64:
    """[R,S]: the rows up to `until` (ms), series as in the normal operation; NaN for no value."""
    places = {(each.node, each.measure): each.index for each in metrics.table.columns}
    order = [places.get((each.node, each.measure)) for each in normal.table.columns]
    rows = [cells for time, cells in metrics.table.rows if time <= until]
    found = [[math.nan if place is None else cells[place] for place in order] for cells in rows]
    return np.array(found, np.float64).reshape(len(rows), len(order))


def import_petshop(source: Path | str, out: Path | str, progress: Progress = silent) -> Imported:
    """Writes the recordings of `source`, a scenario or a folder of scenarios, into folders of `out`."""
    recordings: list[Recording] = []
    for folder in _scenarios(Path(source)):
        progress(f"reading {folder}")
        scenario = _scenario(folder)
        recordings.append(_healthy(scenario, Path(out)))
        for split, issue in _issues(folder):
            progress(f"{folder.name}: {split} {issue.name}")
            recordings.append(_incident(scenario, split, issue, Path(out)))
    return Imported(tuple(recordings))


def _scenarios(source: Path) -> list[Path]:
    folder = source.resolve()
    if any((folder / part).exists() for part in ("graph.csv", "noissue", *SPLITS)):
        return [_complete(folder)]
    found = sorted(each.parent for each in [*folder.glob("*/graph.csv"), *folder.glob("dataset/*/graph.csv")])
    if not found:
        raise RecordingError(f"{source}: no scenario of PetShop", LAYOUT)
    return [_complete(each) for each in found]


def _complete(folder: Path) -> Path:
    missing = [
        name for name in ("graph.csv", "noissue/metrics.csv") if not (folder / name).is_file()
    ]  # the issues' own files are named when they are read
    if not _issues(folder):
        missing.append("train/issue_N or test/issue_N")
    if missing:
        raise RecordingError(f"{folder}: no {', no '.join(missing)}", LAYOUT)
    return folder


def _issues(folder: Path) -> list[tuple[str, Path]]:
    """(split, folder) of each issue, in order of their numbers."""
    return [
        (split, issue)
        for split in SPLITS
        for issue in sorted((folder / split).glob("issue_*"), key=_numbered)
        if issue.is_dir()
    ]


def _numbered(issue: Path) -> tuple[int, str]:
    digits = re.search(r"\d+", issue.name)
    return int(digits.group()) if digits else 0, issue.name


def _healthy(scenario: Scenario, out: Path) -> Recording:
    """The whole of the normal operation, at its own times."""
    normal = scenario.normal
    rows = normal.table.rows
    block = Block(rows[0][0], rows[-1][0] + 1, 0)
    meta = _meta(scenario, "noissue", [block], f"Normal operation, no faults. Each value is {_STAMPED}.")
    return _write(scenario, meta, samples_of(normal.table.columns, rows, GRAPH, block), [], out)


def _incident(scenario: Scenario, split: str, folder: Path, out: Path) -> Recording:
    """The hours of normal operation nearest in level, then the issue at its own times."""
    normal = scenario.normal
    issue = read_issue(folder / "target.json")
    metrics = read_metrics(folder / "metrics.csv", normal.interval)
    rows = metrics.table.rows
    stretch = scenario.stretches.nearest(_values(metrics, normal, issue.start))
    placed = _placed(normal, stretch, rows[0][0] - normal.interval)
    own = Block(rows[0][0], rows[-1][0] + 1, 0)
    words = _description(issue, placed, stretch, len(rows))
    meta = _meta(scenario, f"{split}-{folder.name}", [placed, own], words)
    if not meta.start <= issue.start <= meta.end:
        raise RecordingError(
            f"{folder / 'target.json'}: the issue lies outside the times of metrics.csv", "fetch it anew"
        )
    samples = chain(
        samples_of(normal.table.columns, normal.table.rows, GRAPH, placed),
        samples_of(metrics.table.columns, rows, GRAPH, own),
    )
    return _write(scenario, meta, samples, [_fault(issue)], out)


def _placed(normal: Metrics, stretch: Stretch, until: int) -> Block:
    """The block of a stretch of normal operation that ends, re-timed, with a row at `until` (ms)."""
    rows = normal.table.rows
    last = rows[stretch.end - 1][0]
    return Block(rows[stretch.first][0], last + 1, until - last)


def _meta(scenario: Scenario, part: str, blocks: Sequence[Block], description: str) -> RecordingMeta:
    return RecordingMeta(
        name=f"petshop-{scenario.name}-{part}",
        graph=GRAPH,
        interval=scenario.normal.interval,
        start=blocks[0].start + blocks[0].shift,
        end=blocks[-1].end - 1 + blocks[-1].shift,
        description=f"Pet Shop on AWS, {scenario.name}, {part.replace('-', ' ')}. {description}",
        licence="CC-BY-4.0",
        source=SOURCE,
        retimed=[
            Retimed(
                start=block.start + block.shift,
                end=block.end - 1 + block.shift,
                shift=block.shift,
                reason="healthy data placed before the incident",
            )
            for block in blocks
            if block.shift
        ],
    )


def _description(issue: Issue, placed: Block, stretch: Stretch, rows: int) -> str:
    hours = (placed.end - placed.start) / (60 * MINUTE)
    return " ".join(
        (
            f"{issue.metric} of {issue.target} alarmed. The publishers give {rows} values of the issue only:",
            f"{hours:.0f} hours of their normal operation were placed before it, re-timed by",
            f"{placed.shift // MINUTE} minutes, {_chosen(stretch)}. Each value is {_STAMPED}.",
            "The fault's end is taken as 10 minutes after its start.",
        )
    )


def _chosen(stretch: Stretch) -> str:
    if stretch.distance is None or stretch.of_latest is None:
        return "the last of them"
    return (
        "those nearest in level to the issue's values from before its fault "
        f"({stretch.distance:.2f} usual spreads away, the last of them {stretch.of_latest:.2f})"
    )


def _fault(issue: Issue) -> Fault:
    return Fault(
        graph=GRAPH,
        node=issue.cause,
        signal=issue.signal,
        start=issue.start,
        end=issue.start + LASTS,
        kind=f"{issue.metric}_issue",
    )


def _write(
    scenario: Scenario, meta: RecordingMeta, samples: Iterator[Sample], faults: Sequence[Fault], out: Path
) -> Recording:
    edges = lasting_edges(GRAPH, scenario.calls, meta.start, meta.end)
    return write_recording(out / meta.name, meta, samples, edges, faults)
