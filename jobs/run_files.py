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


class Outputs:
    """Counts what a run has written; asked again, it reads only what came since."""

    def __init__(self, out: Path) -> None:
        self._lines = {kind: _Lines(out / name) for kind, name in LINE_FILES.items()}
        self._rows = _Rows(out / FRAMES_FILE)

    def count(self) -> dict[str, int]:
        """Lines per kind of file in the folder, and frame rows; 0 for a file that is not there (yet)."""
        return {**{kind: file.count() for kind, file in self._lines.items()}, "frames": self._rows.count()}


class _Growing:
    """A file that a run writes: how far it was read, and what was counted there."""

    def __init__(self, file: Path) -> None:
        self._file, self._read, self._count = file, 0, 0


class _Lines(_Growing):
    def count(self) -> int:
        if self._file.is_file() and self._file.stat().st_size > self._read:
            with self._file.open("rb") as stream:
                stream.seek(self._read)
                while chunk := stream.read(1 << 20):
                    self._read += len(chunk)
                    self._count += chunk.count(b"\n")
        return self._count


class _Rows(_Growing):
    """Whole rows in a file of length-prefixed frame rows."""

    def count(self) -> int:
        if not self._file.is_file():
            return 0
        end = self._file.stat().st_size
        with self._file.open("rb") as stream:
            stream.seek(self._read)
            while len(head := stream.read(_SIZE.size)) == _SIZE.size:
                after = self._read + _SIZE.size + _SIZE.unpack(head)[0]
                if after > end:
                    break
                self._read = stream.seek(after)
                self._count += 1
        return self._count
