"""Checks a recording: what is wrong with it, and what is likely to be.

Streams; keeps a few numbers per series.

Owns the findings' words. Imports this package only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from records.errors import RecordingError
from records.recordings import (
    EDGES_FILE,
    FAULTS_FILE,
    META_FILE,
    SAMPLES_FILE,
    Recording,
    numbered_lines,
    open_recording,
)
from records.samples import DEFAULT_TTL_MS, Edge, Fault, Sample
from records.units import factor

SHOWN_PER_KIND: Final = 5
"""Findings of one kind that are listed; the rest is counted."""


@dataclass(frozen=True)
class Finding:
    """One thing found: an `error` makes the recording unfit, a `warning` is worth a look."""

    severity: Literal["error", "warning"]
    file: str
    line: int | None
    kind: str
    message: str

    def __str__(self) -> str:
        """`error samples.ndjson.gz:3: ...`."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{self.severity} {place}: {self.message}"


@dataclass
class CheckReport:
    """What a check saw; `left_out` counts, per kind, the findings beyond the first few."""

    samples: int = 0
    edges: int = 0
    faults: int = 0
    nodes: set[str] = field(default_factory=set)
    series: int = 0
    findings: list[Finding] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def ok(self) -> bool:
        """Whether nothing makes the recording unfit."""
        return all(finding.severity != "error" for finding in self.findings)

    def add(self, found: Finding) -> None:
        """Adds a finding, or counts it where enough of its kind are listed."""
        if sum(each.kind == found.kind for each in self.findings) < SHOWN_PER_KIND:
            self.findings.append(found)
        else:
            self.left_out[found.kind] += 1


def check_recording(path: Path | str) -> CheckReport:
    """Reads the whole recording and reports; what cannot be read is a finding, too, not an exception."""
    report = CheckReport()
    try:
        recording = open_recording(path)
    except RecordingError as error:
        report.add(Finding("error", META_FILE, None, "unreadable", error.message))
        return report
    checker = _Checker(recording)
    parts = ((SAMPLES_FILE, checker.samples), (EDGES_FILE, checker.edges), (FAULTS_FILE, checker.faults))
    for name, part in parts:
        try:
            for finding in part(report):
                report.add(finding)
        except RecordingError as error:
            report.add(Finding("error", name, None, "unreadable", error.message))
    return report


class _Checker:
    """Checks one recording; called once per file, samples first."""

    def __init__(self, recording: Recording) -> None:
        self._path = recording.path
        self._meta = recording.meta
        self._last: dict[object, int] = {}
        self._units: dict[object, str | None] = {}

    def samples(self, report: CheckReport) -> Iterator[Finding]:
        last = 0
        for line, sample in numbered_lines(self._path / SAMPLES_FILE, Sample):
            report.samples += 1
            report.nodes.add(sample.node)
            yield from self._common(SAMPLES_FILE, line, sample.graph, sample.time, last)
            yield from self._series(line, sample)
            last = max(last, sample.time)
        report.series = len(self._last)
        if report.samples == 0:
            yield Finding("warning", SAMPLES_FILE, None, "empty", "the recording has no samples")

    def _series(self, line: int, sample: Sample) -> Iterator[Finding]:
        key = (*sample.series, sample.side)
        if self._last.get(key) == sample.time:
            message = f"a second value of {sample.node}/{sample.metric} at {sample.time}"
            yield Finding("error", SAMPLES_FILE, line, "duplicate", message)
        if self._units.setdefault(key, sample.unit) != sample.unit:
            message = (
                f"{sample.node}/{sample.metric} changes its unit from {self._units[key]} to {sample.unit}"
            )
            yield Finding("error", SAMPLES_FILE, line, "unit", message)
        elif key not in self._last and factor(sample.unit) is None:
            message = (
                f"{sample.node}/{sample.metric}: unit {sample.unit!r} has no known factor; it stays as it is"
            )
            yield Finding("warning", SAMPLES_FILE, line, "unknown unit", message)
        self._last[key] = sample.time

    def _common(self, file: str, line: int, graph: str, time: int, last: int) -> Iterator[Finding]:
        if time < last:
            yield Finding("error", file, line, "order", f"time {time} comes after {last}")
        if graph != self._meta.graph:
            message = f"graph {graph!r}, where {META_FILE} says {self._meta.graph!r}"
            yield Finding("error", file, line, "graph", message)
        if not self._meta.start <= time <= self._meta.end:
            message = f"time {time} lies outside {self._meta.start}..{self._meta.end} of {META_FILE}"
            yield Finding("warning", file, line, "outside", message)

    def edges(self, report: CheckReport) -> Iterator[Finding]:
        last, expires = 0, {}
        for line, edge in numbered_lines(self._path / EDGES_FILE, Edge, optional=True):
            report.edges += 1
            report.nodes.update((edge.source, edge.target))
            yield from self._common(EDGES_FILE, line, edge.graph, edge.time, last)
            if edge.source == edge.target:
                yield Finding(
                    "warning", EDGES_FILE, line, "self edge", f"{edge.source} calls itself; it is dropped"
                )
            expires[edge.source, edge.target] = edge.time + (edge.ttl or DEFAULT_TTL_MS)
            last = max(last, edge.time)
        for (source, target), until in expires.items():
            if until < self._meta.end:
                message = f"{source} -> {target} is not seen again and expires at {until}, before the end"
                yield Finding("warning", EDGES_FILE, None, "expires", message)

    def faults(self, report: CheckReport) -> Iterator[Finding]:
        for line, fault in numbered_lines(self._path / FAULTS_FILE, Fault, optional=True):
            report.faults += 1
            if fault.graph != self._meta.graph:
                message = f"graph {fault.graph!r}, where {META_FILE} says {self._meta.graph!r}"
                yield Finding("error", FAULTS_FILE, line, "graph", message)
            if fault.start > self._meta.end or fault.end < self._meta.start:
                message = f"the fault of {fault.node} lies outside the recording"
                yield Finding("error", FAULTS_FILE, line, "outside", message)
            if fault.node not in report.nodes:
                message = f"node {fault.node!r} of the fault has no samples and no edges"
                yield Finding("warning", FAULTS_FILE, line, "unseen", message)
