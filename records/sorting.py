"""Sorts more lines than fit into memory by time: sorted runs on disk, then one merge. Imports nothing."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Final

RUN: Final = 500_000
"""Lines that are sorted in memory."""
_DIGITS: Final = 15
_Line = tuple[int, bytes]


def by_time(lines: Iterable[_Line], folder: Path, run: int = RUN) -> Iterator[_Line]:
    """(time, line) in order of time (ms, not negative); of equal times the one that came first is first.

    A line holds no line break. `folder` takes the runs that do not fit; they go when the last line is taken.
    """
    files: list[Path] = []
    buffer: list[_Line] = []
    for line in lines:
        buffer.append(line)
        if len(buffer) >= run:
            files.append(_spill(buffer, folder / f"run-{len(files):05}"))
            buffer = []
    buffer.sort(key=_time)
    if not files:
        yield from buffer
        return
    with ExitStack() as stack:
        streams = [stack.enter_context(file.open("rb")) for file in files]
        runs: list[Iterable[_Line]] = [*(_read(stream) for stream in streams), buffer]
        yield from heapq.merge(*runs, key=_time)
    for file in files:
        file.unlink()


def _time(line: _Line) -> int:
    return line[0]


def _spill(buffer: list[_Line], file: Path) -> Path:
    buffer.sort(key=_time)
    with file.open("wb") as out:
        out.writelines(b"%015d%b\n" % line for line in buffer)
    return file


def _read(stream: IO[bytes]) -> Iterator[_Line]:
    return ((int(line[:_DIGITS]), line[_DIGITS:-1]) for line in stream)
