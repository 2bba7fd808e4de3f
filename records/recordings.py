"""Recordings: a folder with samples, edges and faults of one graph. Streaming reader and writer.

Owns the layout: `recording.json`, `samples.ndjson.gz`, `edges.ndjson.gz`, `faults.ndjson`. Samples and edges
are in time order. Every failure is a RecordingError that names the file and the line.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated, Final, TypeVar, cast

import orjson
from pydantic import Field, ValidationError, model_validator

from records.errors import RecordingError
from records.samples import Edge, Fault, Name, Sample, TimeMs
from records.validation import Record, explain

META_FILE: Final = "recording.json"
SAMPLES_FILE: Final = "samples.ndjson.gz"
EDGES_FILE: Final = "edges.ndjson.gz"
FAULTS_FILE: Final = "faults.ndjson"

_Line = TypeVar("_Line", Sample, Edge, Fault)


class Retimed(Record):
    """A stretch of a recording, `start` to `end` (ms, both included), whose times are not those that were
    published: `shift` ms were added to them, for `reason`.
    """

    start: TimeMs
    end: TimeMs
    shift: int
    reason: Name


class RecordingMeta(Record):
    """What `recording.json` says. `interval`: ms between scrapes. `start`, `end`: ms, both ends included.

    `retimed`: what does not stand at the time at which it happened, such as healthy data that was placed
    before an incident.
    """

    name: Name
    graph: Name
    interval: Annotated[int, Field(gt=0)]
    start: TimeMs
    end: TimeMs
    description: str = ""
    licence: str = ""
    source: str = ""
    retimed: list[Retimed] = Field(default_factory=list)

    @model_validator(mode="after")
    def _ends_after_start(self) -> RecordingMeta:
        if self.end < self.start:
            raise ValueError(f"the recording ends at {self.end}, before its start {self.start}")
        return self


@dataclass(frozen=True)
class Recording:
    """A recording that is there: its folder and its meta data.

    Opening reads recording.json only; the rest streams.
    """

    path: Path
    meta: RecordingMeta

    def samples(self) -> Iterator[Sample]:
        """The samples, a line at a time."""
        return (sample for _, sample in numbered_lines(self.path / SAMPLES_FILE, Sample))

    def edges(self) -> Iterator[Edge]:
        """The edges, a line at a time; none where the file is absent."""
        return (edge for _, edge in numbered_lines(self.path / EDGES_FILE, Edge, optional=True))

    def faults(self) -> list[Fault]:
        """The faults; an empty list is a healthy recording."""
        return [fault for _, fault in numbered_lines(self.path / FAULTS_FILE, Fault, optional=True)]


def open_recording(path: Path | str) -> Recording:
    """The recording in folder `path`; RecordingError where that is no recording."""
    folder = Path(path)
    if not folder.is_dir():
        raise RecordingError(f"{folder}: no such folder", "name the folder that holds recording.json")
    file = folder / META_FILE
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise RecordingError(
            f"{file}: cannot be read: {error.strerror}", "a recording is a folder with recording.json in it"
        ) from error
    try:
        meta = RecordingMeta.model_validate_json(raw)
    except ValidationError as error:
        raise RecordingError(
            f"{file}: {'; '.join(explain(error, RecordingMeta))}", "mend the file"
        ) from error
    if not (folder / SAMPLES_FILE).is_file():
        raise RecordingError(
            f"{folder / SAMPLES_FILE}: no such file", "a recording without samples has an empty one"
        )
    return Recording(folder, meta)


def numbered_lines(file: Path, model: type[_Line], *, optional: bool = False) -> Iterator[tuple[int, _Line]]:
    """(line number from 1, record) for each line of an NDJSON file, gzip where its name ends in .gz.

    An empty file has no lines; blank lines are passed over. With `optional` an absent file is an empty one.
    """
    if optional and not file.exists():
        return
    number = 0
    try:
        with _open_lines(file) as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, _parse(line, model, file, number)
    except (OSError, EOFError, zlib.error) as error:
        raise RecordingError(
            f"{file}:{number + 1}: cannot be read: {error}",
            "the file is cut short or no gzip: fetch or write it anew",
        ) from error


@contextmanager
def _open_lines(file: Path) -> Iterator[Iterable[bytes]]:
    if file.suffix == ".gz" and file.stat().st_size > 0:
        with gzip.open(file, "rb") as lines:
            yield cast(IO[bytes], lines)
    else:
        with file.open("rb") as plain:
            yield plain


def _parse(line: bytes, model: type[_Line], file: Path, number: int) -> _Line:
    try:
        return model.model_validate_json(line)
    except ValidationError as error:
        raise RecordingError(
            f"{file}:{number}: {'; '.join(explain(error, model))}", "mend or drop the line"
        ) from error


def write_recording(
    path: Path | str,
    meta: RecordingMeta,
    samples: Iterable[Sample],
    edges: Iterable[Edge] = (),
    faults: Iterable[Fault] = (),
) -> Recording:
    """Writes a recording into folder `path` (made if need be), the same bytes for the same content.

    Returns it.

    Samples and edges must come in time order: RecordingError otherwise. recording.json is written last, so a
    folder left by a crash is no recording.
    """
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / META_FILE).unlink(missing_ok=True)
    _write_ordered(folder / SAMPLES_FILE, samples)
    _write_ordered(folder / EDGES_FILE, edges)
    (folder / FAULTS_FILE).write_bytes(b"".join(_line(fault) for fault in faults))
    text = orjson.dumps(meta.model_dump(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    (folder / META_FILE).write_bytes(text)
    return Recording(folder, meta)


def _write_ordered(file: Path, records: Iterable[Sample | Edge]) -> None:
    last = 0
    with (
        file.open("wb") as raw,
        gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as packed,
        io.BufferedWriter(cast(io.RawIOBase, packed), 1 << 16) as out,
    ):
        for number, record in enumerate(records, start=1):
            if record.time < last:
                raise RecordingError(
                    f"{file}:{number}: time {record.time} comes after {last}",
                    "sort the records by time before writing",
                )
            last = record.time
            out.write(_line(record))


def _line(record: Sample | Edge | Fault) -> bytes:
    fields = {key: value for key, value in record.__dict__.items() if value is not None}
    return orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE)
