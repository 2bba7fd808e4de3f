"""What is live by the topics: records of the control topic and the jobs' answers put together."""

from __future__ import annotations

from typing import Any

import orjson

from faultline.live_patterns import Row, read_lines, read_records, rows
from records.control import ControlRecord

T = 1_767_225_600_000


def record(action: str, version: int, request: str, **more: Any) -> ControlRecord:
    pattern = {"pattern": {"id": "p"}} if action == "publish" else {}
    whole = {"action": action, "id": "p", "version": version, "time": T, "request": request}
    return ControlRecord.model_validate({**whole, **pattern, **more})


def line(kind: str, subtask: int = 0, **more: Any) -> bytes:
    who = {"v": 1, "job": "shop", "operator": "node", "subtask": subtask, "subtasks": 2}
    return orjson.dumps({"type": kind, **who, **more})


def ack(request: str, state: str = "live", subtask: int = 0, **more: Any) -> bytes:
    said = {"pattern": "p", "version": 2, "dry_run": False, "share": 1.0, "reason": None, "time": T}
    return line("pattern_ack", subtask, state=state, request=request, **{**said, **more})


def started(*patterns: tuple[str, int], since: int | None = None) -> bytes:
    origin = "configuration" if since is None else "control"
    live = [
        {"pattern": name, "version": version, "dry_run": False, "share": 1.0, "from": origin, "since": since}
        for name, version in patterns
    ]
    return line("patterns_live", time=T, patterns=live)


def found(records: list[ControlRecord], *lines: bytes) -> list[Row]:
    return rows({each.id: each for each in records}, read_lines(lines))


def states(rows: list[Row]) -> list[tuple[str, int, str, str]]:
    return [(row.pattern, row.version, row.state, row.from_) for row in rows]


def test_the_configuration_s_patterns_are_live() -> None:
    assert states(found([], started(("a", 1), ("b", 2)))) == [
        ("a", 1, "live", "configuration"),
        ("b", 2, "live", "configuration"),
    ]


def test_a_published_version_takes_the_place_of_the_configuration_s() -> None:
    (row,) = found(
        [record("publish", 2, "r", dry_run=True)], started(("p", 1)), ack("r"), ack("r", subtask=1)
    )
    assert (row.version, row.state, row.from_, row.since) == (2, "live", "control", T)
    assert (row.answered, row.subtasks, row.dry_run) == (2, 2, True)


def test_what_no_job_has_answered_is_said_so() -> None:
    assert states(found([record("publish", 2, "r")])) == [("p", 2, "not answered", "control")]
    assert states(found([record("publish", 2, "r")], started(("p", 1)))) == [
        ("p", 2, "not answered", "control")
    ]


def test_after_a_restart_what_the_job_tells_at_its_start_counts() -> None:
    assert states(found([record("publish", 2, "r")], started(("p", 2), since=T))) == [
        ("p", 2, "live", "control")
    ]


def test_a_refusal_names_its_reason() -> None:
    (row,) = found([record("publish", 2, "r")], ack("r", "refused", reason="no good"))
    assert (row.state, row.reason) == ("refused", "no good")


def test_a_retired_pattern_is_gone_and_one_whose_retirement_was_refused_is_not() -> None:
    assert found([record("retire", 2, "r")], started(("p", 2)), ack("r", "retired")) == []
    assert found([record("retire", 2, "r")], started()) == []
    kept = found([record("retire", 2, "r")], started(("p", 3)), ack("r", "refused"))
    assert states(kept) == [("p", 3, "live", "configuration")]


def test_a_higher_version_of_the_configuration_counts() -> None:
    assert states(found([record("publish", 2, "r")], started(("p", 3)))) == [
        ("p", 3, "live", "configuration")
    ]


def test_what_cannot_be_read_is_named_and_passed_over() -> None:
    records, wrong = read_records({"p": b"{}", "q": record("retire", 1, "r").model_dump_json().encode()})
    assert (list(records), list(wrong)) == (["q"], ["p"])
    assert read_lines([b'{"type":"pattern_ack"}', b"no json", started(("a", 1))])[0].type == "patterns_live"


def suspended(subtask: int = 0, **more: Any) -> bytes:
    said = {"pattern": "p", "version": 2, "share": 0.91, "allowed": 0.8, "window_ms": 60_000, "time": T + 9}
    return line("pattern_suspended", subtask, **{"request": "r", **said, **more})


def test_a_pattern_that_took_too_much_time_is_suspended_and_says_why() -> None:
    lines = [ack("r"), ack("r", subtask=1), suspended(1)]
    (row,) = found([record("publish", 2, "r")], *lines)
    assert (row.state, row.reason) == (
        "suspended",
        "took 91% of the time, 80% are allowed; in 1 of 2 subtasks",
    )


def test_a_suspended_pattern_is_live_again_once_it_is_published_again_or_the_job_restarts() -> None:
    again = [suspended(), ack("again"), ack("again", subtask=1)]
    assert [row.state for row in found([record("publish", 2, "again")], *again)] == ["live"]
    restarted = [suspended(time=T - 1), ack("r"), ack("r", subtask=1), started(("p", 2), since=T)]
    assert [row.state for row in found([record("publish", 2, "r")], *restarted)] == ["live"]


def test_a_pattern_of_the_configuration_is_suspended_until_the_next_start() -> None:
    lines = [started(("p", 2)), suspended(request=None)]
    assert [(row.state, row.from_) for row in found([], *lines)] == [("suspended", "configuration")]
    assert [row.state for row in found([], *lines, suspended(request=None, version=1))] == ["suspended"]
    assert [row.state for row in found([], started(("p", 3)), suspended(request=None))] == ["live"]
