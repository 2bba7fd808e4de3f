"""Answers derived anew from archived rows: the same input is found by its hash, and what differs is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jobs.assess import answered, fallen_back, open_case
from jobs.rederive import derive, differences, find_case
from onnx_models.fallback import rank_by_deviation
from records.frames import FrameRow
from records.incidents import IncidentEvent
from tests.jobs.rows import frame_row
from tests.jobs.test_assess import MODEL, WRONG, request

T = 10


def archive(count: int = 40, since: int = 20) -> list[FrameRow]:
    return [frame_row(tick, WRONG if tick >= since else None) for tick in range(count)]


def told(tick: int = 25, *nodes: str) -> IncidentEvent:
    """What was told at a tick, from the window that ends there."""
    case = open_case(request(archive()[tick - T + 1 : tick + 1], *nodes, tick=tick))
    assert case.snapshot is not None
    return answered(case, rank_by_deviation(case.snapshot), MODEL)


@pytest.mark.parametrize("later", [0, 3])
def test_the_input_is_found_and_gives_the_same_answer(later: int) -> None:
    event = told(25, "frontend", "cart")
    stands = event.model_copy(update={"time": event.time + later * 15_000})
    case = find_case(stands, archive(), T)
    assert case is not None
    assert case.snapshot is not None
    assert (len(case.rows), case.rows[-1].time) == (T, event.time)
    now = derive(event, case, rank_by_deviation(case.snapshot))
    assert differences(event, now) == []
    assert now.input_hash == event.input_hash


def test_the_fallback_s_answer_is_derived_by_the_fallback() -> None:
    rows = archive()[16:26]
    event = fallen_back(open_case(request(rows, tick=25)), "timeout")
    case = find_case(event, archive(), T)
    assert case is not None
    now = derive(event, case, None)
    assert (now.method, now.reason, differences(event, now)) == ("fallback", "timeout", [])


def test_an_archive_that_lacks_or_changed_a_row_has_no_such_input() -> None:
    rows = archive()
    assert find_case(told(), rows[:20] + rows[21:], T) is None
    frames = rows[22].frames.copy()
    frames[0, 0, 0] += 0.5
    changed = [*rows[:22], replace(rows[22], frames=frames), *rows[23:]]
    assert find_case(told(), changed, T) is None
    assert find_case(told(), [], T) is None


def test_what_differs_is_named() -> None:
    event = told(25, "frontend")
    case = find_case(event, archive(), T)
    assert case is not None
    assert case.snapshot is not None
    scores = rank_by_deviation(case.snapshot)
    turned = replace(scores, node_probability=scores.node_probability[::-1].copy(), confidence=0.123)
    found = {each.field: each.now for each in differences(event, derive(event, case, turned))}
    assert found["confidence_score"] == 0.123
    assert found["ranking"] != [f"{each.node} {each.signal}" for each in event.root_causes]
    assert "input_hash" not in found
