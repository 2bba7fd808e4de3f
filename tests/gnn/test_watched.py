"""Systems as somebody watches them: healthy for long, few faults, none faint, the same from the same seed."""

from __future__ import annotations

import numpy as np

from gnn.simulator.families import family_named
from gnn.simulator.watched import TICKS_MS, watched

_HOUR_MS = 3_600_000


def test_a_system_is_healthy_for_an_hour_and_between_its_faults() -> None:
    for seed in range(60, 80):
        one = watched(seed, 3, "shop")
        starts = [fault.start * one.tick_ms for fault in one.faults]
        ends = [fault.end * one.tick_ms for fault in one.faults]

        assert len(one.faults) == 3
        assert starts[0] >= _HOUR_MS - one.tick_ms
        assert all(later - end > _HOUR_MS // 2 for end, later in zip(ends, starts[1:], strict=False))
        assert len(one.matrix) * one.tick_ms - ends[-1] > _HOUR_MS // 2
        assert all(1.0 <= fault.strength <= 8.0 for fault in one.faults)
        assert all(fault.strength < 0.5 for fault in one.decoys)


def test_systems_differ_in_tick_size_and_what_is_measured() -> None:
    systems = [watched(seed, 1, "shop") for seed in range(24)]

    assert {each.tick_ms for each in systems} == set(TICKS_MS)
    assert len({len(each.names) for each in systems}) > 8
    assert len({frozenset(one.signal for one in each.series) for each in systems}) > 8


def test_the_same_seed_gives_the_same_system_by_its_family() -> None:
    one, other = watched(5, 2, "shop"), family_named("watched").make(5, 2, "shop")

    assert one.faults == other.faults
    assert np.array_equal(one.matrix, other.matrix, equal_nan=True)
