"""Where snapshots are cut and which alarms come with them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gnn.cuts import DELAYS, alarms_between, fault_cuts, healthy_cuts, over_threshold, shows_at
from onnx_models.snapshot import Alarm
from records.frames import FrameRow
from tests.onnx_models.builders import quiet_row, silent, with_cell


def rows_with(tick: int, node: int, signal: str, z: float, rel: float) -> list[FrameRow]:
    rows = [quiet_row(number) for number in range(30)]
    rows[tick:] = [with_cell(row, node, signal, z, rel) for row in rows[tick:]]
    return rows


def test_a_deviation_needs_both_z_and_rel_and_the_bad_direction() -> None:
    assert over_threshold(with_cell(quiet_row(0), 0, "latency", 30.0, 0.8)).any()
    assert not over_threshold(with_cell(quiet_row(0), 0, "latency", 30.0, 0.1)).any()
    assert not over_threshold(with_cell(quiet_row(0), 0, "latency", 3.0, 0.8)).any()
    assert not over_threshold(with_cell(quiet_row(0), 0, "latency", -30.0, -0.8)).any()
    assert over_threshold(with_cell(quiet_row(0), 0, "traffic", -30.0, -0.8)).any()
    assert over_threshold(with_cell(quiet_row(0), 0, "disk", -30.0, -0.8)).any()


def test_edge_latency_counts_for_the_callee() -> None:
    row = quiet_row(0)
    edge_frames = row.edge_frames.copy()
    edge_frames[1, 0] = (30.0, 1.0, 1.0)
    assert alarms_between([replace(row, edge_frames=edge_frames)], 0, 0) == (Alarm("cart", "latency"),)


def test_a_fault_shows_at_its_first_alarm_or_when_a_node_falls_silent() -> None:
    rows = rows_with(22, 1, "errors", 40.0, 2.0)
    assert shows_at(rows, 20, 29) == 22
    assert shows_at(rows, 5, 15) is None
    rows[21] = silent(rows[21], 2, 1)
    assert shows_at(rows, 20, 29) == 21


def test_cuts_lie_after_the_fault_shows_and_carry_only_alarms_so_far() -> None:
    rows = rows_with(22, 1, "errors", 40.0, 2.0)
    rows[25:] = [with_cell(row, 0, "latency", 50.0, 1.0) for row in rows[25:]]
    for seed in range(40):
        for cut in fault_cuts(np.random.default_rng(seed), rows, 20, 28, 3):
            assert 22 <= cut.row <= 28
            assert cut.delay == cut.row - 22
            assert cut.delay <= max(DELAYS)
            right = {Alarm("frontend", "errors"), Alarm("cart", "latency")}
            assert len(set(cut.alarms) - right) <= 1
            assert cut.row >= 25 or len(cut.alarms) <= 2


def test_a_wrong_alarm_comes_beside_the_right_ones_now_and_then() -> None:
    rows = rows_with(22, 1, "errors", 40.0, 2.0)
    right = {Alarm("frontend", "errors")}
    cuts = [cut for seed in range(150) for cut in fault_cuts(np.random.default_rng(seed), rows, 20, 28, 1)]
    wrong = [cut for cut in cuts if set(cut.alarms) - right]
    assert 1 <= len(wrong) <= 30
    assert all(right < set(cut.alarms) and len(cut.alarms) == 2 for cut in wrong)


def test_a_fault_that_never_shows_comes_without_alarms() -> None:
    rows = [quiet_row(number) for number in range(30)]
    found = [cut for seed in range(20) for cut in fault_cuts(np.random.default_rng(seed), rows, 10, 20, 2)]
    assert 0 < len(found) < 20
    assert all(cut.alarms == () and cut.delay == -1 and 10 < cut.row < 20 for cut in found)


def test_healthy_cuts_ask_where_false_alarms_begin_and_anywhere() -> None:
    rows = [quiet_row(number) for number in range(40)]
    for number in (15, 16, 30):
        rows[number] = with_cell(rows[number], 0, "latency", 40.0, 1.0)
    cuts = healthy_cuts(np.random.default_rng(0), rows, [(12, 20), (35, 39)], 5, 2)
    assert cuts[0].row == 15
    assert len(cuts) == 3
    assert all(12 <= cut.row <= 20 or 35 <= cut.row <= 39 for cut in cuts)
    assert all(cut.delay == -1 for cut in cuts)
