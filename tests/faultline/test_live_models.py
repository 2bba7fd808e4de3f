"""Which bundles serve by the topics: the record and the jobs' answers put together."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from faultline.live_models import Row, published, read_lines, read_record, rows, taken_back
from jobs.model_state import Decision, ModelState, Teller
from records.errors import UsageError
from records.model_control import Candidate, ModelRecord
from tests.records.test_model_control import T, record, ref

FULL = record(live=ref(2))
CANARY = record(
    live=ref(2), candidate=Candidate(bundle=ref(3), stage="canary", share=0.1), request="r2", time=T + 1
)


def line(fields: dict[str, Any]) -> bytes:
    return orjson.dumps(fields)


def tellers(job: str = "shop") -> list[Teller]:
    return [Teller(job, "gnn-1", subtask, 2) for subtask in range(2)]


def started(state: ModelState, job: str = "shop") -> list[bytes]:
    return [line(each.live(state, T)) for each in tellers(job)]


def acks(record: ModelRecord | None, state: Any = "live", reason: str | None = None) -> list[bytes]:
    return [line(each.ack(Decision(state, record, reason, 5.0))) for each in tellers()]


def found(record: ModelRecord | None, *lines: bytes) -> list[tuple[str, ...]]:
    return [shown(row) for row in rows(record, read_lines(lines))]


def shown(row: Row) -> tuple[str, ...]:
    return (row.job, row.model, row.stage, row.state, row.from_, f"{row.answered}/{row.subtasks}")


def test_the_configuration_s_bundle_serves_at_first() -> None:
    assert found(None, *started(ModelState())) == [("shop", "gnn-1", "full", "live", "configuration", "2/2")]


def test_a_published_one_takes_its_place() -> None:
    told = found(FULL, *started(ModelState()), *acks(FULL))
    assert told == [("shop", "gnn-2", "full", "live", "control", "2/2")]
    assert found(FULL, *started(ModelState()), acks(FULL)[0]) == [
        ("shop", "gnn-2", "full", "live", "control", "1/2")
    ]


def test_one_that_is_tried_stands_beside_the_live_one() -> None:
    told = found(CANARY, *started(ModelState(FULL)), *acks(CANARY))
    assert told == [
        ("shop", "gnn-2", "full", "live", "control", "2/2"),
        ("shop", "gnn-3", "canary", "live", "control", "2/2"),
    ]


def test_one_that_is_refused_is_named_beside_what_serves() -> None:
    told = rows(FULL, read_lines([*started(ModelState()), *acks(FULL, "refused", "wrong hash")]))
    assert [shown(row) for row in told] == [
        ("shop", "gnn-1", "full", "live", "configuration", "2/2"),
        ("shop", "gnn-2", "full", "refused", "control", "2/2"),
    ]
    assert [row.reason for row in told] == [None, "wrong hash"]


def test_one_that_the_job_took_back_says_why() -> None:
    back = CANARY.without(ref(3).sha256, "errors", T + 2)
    told = rows(back, read_lines([*started(ModelState(FULL)), *acks(CANARY), *acks(back)]))
    assert [(row.model, row.stage, row.reason) for row in told] == [("gnn-2", "full", "errors")]
    none = FULL.without(ref(2).sha256, "errors", T + 2)
    told = rows(none, read_lines([*started(ModelState()), *acks(FULL), *acks(none)]))
    assert [(row.model, row.from_, row.reason) for row in told] == [("gnn-1", "configuration", "errors")]


def test_what_no_job_has_answered_is_told() -> None:
    assert found(FULL) == [("", "gnn-2", "full", "not answered", "control", "0/0")]
    assert found(FULL, *started(ModelState()))[-1] == ("", "gnn-2", "full", "not answered", "control", "0/0")
    assert found(None) == []


def test_records_follow_each_other() -> None:
    first = published(None, ref(2), "full", 1.0, T, "a")
    assert (first.live, first.previous, first.candidate) == (ref(2), None, None)
    tried = published(first, ref(3), "canary", 0.2, T, "b")
    assert (tried.live, tried.candidate) == (ref(2), Candidate(bundle=ref(3), stage="canary", share=0.2))
    promoted = published(tried, ref(3), "full", 1.0, T, "c")
    assert (promoted.live, promoted.previous, promoted.candidate) == (ref(3), ref(2), None)
    again = published(promoted, ref(3), "full", 1.0, T, "d")
    assert (again.live, again.previous) == (ref(3), ref(2))
    back = taken_back(promoted, T, "e")
    assert (back.live, back.previous, back.action) == (ref(2), None, "rollback")
    assert taken_back(back, T, "f").live is None
    assert (taken_back(tried, T, "g").live, taken_back(tried, T, "g").candidate) == (ref(2), None)


@pytest.mark.parametrize("before", [None, record(action="rollback")])
def test_there_may_be_nothing_to_take_back(before: ModelRecord | None) -> None:
    with pytest.raises(UsageError, match="nothing to take back"):
        taken_back(before, T, "a")


def test_a_record_that_cannot_be_read_says_why() -> None:
    assert read_record(None) == (None, None)
    assert read_record(FULL.model_dump_json().encode()) == (FULL, None)
    nothing, why = read_record(b"no json")
    assert nothing is None
    assert why is not None
    assert "JSON" in why
    assert read_lines([b'{"type":"model_ack","v":9}', b"x"]) == []
