"""Which bundles serve: outcomes of all workers in, one decision out, whatever the order."""

from __future__ import annotations

from itertools import permutations

import pytest

from jobs.incident_state import StateError
from jobs.model_state import (
    Decision,
    ModelState,
    Outcome,
    read_outcome,
    read_state,
    step,
    write_outcome,
    write_state,
)
from records.model_control import ModelRecord
from tests.records.test_model_control import record, ref

FIRST, SECOND = record(live=ref(2)), record(live=ref(3), previous=ref(2), request="r2")


def outcomes(record: ModelRecord | None, name: str, *reasons: str | None) -> list[Outcome]:
    """Of each worker; the reason for which it refuses, None where it is ready."""
    count = len(reasons)
    return [Outcome(name, record, place, count, reason, 10.0 * place) for place, reason in enumerate(reasons)]


def played(state: ModelState, told: list[Outcome]) -> tuple[ModelState, list[Decision]]:
    decisions = []
    for outcome in told:
        state, decision = step(state, outcome)
        decisions += [] if decision is None else [decision]
    return state, decisions


def test_a_record_is_in_force_once_every_worker_is_ready() -> None:
    one, other = outcomes(FIRST, "a", None, None)
    waiting, nothing = step(ModelState(), one)
    assert (waiting.record, nothing) == (None, None)
    state, decision = step(waiting, other)
    assert state == ModelState(FIRST)
    assert decision == Decision("live", FIRST, None, 10.0)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_one_worker_that_refuses_refuses_for_all_and_what_was_in_force_stays(order: tuple[int, ...]) -> None:
    told = outcomes(SECOND, "b", None, "no such folder", None)
    state, decisions = played(ModelState(FIRST), [told[place] for place in order])
    assert state == ModelState(FIRST)
    assert [(each.state, each.reason) for each in decisions] == [("refused", "no such folder")]


def test_records_that_come_close_together_do_not_mix() -> None:
    first, second = outcomes(FIRST, "a", None, None), outcomes(SECOND, "b", None, None)
    state, decisions = played(ModelState(), [first[0], second[0], first[1], second[1]])
    assert [each.record for each in decisions] == [FIRST, SECOND]
    assert state == ModelState(SECOND)


def test_a_deleted_record_leaves_the_configuration_s_bundle() -> None:
    state, decisions = played(ModelState(FIRST), outcomes(None, "deleted", None))
    assert (state, [each.state for each in decisions]) == (ModelState(), ["live"])


def test_the_job_s_own_record_counts_only_for_the_record_it_is_about() -> None:
    back = SECOND.without(ref(3).sha256, "errors", 5)
    state, decisions = played(ModelState(SECOND), outcomes(back, "c", None))
    assert (state.record, decisions[0].state) == (back, "live")
    again, decisions = played(state, outcomes(back, "c", None))
    assert (again, decisions[0].state) == (state, "live")
    newer = record(live=ref(4), request="r4")
    state, decisions = played(ModelState(newer), outcomes(back, "c", None))
    assert (state, decisions[0].state) == (ModelState(newer), "passed_over")


def test_the_state_survives_its_bytes() -> None:
    state = ModelState(SECOND, (outcomes(FIRST, "a", "bad", None)[0],))
    assert read_state(write_state(state)) == state
    assert read_state(write_state(ModelState())) == ModelState()
    (outcome,) = outcomes(None, "unreadable", "no JSON")
    assert read_outcome(write_outcome(outcome)) == outcome


@pytest.mark.parametrize("data", [b"", b"{}", b'{"v":9,"record":null,"waiting":[]}'])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(StateError):
        read_state(data)
