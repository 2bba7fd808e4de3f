"""Frames to arrays: shapes, gaps, silence, alarms, edges, and what one bad cell may change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from onnx_models.encoding import encode
from onnx_models.features import (
    EDGE_FEATURES,
    ENCODING_VERSION,
    NODE_FEATURES,
    STATIC_FEATURES,
    narrowed,
    schema_hash,
    version_of,
)
from onnx_models.snapshot import Alarm, Snapshot
from records.frames import FEATURES, FrameRow
from records.signals import SIGNAL_INDEX
from tests.onnx_models.builders import quiet_row, random_snapshot, silent, with_cell

LATENCY, CPU = SIGNAL_INDEX["latency"], SIGNAL_INDEX["cpu"]
CART, FRONTEND, REDIS = 0, 1, 2


def window(**layout: object) -> list[FrameRow]:
    return [quiet_row(tick, **layout) for tick in range(10)]  # type: ignore[arg-type]


def node_feature(snapshot: Snapshot, name: str) -> npt.NDArray[np.float32]:
    return np.asarray(snapshot.node_static[:, NODE_FEATURES.index(name)])


def test_shapes_and_types() -> None:
    snapshot = encode(window())
    assert snapshot.x.shape == (3, 11, 10, 2)
    assert snapshot.present.shape == (3, 11, 10)
    assert snapshot.node_present.shape == (3, 10)
    assert snapshot.static.shape == (3, 11, len(STATIC_FEATURES))
    assert snapshot.node_static.shape == (3, len(NODE_FEATURES))
    assert snapshot.edge_index.tolist() == [[0, 1], [2, 0]]
    assert snapshot.edge_attr.shape == (2, len(EDGE_FEATURES))
    assert snapshot.mask.tolist() == [True, True, True]
    dtypes = {name: str(array.dtype) for name, array in snapshot.inputs().items()}
    assert dtypes.pop("edge_index") == "int64"
    assert dtypes.pop("mask") == "bool"
    assert set(dtypes.values()) == {"float32"}


def test_z_is_compressed_and_rel_halved() -> None:
    rows = window()
    rows[-1] = with_cell(rows[-1], CART, "latency", -50.0, 1.2)
    cell = encode(rows).x[CART, LATENCY, -1]
    assert cell == pytest.approx([-np.log1p(50.0) / 3.0, 0.6])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("feature", [0, 1, 2])
def test_a_bad_cell_costs_only_itself(bad: float, feature: int) -> None:
    rows = [with_cell(row, CART, "cpu", 20.0, 0.5) for row in window()]
    rows[4] = with_cell(rows[4], CART, "latency", 9.0, 0.4)
    clean = encode(rows)
    frames = rows[4].frames.copy()
    frames[CART, LATENCY, feature] = bad
    rows[4] = replace(rows[4], frames=frames)
    dirty = encode(rows)
    assert all(np.isfinite(array).all() for array in dirty.inputs().values())
    assert dirty.present[CART, LATENCY].tolist() == [1, 1, 1, 1, 0, 1, 1, 1, 1, 1]
    assert dirty.x[CART, LATENCY, 4].tolist() == [0.0, 0.0]
    for name, array in clean.inputs().items():
        other = dirty.inputs()[name].copy()
        if name in ("x", "present"):
            other[CART, LATENCY, 4] = array[CART, LATENCY, 4]
        if name == "static":
            other[CART, LATENCY] = array[CART, LATENCY]
        assert np.array_equal(array, other), name


def test_gaps_take_the_value_before_and_leading_gaps_the_first() -> None:
    rows = window()
    for tick in range(10):
        rows[tick] = with_cell(rows[tick], CART, "latency", float(tick), 0.0)
    for tick in (0, 1, 5, 9):
        frames = rows[tick].frames.copy()
        frames[CART, LATENCY] = 0.0
        rows[tick] = replace(rows[tick], frames=frames)
    snapshot = encode(rows)
    z = np.expm1(3 * snapshot.x[CART, LATENCY, :, 0])
    assert z == pytest.approx([2, 2, 2, 3, 4, 4, 6, 7, 8, 8], rel=1e-5)
    assert snapshot.present[CART, LATENCY].tolist() == [0, 0, 1, 1, 1, 0, 1, 1, 1, 0]


def test_a_cold_baseline_has_no_z_but_is_present() -> None:
    rows = window()
    for tick, row in enumerate(rows):
        frames = row.frames.copy()
        frames[CART, LATENCY] = (30.0, 1.0, 1.0, 4.0, 1.0, 0.0, 1.0)
        rows[tick] = replace(row, frames=frames)
    snapshot = encode(rows)
    assert not snapshot.x[CART, LATENCY].any()
    assert snapshot.present[CART, LATENCY].all()
    assert snapshot.static[CART, LATENCY, STATIC_FEATURES.index("baseline_coverage")] == 0.0


def test_a_silent_node_stays_and_says_since_when() -> None:
    rows = window()
    rows[-3:] = [silent(row, REDIS, age) for age, row in enumerate(rows[-3:], start=1)]
    snapshot = encode(rows)
    assert snapshot.mask[REDIS]
    assert snapshot.node_present[REDIS].tolist() == [1] * 7 + [0] * 3
    assert node_feature(snapshot, "silent").tolist() == [0, 0, 1]
    assert node_feature(snapshot, "silence")[REDIS] == pytest.approx(np.log1p(3) / 3)


def test_a_node_never_seen_is_masked_unless_its_edge_has_data() -> None:
    rows = window()
    presence = np.array([1, 1, 0], np.uint8)
    rows = [replace(row, presence=presence, age=np.array([0, 0, -1], np.int32)) for row in rows]
    assert encode(rows).mask.tolist() == [True, True, False]
    edge_frames = rows[-1].edge_frames.copy()
    edge_frames[0, 1] = (12.0, 1.0, 1.0)
    rows[-1] = replace(rows[-1], edge_frames=edge_frames)
    snapshot = encode(rows)
    assert snapshot.mask.tolist() == [True, True, True]
    assert snapshot.edge_attr[:, EDGE_FEATURES.index("callee_latency.z_last")].tolist() == [
        pytest.approx(np.log1p(12.0) / 3),
        0.0,
    ]


def test_nodes_and_edges_are_matched_by_name_across_rows() -> None:
    before = [quiet_row(tick, ("cart", "redis"), ((0, 1),)) for tick in range(5)]
    before = [with_cell(row, 1, "latency", 7.0, 0.3) for row in before]
    snapshot = encode([*before, *[quiet_row(tick) for tick in range(5, 10)]])
    assert snapshot.nodes == ("cart", "frontend", "redis")
    assert snapshot.node_present[FRONTEND].tolist() == [0] * 5 + [1] * 5
    assert (snapshot.x[REDIS, LATENCY, :5, 0] > 0.6).all()
    assert not snapshot.x[REDIS, LATENCY, 5:, 0].any()


def test_order_of_rows_and_rows_before_the_window_do_not_matter() -> None:
    rows = window()
    rows[-1] = with_cell(rows[-1], CART, "cpu", 8.0, 0.2)
    old = with_cell(quiet_row(-1), CART, "cpu", 99.0, 2.0)
    assert encode([old, *rows]).input_hash() == encode(rows[::-1]).input_hash()


def test_missing_ticks_are_silence() -> None:
    rows = window()
    snapshot = encode([*rows[:3], rows[-1]])
    assert snapshot.node_present[CART].tolist() == [1, 1, 1, 0, 0, 0, 0, 0, 0, 1]


def test_alarms_give_flags_and_distances_both_ways() -> None:
    snapshot = encode(window(), [Alarm("cart", "latency"), Alarm("gone", "cpu")])
    assert snapshot.static[..., STATIC_FEATURES.index("alarmed")].sum() == 1
    assert snapshot.static[CART, LATENCY, STATIC_FEATURES.index("alarmed")] == 1
    assert node_feature(snapshot, "alarmed").tolist() == [1, 0, 0]
    assert node_feature(snapshot, "alarm_given").tolist() == [1, 1, 1]
    assert node_feature(snapshot, "below_closeness").tolist() == [1, 0, 0.5]
    assert node_feature(snapshot, "above_closeness").tolist() == [1, 0.5, 0]
    without = encode(window())
    assert not node_feature(without, "alarm_given").any()
    assert not node_feature(without, "below_alarm").any()


def test_one_node_without_edges() -> None:
    snapshot = encode([quiet_row(0, ("solo",), ())])
    assert snapshot.edge_index.shape == (2, 0)
    assert snapshot.edge_attr.shape == (0, len(EDGE_FEATURES))


def test_refusals() -> None:
    with pytest.raises(ValueError, match="no frames"):
        encode([])
    with pytest.raises(ValueError, match="no nodes"):
        encode([quiet_row(0, (), ())])
    with pytest.raises(ValueError, match="more than one graph"):
        encode([quiet_row(0), replace(quiet_row(1), graph="other")])


def test_encoding_does_not_change_its_input() -> None:
    rows = window()
    copies = [row.frames.copy() for row in rows]
    encode(rows, [Alarm("cart", "cpu")])
    assert all(np.array_equal(row.frames, copy) for row, copy in zip(rows, copies, strict=True))


def test_random_snapshots_are_finite() -> None:
    snapshot = random_snapshot(1, 30, 60)
    assert all(np.isfinite(array).all() for array in snapshot.inputs().values())


def rare(node: int, ticks: tuple[int, ...], gap: float) -> list[FrameRow]:
    """A window in which the latency of a node is there in some ticks only, and is usually every ``gap``
    ticks."""
    rows = window()
    for tick, row in enumerate(rows):
        frames = row.frames.copy()
        frames[node, LATENCY, FEATURES.index("gap")] = gap
        if tick not in ticks:
            frames[node, LATENCY] = (0.0, 0.0, 0.0, 60.0, 10.0, 0.0, gap)
        rows[tick] = replace(row, frames=frames)
    return rows


def cell(snapshot: Snapshot, node: int, name: str) -> float:
    return float(snapshot.static[node, LATENCY, STATIC_FEATURES.index(name)])


def test_a_missing_value_is_told_beside_the_habit_of_the_series() -> None:
    seldom, often = encode(rare(REDIS, (1, 5), 5.0)), encode(rare(REDIS, (1, 5), 1.0))
    for snapshot in (seldom, often):
        assert cell(snapshot, REDIS, "age") == pytest.approx(np.log1p(4) / 3)
        assert cell(snapshot, CART, "age") == 0.0
    assert cell(seldom, REDIS, "gap") == pytest.approx(np.log(5) / 3)
    assert cell(seldom, REDIS, "overdue") == 0.0
    assert cell(often, REDIS, "gap") == 0.0
    assert cell(often, REDIS, "overdue") == pytest.approx(np.log(5) / 3)


def test_a_silent_node_is_overdue_by_its_own_habit() -> None:
    for gap, overdue in ((1.0, np.log(4) / 3), (8.0, 0.0)):
        rows = window()
        for tick, row in enumerate(rows):
            frames = row.frames.copy()
            frames[..., FEATURES.index("gap")] *= gap
            rows[tick] = replace(row, frames=frames)
        rows[-3:] = [silent(row, REDIS, age) for age, row in enumerate(rows[-3:], start=1)]
        snapshot = encode(rows)
        assert node_feature(snapshot, "gap").tolist() == pytest.approx([np.log(gap) / 3] * 3)
        assert node_feature(snapshot, "overdue").tolist() == pytest.approx([0, 0, overdue])


def test_neighbours_show_the_largest_deviation_of_callees_and_callers() -> None:
    rows = [with_cell(row, REDIS, "latency", -9.0, -0.5) for row in window()]
    snapshot = encode([with_cell(row, FRONTEND, "latency", 4.0, 0.5) for row in rows])
    assert cell(snapshot, CART, "callee_z") == pytest.approx(-np.log1p(9) / 3)
    assert cell(snapshot, CART, "caller_z") == pytest.approx(np.log1p(4) / 3)
    assert cell(snapshot, REDIS, "callee_z") == 0.0
    assert cell(snapshot, FRONTEND, "caller_z") == 0.0


def test_schema_hashes_of_all_encoding_versions() -> None:
    """A released bundle is tied to its hash: a change of the features needs a new version."""
    assert schema_hash(1) == "e908655b1f219a8401370e27dee5bb05d67a893e4194c8fe67cd7101edbd21ad"
    assert schema_hash(2) == "cf87c918ec3b4d8c74721ed2bf7878201649d768b17b7f3dd408f022377a9cab"
    assert version_of(schema_hash()) == ENCODING_VERSION
    assert version_of("0" * 64) is None


def test_an_older_bundle_is_given_the_features_it_knows() -> None:
    inputs = encode(window()).inputs()
    old = narrowed(inputs, 1)
    assert old["static"].shape == (3, 11, 9)
    assert old["node_static"].shape == (3, 14)
    assert np.array_equal(old["static"], inputs["static"][..., :9])
    assert old["x"] is inputs["x"]
    assert narrowed(inputs, ENCODING_VERSION)["static"].shape == (3, 11, len(STATIC_FEATURES))
