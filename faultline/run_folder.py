"""The folder a run leaves behind: what is in it and how it is read.

    incidents.ndjson  matches.ndjson  dead-letters.ndjson  audit.ndjson  frames/frames.bin
    run.json  report.html  flink.log

Owns run.json, which says where the recordings are. A file that is absent is an empty one: a run without
incidents writes none. Imports records only.
"""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson
from pydantic import Field, ValidationError

from records.cloudevents import STRUCTURED_TYPE, read_cloudevent
from records.errors import DataError, UsageError
from records.frames import FrameRow, read_frame_file
from records.incidents import IncidentEvent
from records.matches import Match
from records.recordings import Recording, open_recording
from records.samples import Fault
from records.validation import Record, explain

INCIDENTS: Final = "incidents.ndjson"
MATCHES: Final = "matches.ndjson"
DEAD_LETTERS: Final = "dead-letters.ndjson"
AUDIT: Final = "audit.ndjson"
FRAMES: Final = "frames/frames.bin"
RUN: Final = "run.json"
REPORT: Final = "report.html"
LOG: Final = "flink.log"


class RunInput(Record):
    """A recording of the run: its folder, and the name its graph had in the run."""

    path: str
    graph: str


class RunMeta(Record):
    """What run.json says: the command's version, the inputs, further rules, counts, the seconds it took."""

    version: str
    inputs: list[RunInput] = Field(default_factory=list)
    rules: list[str | list[dict[str, Any]]] = Field(default_factory=list)
    counts: dict[str, int] = Field(default_factory=dict)
    seconds: float | None = None


@dataclass(frozen=True)
class Source:
    """A recording under the name its graph had in the run."""

    graph: str
    recording: Recording

    def faults(self) -> list[Fault]:
        """The recorded faults, under that name."""
        return [each.model_copy(update={"graph": self.graph}) for each in self.recording.faults()]

    @property
    def span(self) -> tuple[int, int]:
        """First and last time, ms."""
        return self.recording.meta.start, self.recording.meta.end


@dataclass(frozen=True)
class RunFolder:
    """A run's folder, opened: run.json is read, the rest when asked for."""

    path: Path
    meta: RunMeta
    sources: tuple[Source, ...] = ()
    missing: tuple[str, ...] = field(default=())
    """Inputs that run.json names and that are no longer there."""

    def events(self) -> Iterator[IncidentEvent]:
        """The incident events, in the order they were written."""
        return (read_event_line(line, place) for place, line in self._lines(INCIDENTS))

    def matches(self) -> Iterator[Match]:
        """The matches, in the order they were written."""
        for place, line in self._lines(MATCHES):
            try:
                yield Match.model_validate_json(line)
            except ValidationError as error:
                raise DataError(f"{place}: {'; '.join(explain(error, Match))}") from error

    def frames(self) -> Iterator[FrameRow]:
        """The frame rows, in the order they were written."""
        file = self.path / FRAMES
        return read_frame_file(file) if file.is_file() else iter(())

    def counts(self) -> dict[str, int]:
        """Counts of the run by name; what run.json does not say and the files do is counted there."""
        return {"dead_letters": self._count(DEAD_LETTERS), "late": self._late(), **self.meta.counts}

    def faults(self) -> list[Fault]:
        """The faults of all recordings."""
        return [fault for source in self.sources for fault in source.faults()]

    def spans(self) -> dict[str, tuple[int, int]]:
        """First and last time of each graph's recording, ms."""
        return {source.graph: source.span for source in self.sources}

    def _count(self, name: str) -> int:
        return sum(1 for _ in self._lines(name))

    def _late(self) -> int:
        told = (orjson.loads(line) for _, line in self._lines(AUDIT))
        return sum(int(each.get("samples", 1)) for each in told if each.get("type") == "late")

    def _lines(self, name: str) -> Iterator[tuple[str, bytes]]:
        file = self.path / name
        if not file.is_file():
            return
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield f"{file}:{number}", line


def open_run(path: Path, recordings: tuple[Path, ...] = ()) -> RunFolder:
    """The run in folder `path`; `recordings` stand in for those that run.json names (they have moved, or
    there is no run.json because the events came from Kafka).
    """
    if not (path / INCIDENTS).is_file() and not (path / RUN).is_file():
        raise UsageError(f"{path}: no run in this folder", f"name the folder that holds {INCIDENTS}")
    meta = _read_meta(path / RUN)
    if recordings:
        opened = [open_recording(each) for each in recordings]
        return RunFolder(path, meta, tuple(Source(each.meta.graph, each) for each in opened))
    there = [each for each in meta.inputs if Path(each.path, "recording.json").is_file()]
    missing = tuple(each.path for each in meta.inputs if each not in there)
    return RunFolder(
        path, meta, tuple(Source(each.graph, open_recording(each.path)) for each in there), missing
    )


def prepare(path: Path, inputs: Mapping[str, str], version: str) -> RunMeta:
    """Makes the folder ready for a run: made if need be, an earlier run's files removed, run.json written.

    UsageError where the folder holds something else: nothing of the user's is ever overwritten.
    """
    ours = [
        *(path / name for name in (INCIDENTS, MATCHES, DEAD_LETTERS, AUDIT, RUN, REPORT, LOG)),
        path / "frames",
    ]
    if path.exists() and any(path.iterdir()) and not (path / RUN).is_file():
        raise UsageError(f"{path}: the folder is not empty and holds no run", "name a new or an empty folder")
    path.mkdir(parents=True, exist_ok=True)
    for each in ours:
        if each.is_dir():
            shutil.rmtree(each)
        else:
            each.unlink(missing_ok=True)
    meta = RunMeta(version=version, inputs=[RunInput(path=key, graph=name) for key, name in inputs.items()])
    write_meta(path, meta)
    return meta


def write_meta(path: Path, meta: RunMeta) -> None:
    """Writes run.json."""
    text = orjson.dumps(meta.model_dump(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    (path / RUN).write_bytes(text)


def events_file(named: Path) -> Path:
    """The file of events that a command line names: itself, or that of a run's folder.

    UsageError where the folder has none.
    """
    file = named / INCIDENTS if named.is_dir() else named
    if not file.is_file():
        raise UsageError(f"{named} has no {file.name}", "name the --out folder of `faultline run`")
    return file


def read_events(file: Path) -> Iterator[IncidentEvent]:
    """The incident events of an NDJSON file (gzip where its name ends in .gz)."""
    with gzip.open(file, "rb") if file.suffix == ".gz" else file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield read_event_line(line, f"{file}:{number}")


def read_event_line(line: bytes, place: str) -> IncidentEvent:
    """The event in one line, data alone or a structured CloudEvent; DataError with its place otherwise."""
    structured = b'"specversion"' in line
    try:
        return read_cloudevent(line, {"content-type": STRUCTURED_TYPE} if structured else {})
    except DataError as error:
        raise DataError(f"{place}: {error.message}", error.mend or f"name a run's {INCIDENTS}") from error


def _read_meta(file: Path) -> RunMeta:
    if not file.is_file():
        return RunMeta(version="")
    try:
        return RunMeta.model_validate_json(file.read_bytes())
    except ValidationError as error:
        raise DataError(f"{file}: {'; '.join(explain(error, RunMeta))}") from error
