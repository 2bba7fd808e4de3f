"""Any frame row that is written is read back as it was."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from records.frames import FrameRow, read_frame_row, write_frame_row
from tests.records.test_frames import assert_same

NAMES = st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=6, unique=True)


@st.composite
def rows(draw: st.DrawFn) -> FrameRow:
    nodes = tuple(sorted(draw(NAMES)))
    count = len(nodes)
    ends = st.integers(0, count - 1)
    pairs = sorted(draw(st.sets(st.tuples(ends, ends), max_size=8)))
    generator = np.random.default_rng(draw(st.integers(0, 1_000)))
    times = st.integers(-(2**62), 2**62)
    return FrameRow(
        graph=draw(st.text(max_size=8)),
        tick_ms=draw(times),
        time=draw(times),
        topology_version=draw(times),
        nodes=nodes,
        presence=generator.integers(0, 3, count).astype(np.uint8),
        age=generator.integers(-1, 100, count).astype(np.int32),
        edges=np.array(pairs, np.int32).reshape(-1, 2),
        frames=generator.normal(size=(count, 11, 7)).astype(np.float32),
        edge_frames=generator.normal(size=(len(pairs), 5, 3)).astype(np.float32),
    )


@settings(max_examples=100, deadline=None)
@given(rows())
def test_what_is_written_is_read_back(row: FrameRow) -> None:
    assert_same(read_frame_row(write_frame_row(row)), row)
