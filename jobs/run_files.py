"""The files of a run's folder, and how much is in them. Imports records only."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

LINE_FILES: Final = {
    "incidents": "incidents.ndjson",
    "matches": "matches.ndjson",
    "dead_letters": "dead-letters.ndjson",
    "audit": "audit.ndjson",
}
FRAMES_FILE: Final = "frames/frames.bin"
_SIZE: Final = struct.Struct("<i")


def count_outputs(out: Path) -> dict[str, int]:
    """Lines per kind of file in a run's folder, and frame rows; 0 for a file that is not there (yet)."""
    counts = {kind: _lines(out / name) for kind, name in LINE_FILES.items()}
    return {**counts, "frames": _rows(out / FRAMES_FILE)}


def _lines(file: Path) -> int:
    if not file.is_file():
        return 0
    with file.open("rb") as stream:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: stream.read(1 << 20), b""))


def _rows(file: Path) -> int:
    """Whole rows in a file of length-prefixed frame rows."""
    if not file.is_file():
        return 0
    end, rows = file.stat().st_size, 0
    with file.open("rb") as stream:
        while len(head := stream.read(_SIZE.size)) == _SIZE.size:
            if stream.seek(_SIZE.unpack(head)[0], 1) > end:
                break
            rows += 1
    return rows
