"""The judgement of patterns: which matches count, what is one false alarm, what a pattern took."""

from __future__ import annotations

import pytest

from cep_patterns.gateway import Cost, Found
from faultline.backtest import Day, cost_of, score
from records.samples import Fault

MINUTE = 60_000
HOUR = 60 * MINUTE


def found(minute: float, node: str = "cart", pattern: str = "p") -> Found:
    return Found("match", pattern, f"shop/{node}", {}, int(minute * MINUTE), {})


def day(*matches: Found, fault_at: int | None = 60, tick: int = MINUTE, costs: tuple[Cost, ...] = ()) -> Day:
    faults: tuple[Fault, ...] = ()
    if fault_at is not None:
        start = fault_at * MINUTE
        faults = (Fault(graph="shop", node="cart", start=start, end=start + 10 * MINUTE, kind="slow"),)
    return Day("monday", 0, 5 * HOUR, tick, faults, matches, costs)


def test_the_first_match_in_the_window_finds_the_fault() -> None:
    told = score([day(found(59), found(63, "web"), found(64), found(75), found(75.1))], ["p"])
    (finding,) = told.findings
    assert (finding.after_ms, finding.by, finding.on_node) == (3 * MINUTE, "p", True)
    assert (told.matches, told.found, told.median_after_ms) == (5, 1, 3 * MINUTE)
    assert [each.time for each in told.false_alarms] == [59 * MINUTE, 75 * MINUTE + 6_000]


def test_a_fault_without_a_match_is_missed() -> None:
    told = score([day(found(64, pattern="other"))], ["p"])
    assert [each.after_ms for each in told.findings] == [None]
    assert (told.matches, told.false_alarms, told.median_after_ms) == (0, (), None)


@pytest.mark.parametrize(("tick", "alarms"), [(MINUTE, 2), (5 * MINUTE, 1)])
def test_matches_close_together_are_one_false_alarm(tick: int, alarms: int) -> None:
    told = score([day(found(1), found(5, "web"), found(12), fault_at=None, tick=tick)], ["p"])
    assert len(told.false_alarms) == alarms
    assert told.false_alarms[0].nodes == ("cart", "web")
    assert told.fault_free_hours == 5
    assert told.false_per_hour == alarms / 5


def test_hours_near_faults_are_not_free_of_them() -> None:
    assert score([day(), day(fault_at=None)], ["p"]).fault_free_hours == 9.75


def test_cost_is_per_sample_of_all_recordings() -> None:
    def cost(samples: int, steps: int, peak: int) -> Cost:
        return Cost("p", samples, 1, samples, 1, steps, 1_000, peak, 1, 0, 0)

    days = [day(costs=(cost(4_000, 200, 2),)), day(costs=(cost(6_000, 300, 7),))]
    told = cost_of(days, "p")
    assert told is not None
    assert (told.ns_per_sample, told.steps_per_sample) == (0.2, 0.05)
    assert (told.partials_peak, told.evicted) == (7, 2)
    assert cost_of(days, "other") is None
    short = cost_of([day(costs=(cost(9_999, 5, 2),))], "p")
    assert short is not None
    assert short.ns_per_sample is None, "the JVM is still warming up"
