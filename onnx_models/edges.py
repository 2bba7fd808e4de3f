"""The edge features of a snapshot, from the edge frames of its rows. Called by :mod:`onnx_models.encoding`
only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from onnx_models.compress import LAST_TICKS, extreme, fill, share_of_graph, shorten, squash
from onnx_models.features import EDGE_FEATURES
from onnx_models.snapshot import F32
from records.frames import EDGE_SERIES, FrameRow


def _values(last: FrameRow, rows: Sequence[FrameRow | None]) -> F32:
    """Return edge frames float32 [T,E,5,3] in the last row's edge order, NaN where an edge has none."""
    wanted = np.asarray(last.edges, np.int64).reshape(-1, 2)
    values = np.full((len(rows), len(wanted), len(EDGE_SERIES), 3), np.nan, np.float32)
    names = [(last.nodes[a], last.nodes[b]) for a, b in wanted.tolist()]
    index = {pair: i for i, pair in enumerate(names)}
    for tick, row in enumerate(rows):
        if row is None:
            continue
        if row.nodes == last.nodes and np.array_equal(row.edges, last.edges):
            values[tick] = row.edge_frames
            continue
        pairs = [(row.nodes[a], row.nodes[b]) for a, b in np.asarray(row.edges).reshape(-1, 2).tolist()]
        place = np.array([index.get(pair, -1) for pair in pairs], np.int64)
        there = np.flatnonzero(place >= 0)
        values[tick, place[there]] = row.edge_frames[there]
    return values


def edge_features(last: FrameRow, rows: Sequence[FrameRow | None]) -> F32:
    """Return edge_attr float32 [E,Ke] in the order of ``EDGE_FEATURES``."""
    values = _values(last, rows)
    valid = np.isfinite(values).all(-1) & (values[..., 2] > 0)
    both = np.stack([squash(values[..., 0]), shorten(values[..., 1])], -1)
    both = fill(np.where(valid[..., None], both, 0.0), valid).astype(np.float32)
    recent = both[-LAST_TICKS:].mean(0)
    present = valid.mean(0).astype(np.float32)
    per_kind = [
        recent[..., 0],
        extreme(both[..., 0], 0),
        recent[..., 1],
        share_of_graph(recent[..., 0]),
        present,
    ]
    stacked = np.stack(per_kind, -1).reshape(len(present), len(EDGE_FEATURES) - 1)
    features: F32 = np.concatenate([stacked, valid.any((0, 2))[:, None].astype(np.float32)], 1)
    assert features.shape[1] == len(EDGE_FEATURES)
    return features
