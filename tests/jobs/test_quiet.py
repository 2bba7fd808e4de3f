"""Muted nodes and times of maintenance: what they cover, and what is refused."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from pydantic import ValidationError

from jobs.quiet import Quiet, hushed


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1_000)


def quiet(**fields: Any) -> Quiet:
    return Quiet.model_validate({"reason": "planned", **fields})


NOON = ms("2026-12-01T12:00:00+00:00")


@pytest.mark.parametrize(
    ("fields", "covered"),
    [
        ({"node": "batch-*"}, True),
        ({"node": "batch"}, False),
        ({"node": "batch-7", "graph": "shop"}, True),
        ({"graph": "bank"}, False),
        ({"pattern": "cpu-*"}, True),
        ({"pattern": "memory-*", "node": "batch-7"}, False),
    ],
)
def test_names_say_what_is_meant(fields: dict[str, str], covered: bool) -> None:
    assert quiet(**fields).covers("shop", "batch-7", "cpu-deviation", NOON) is covered


@pytest.mark.parametrize(
    ("time", "covered"),
    [
        ("2026-12-01T21:59:59+00:00", False),
        ("2026-12-01T22:00:00+00:00", True),
        ("2026-12-01T23:59:59+01:00", True),
        ("2026-12-01T23:00:00+00:00", False),
    ],
)
def test_maintenance_begins_and_ends(time: str, covered: bool) -> None:
    window = quiet(since="2026-12-01T22:00:00Z", until="2026-12-02T00:00:00+01:00")
    assert window.covers("shop", "cart", "p", ms(time)) is covered


@pytest.mark.parametrize(
    ("daily", "hours"), [("02:00-04:30", {2, 3, 4}), ("22:30-01:00", {23, 0}), ("00:00-00:01", {0})]
)
def test_daily_hours_may_pass_midnight(daily: str, hours: set[int]) -> None:
    window = quiet(daily=daily)
    day = ms("2026-12-05T00:00:00+00:00")
    assert {hour for hour in range(24) if window.covers("g", "n", None, day + hour * 3_600_000)} == hours


def test_a_cause_is_hushed_by_its_node_and_not_by_a_pattern() -> None:
    listed = [quiet(pattern="cpu-*", node="cart"), quiet(node="db", reason="upgrade")]
    assert hushed(listed, "shop", "cart", None, NOON) is None
    found = hushed(listed, "shop", "db", None, NOON)
    assert found is not None
    assert found.reason == "upgrade"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "silence everything"),
        ({"reason": ""}, "at least 1 character"),
        ({"node": "a", "since": "2026-12-01T22:00:00"}, "with its zone"),
        ({"node": "a", "until": "tomorrow"}, "with its zone"),
        ({"node": "a", "daily": "25:00-26:00"}, "times of the day"),
        ({"node": "a", "daily": "02:00-02:00"}, "no length"),
        ({"since": "2026-12-02T00:00:00Z", "until": "2026-12-01T00:00:00Z"}, "not after"),
        ({"nod": "a"}, "nod"),
    ],
)
def test_what_is_not_clear_is_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        quiet(**fields)
