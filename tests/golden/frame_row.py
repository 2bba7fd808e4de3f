"""The content of frame_row_v2.bin, as in the Java test; run this module to write the file anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from records.frames import FrameRow, write_frame_row

GOLDEN = Path(__file__).with_name("frame_row_v2.bin")
OLD = Path(__file__).with_name("frame_row_v1.bin")
"""The same as version 1, without gaps."""


def golden_row() -> FrameRow:
    """A row with a node of each presence, two edges, and a figure of its own in every cell."""
    i, j, k = np.indices((3, 11, 7))
    e, m, f = np.indices((2, 5, 3))
    return FrameRow(
        graph="shop",
        tick_ms=60_000,
        time=1_767_225_660_000,
        topology_version=3,
        nodes=("cart", "frontend", "redis"),
        presence=np.array([1, 2, 0], np.uint8),
        age=np.array([0, 4, -1], np.int32),
        edges=np.array([[0, 2], [1, 0]], np.int32),
        frames=(i + j / 16 + k / 64).astype(np.float32),
        edge_frames=(-(e + m / 8 + f / 32)).astype(np.float32),
    )


if __name__ == "__main__":
    GOLDEN.write_bytes(write_frame_row(golden_row()))
