"""Frame row v2: the golden bytes, and every way the bytes can be wrong."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from records.errors import FrameError
from records.frames import FrameRow, read_frame_file, read_frame_row, write_frame_file, write_frame_row
from tests.golden.frame_row import GOLDEN, OLD, golden_row

ARRAYS = ("presence", "age", "edges", "frames", "edge_frames")


def assert_same(left: FrameRow, right: FrameRow) -> None:
    for field in dataclasses.fields(FrameRow):
        a, b = getattr(left, field.name), getattr(right, field.name)
        if field.name in ARRAYS:
            assert a.shape == b.shape, field.name
            assert a.dtype == b.dtype, field.name
            assert np.array_equal(a, b), field.name
        else:
            assert a == b, field.name


def test_golden_bytes_are_what_the_writer_writes() -> None:
    assert write_frame_row(golden_row()) == GOLDEN.read_bytes()


def test_golden_bytes_read_back() -> None:
    row = read_frame_row(GOLDEN.read_bytes())
    assert_same(row, golden_row())
    assert row.frames[1, 4, 2] == 1 + 4 / 16 + 2 / 64
    assert row.edge_frames[1, 3, 2] == -(1 + 3 / 8 + 2 / 32)
    assert [(row.nodes[s], row.nodes[t]) for s, t in row.edges] == [("cart", "redis"), ("frontend", "cart")]


def test_a_row_of_version_1_is_read_without_gaps() -> None:
    row, now = read_frame_row(OLD.read_bytes()), golden_row()
    assert np.array_equal(row.frames[..., :6], now.frames[..., :6])
    assert (now.frames[..., 6] != 0).all()
    assert not row.frames[..., 6].any()
    assert np.array_equal(row.edge_frames, now.edge_frames)


def test_a_row_without_edges_and_with_one_node() -> None:
    row = dataclasses.replace(
        golden_row(),
        nodes=("ü",),
        presence=np.array([1], np.uint8),
        age=np.array([0], np.int32),
        edges=np.zeros((0, 2), np.int32),
        frames=np.zeros((1, 11, 7), np.float32),
        edge_frames=np.zeros((0, 5, 3), np.float32),
    )
    assert_same(read_frame_row(write_frame_row(row)), row)


@pytest.mark.parametrize("cut", [0, 3, 63, 64, 70, 100, -1])
def test_a_row_cut_short_is_refused(cut: int) -> None:
    data = GOLDEN.read_bytes()
    with pytest.raises(FrameError):
        read_frame_row(data[:cut])


@pytest.mark.parametrize(
    ("offset", "value", "told"),
    [(0, b"X", "not a frame row"), (4, b"\x03", "version 3"), (36, b"\x0a", "11 signals")],
)
def test_foreign_bytes_are_refused(offset: int, value: bytes, told: str) -> None:
    data = bytearray(GOLDEN.read_bytes())
    data[offset : offset + 1] = value
    with pytest.raises(FrameError, match=told):
        read_frame_row(bytes(data))


def test_bytes_after_the_row_are_refused() -> None:
    with pytest.raises(FrameError, match="1 bytes too many"):
        read_frame_row(GOLDEN.read_bytes() + b"x")


def test_an_edge_to_nowhere_is_refused() -> None:
    row = dataclasses.replace(golden_row(), edges=np.array([[0, 3], [1, 0]], np.int32))
    with pytest.raises(FrameError, match="beyond its 3"):
        read_frame_row(write_frame_row(row))


def test_shapes_that_do_not_fit_are_not_written() -> None:
    with pytest.raises(FrameError, match="differ in length"):
        write_frame_row(dataclasses.replace(golden_row(), age=np.array([0], np.int32)))


def test_a_file_of_rows(tmp_path: Path) -> None:
    file = tmp_path / "frames.bin"
    later = dataclasses.replace(golden_row(), time=golden_row().time + 60_000)
    write_frame_file(file, [golden_row(), later])
    rows = list(read_frame_file(file))
    assert [row.time for row in rows] == [1767225660000, 1767225720000]
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(FrameError, match=r"frames\.bin: row 2"):
        list(read_frame_file(file))
