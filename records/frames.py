"""Frame rows.

All frames of one graph at one tick, as bytes (frame row v2, little-endian, no padding) and as arrays.
Version 1, whose frames had no gap, is read with gap 0 (not known).

Owns the layout below, shared with the JVM; a golden file holds both sides to it. Imports numpy only.

    magic "FLFR" | version u16 | flags u16 | tick_ms i64 | time i64 | topology_version i64 |
    N i32 | S i32 | F i32 | E i32 | K i32 | Fe i32 | graph: u16 length + UTF-8 | N times: u16 length + UTF-8 |
    presence u8[N] | age i32[N] | edges i32[E,2] | frames f32[N,S,F] | edge_frames f32[E,K,Fe]
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from records.errors import FrameError
from records.signals import SIGNALS

MAGIC: Final = b"FLFR"
VERSION: Final = 2
FEATURES: Final = ("z", "rel", "present", "baseline_n", "level", "frozen", "gap")
"""F: what a frame says about one signal of a node. `gap`: usual ticks from one value to the next, 1 = every
tick, of the series that reports most often; 0 = not known."""
EDGE_SERIES: Final = ("caller_latency", "callee_latency", "net_delay", "traffic", "errors")
"""K: what is measured on an edge."""
EDGE_FEATURES: Final = ("z", "rel", "present")
"""Fe: what a frame says about each of them."""
NEVER_SEEN, PRESENT, SILENT = 0, 1, 2
"""Values of `presence`: only an edge names the node; a frame this tick; seen before, no frame this tick."""

_HEAD: Final = struct.Struct("<4sHHqqqiiiiii")
_LENGTH: Final = struct.Struct("<H")
_SIZE: Final = struct.Struct("<i")


@dataclass(frozen=True, eq=False)
class FrameRow:
    """All frames of one graph at one tick; arrays are read-only views when read from bytes.

    `time`: end of the tick, ms. `nodes`: N names in order. `presence` uint8 [N]; `age` int32 [N], ticks
    since the last frame (0 now, -1 never); `edges` int32 [E,2], (source, target) indices into `nodes`;
    `frames` float32 [N,S,F]; `edge_frames` float32 [E,K,Fe].
    """

    graph: str
    tick_ms: int
    time: int
    topology_version: int
    nodes: tuple[str, ...]
    presence: NDArray[np.uint8]
    age: NDArray[np.int32]
    edges: NDArray[np.int32]
    frames: NDArray[np.float32]
    edge_frames: NDArray[np.float32]


def write_frame_row(row: FrameRow) -> bytes:
    """The row as frame row v2; FrameError where its shapes do not fit together."""
    count, signals, features = row.frames.shape
    edges, kinds, edge_features = row.edge_frames.shape
    if not len(row.nodes) == len(row.presence) == len(row.age) == count or row.edges.shape != (edges, 2):
        raise FrameError(f"{row.graph}: nodes, presence, age, edges and frames differ in length")
    sizes = (count, signals, features, edges, kinds, edge_features)
    head = _HEAD.pack(MAGIC, VERSION, 0, row.tick_ms, row.time, row.topology_version, *sizes)
    names = b"".join(_name(name) for name in (row.graph, *row.nodes))
    arrays = (
        (row.presence, "u1"),
        (row.age, "<i4"),
        (row.edges, "<i4"),
        (row.frames, "<f4"),
        (row.edge_frames, "<f4"),
    )
    return (
        head + names + b"".join(np.ascontiguousarray(array, dtype=kind).tobytes() for array, kind in arrays)
    )


def _name(name: str) -> bytes:
    text = name.encode()
    if len(text) > 0xFFFF:
        raise FrameError(f"a name of {len(text)} bytes does not fit into a frame row: {name[:60]}...")
    return _LENGTH.pack(len(text)) + text


def count_nodes(data: bytes) -> int:
    """N of the row in `data`, from its head alone; 0 where the bytes are too short for one."""
    return int(_HEAD.unpack_from(data)[6]) if len(data) >= _HEAD.size else 0


def read_frame_row(data: bytes) -> FrameRow:
    """The row in `data`; FrameError where the bytes are no frame row, too short or too long."""
    try:
        magic, version, _, tick_ms, time, topology, *sizes = _HEAD.unpack_from(data)
    except struct.error as error:
        raise FrameError(
            f"a frame row of {len(data)} bytes is shorter than its head of {_HEAD.size}"
        ) from error
    if magic != MAGIC or version not in (1, VERSION):
        raise FrameError(
            f"not a frame row up to v{VERSION}: starts with {magic!r}, version {version}",
            "the job's jar and its Python packages must be of one release",
        )
    if min(sizes) < 0 or sizes[1] != len(SIGNALS):
        raise FrameError(f"a frame row with sizes {sizes}; wanted {len(SIGNALS)} signals")
    return _Cursor(data, _HEAD.size).row(tick_ms, time, topology, sizes)


class _Cursor:
    """Walks through the bytes after the head; made by read_frame_row for one row."""

    def __init__(self, data: bytes, offset: int) -> None:
        self._data = data
        self._offset = offset

    def row(self, tick_ms: int, time: int, topology: int, sizes: list[int]) -> FrameRow:
        count, signals, features, edges, kinds, edge_features = sizes
        arrays = count * (1 + 4 + signals * features * 4) + edges * (8 + kinds * edge_features * 4)
        names = len(self._data) - self._offset - arrays
        if names < 0:
            raise FrameError(f"the frame row ends {-names} bytes short of what it announces")
        graph, nodes = _names(self._take(names), count)
        presence = self._array("u1", (count,))
        age = self._array("<i4", (count,))
        pairs = self._array("<i4", (edges, 2))
        frames = self._array("<f4", (count, signals, features))
        edge_frames = self._array("<f4", (edges, kinds, edge_features))
        if features < len(FEATURES):
            frames = np.pad(frames, ((0, 0), (0, 0), (0, len(FEATURES) - features)))
        if edges and (int(pairs.min()) < 0 or int(pairs.max()) >= count):
            raise FrameError(f"{graph}: an edge of the frame row names a node beyond its {count}")
        return FrameRow(graph, tick_ms, time, topology, nodes, presence, age, pairs, frames, edge_frames)

    def _array(self, kind: str, shape: tuple[int, ...]) -> NDArray[Any]:
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(kind).itemsize
        return np.frombuffer(self._take(size), dtype=kind).reshape(shape)

    def _take(self, size: int) -> bytes:
        end = self._offset + size
        part = self._data[self._offset : end]
        self._offset = end
        return part


@lru_cache(maxsize=32)
def _names(section: bytes, count: int) -> tuple[str, tuple[str, ...]]:
    """The graph's name and its nodes'; kept, since a graph's rows mostly name the same nodes."""
    names, offset = [], 0
    for _ in range(1 + count):
        end = offset + _LENGTH.size
        if end <= len(section):
            offset, end = end, end + _LENGTH.unpack_from(section, offset)[0]
        if end > len(section):
            raise FrameError(f"the frame row ends {end - len(section)} bytes short of what it announces")
        try:
            names.append(section[offset:end].decode())
        except UnicodeDecodeError as error:
            raise FrameError(f"a name in the frame row is not UTF-8: {error}") from error
        offset = end
    if offset != len(section):
        raise FrameError(f"{names[0]}: {len(section) - offset} bytes too many in the frame row")
    return names[0], tuple(names[1:])


def read_frame_file(file: Path | str) -> Iterator[FrameRow]:
    """The rows of a `frames.bin` (each after its length as int32-LE), one at a time.

    FrameError names the file and row.
    """
    with Path(file).open("rb") as stream:
        number = 0
        while head := stream.read(_SIZE.size):
            number += 1
            size = _SIZE.unpack(head)[0] if len(head) == _SIZE.size else -1
            data = stream.read(size) if size >= 0 else b""
            if size < 0 or len(data) < size:
                raise FrameError(
                    f"{file}: row {number} is cut short", "the run that wrote the file did not end well"
                )
            try:
                yield read_frame_row(data)
            except FrameError as error:
                raise FrameError(f"{file}: row {number}: {error.message}", error.mend) from error


def write_frame_file(file: Path | str, rows: Iterable[FrameRow]) -> None:
    """Writes the rows as a `frames.bin`."""
    with Path(file).open("wb") as stream:
        for row in rows:
            data = write_frame_row(row)
            stream.write(_SIZE.pack(len(data)) + data)
