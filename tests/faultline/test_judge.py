"""The judge's definitions, each held by a small case worked out by hand."""

from __future__ import annotations

import pytest

from faultline.history import History, histories
from faultline.judge import GRACE_MS, Judgement, accuracy_at, counts_for, fault_free_hours, judge
from records.incidents import IncidentEvent, RootCause
from records.samples import Fault

MINUTE = 60_000
HOUR = 60 * MINUTE


def fault(node: str, start: int, end: int, graph: str = "shop") -> Fault:
    """A fault from minute to minute."""
    return Fault(
        graph=graph, node=node, signal="cpu", start=start * MINUTE, end=end * MINUTE, kind="cpu_contention"
    )


def incident(opened: float, *ranked: str, graph: str = "shop", name: str = "") -> History:
    """An incident opened at a minute that ranks nodes in this order."""
    time = int(opened * MINUTE)
    event = IncidentEvent(
        graph=graph,
        incident_id=name or f"inc-{graph}-{opened}",
        revision=1,
        status="opened",
        onset=max(0, time - MINUTE),
        detected_at=time,
        time=time,
        method="model",
        root_causes=[
            RootCause(rank=rank, node=node, signal="cpu") for rank, node in enumerate(ranked, start=1)
        ],
    )
    return History((event,))


def judged(incidents: list[History], faults: list[Fault], hours: int = 10) -> Judgement:
    """The judgement over one recording of the graph shop."""
    return judge(incidents, faults, {"shop": (0, hours * HOUR)})


def test_a_fault_is_found_by_the_first_incident_in_its_window() -> None:
    result = judged([incident(12, "cart", "redis")], [fault("cart", 10, 15)])

    (verdict,) = result.verdicts
    assert (verdict.delay_ms, verdict.rank, verdict.signal_right) == (2 * MINUTE, 1, True)
    assert result.summary.found == result.summary.found_soon == result.summary.right == 1
    assert result.summary.false_alarms == 0


@pytest.mark.parametrize(
    ("opened", "found"), [(9.99, False), (10, True), (15, True), (20, True), (20.01, False)]
)
def test_the_window_is_from_the_start_to_five_minutes_after_the_end(opened: float, found: bool) -> None:
    summary = judged([incident(opened, "cart")], [fault("cart", 10, 15)]).summary

    assert (summary.found, summary.false_alarms) == ((1, 0) if found else (0, 1))


def test_a_late_find_is_found_but_not_soon() -> None:
    summary = judged([incident(16, "cart")], [fault("cart", 10, 20)]).summary

    assert (summary.found, summary.found_soon, summary.median_delay_ms) == (1, 0, 6 * MINUTE)


def test_an_incident_in_two_windows_counts_for_the_fault_that_started_last() -> None:
    faults = [fault("cart", 10, 15), fault("redis", 17, 20)]

    assert counts_for(incident(18, "redis"), faults) == (1,)
    result = judged([incident(18, "redis")], faults)
    assert [each.found for each in result.verdicts] == [False, True]


def test_a_missed_fault_may_be_named_by_an_incident_that_was_open() -> None:
    first = incident(10, "web", name="open").first
    update = {
        "revision": 2,
        "status": "updated",
        "time": 41 * MINUTE,
        "root_causes": [RootCause(rank=1, node="cart")],
    }
    history = History((first, first.model_copy(update=update)))
    result = judged([history], [fault("web", 10, 15), fault("cart", 40, 45), fault("cart", 80, 85)])

    assert [each.named_by for each in result.verdicts] == [None, "open", None]
    assert (result.summary.found, result.summary.named) == (1, 1)


def test_faults_that_started_together_share_an_incident() -> None:
    result = judged([incident(12, "cart", "redis")], [fault("cart", 10, 15), fault("redis", 10, 15)])

    assert [each.rank for each in result.verdicts] == [1, 2]
    assert result.summary.false_alarms == 0


def test_a_second_incident_for_a_fault_is_a_repeat_and_no_false_alarm() -> None:
    result = judged(
        [incident(14, "redis", name="b"), incident(12, "cart", name="a")], [fault("cart", 10, 15)]
    )

    assert result.repeats == {"b"}
    assert result.verdicts[0].incident_id == "a"
    assert (result.summary.repeats, result.summary.false_alarms) == (1, 0)


def test_an_incident_of_another_graph_is_a_false_alarm() -> None:
    other = incident(12, "cart", graph="bank")
    result = judge([other], [fault("cart", 10, 15)], {"shop": (0, HOUR), "bank": (0, HOUR)})

    assert result.summary.false_alarms == 1
    assert not result.verdicts[0].found


def test_accuracy_is_told_among_all_faults_and_among_those_found() -> None:
    faults = [fault("a", 10, 11), fault("b", 30, 31), fault("c", 50, 51), fault("d", 70, 71)]
    incidents = [incident(10, "a"), incident(30, "x", "y", "b"), incident(50, "x", "y")]
    summary = judged(incidents, faults).summary

    assert (summary.ac1, summary.ac3) == (0.25, 0.5)
    assert summary.ac1_found == pytest.approx(1 / 3)
    assert summary.ac3_found == pytest.approx(2 / 3)


def test_without_faults_every_incident_is_a_false_alarm_per_hour() -> None:
    summary = judged([incident(5, "a"), incident(90, "a")], [], hours=4).summary

    assert (summary.false_alarms, summary.false_alarms_per_hour) == (2, 0.5)
    assert (summary.ac1, summary.ac3_found, summary.median_delay_ms) == (None, None, None)


def test_the_rate_is_unknown_where_no_hour_is_free_of_faults() -> None:
    assert judge([], [fault("a", 0, 60)], {"shop": (0, HOUR)}).summary.false_alarms_per_hour is None


def test_overlapping_windows_are_taken_out_of_the_free_hours_once() -> None:
    grace = GRACE_MS // MINUTE
    faults = [fault("a", 10, 20), fault("b", 15, 30), fault("c", 590, 700), fault("d", 0, 1, graph="bank")]
    taken = (30 + grace - 10) + (600 - 590)

    assert fault_free_hours(faults, {"shop": (0, 10 * HOUR)}) == pytest.approx((600 - taken) / 60)


def test_the_median_delay_is_one_that_happened() -> None:
    faults = [fault("a", 10, 15), fault("b", 30, 35)]
    summary = judged([incident(11, "a"), incident(34, "b")], faults).summary

    assert summary.median_delay_ms == MINUTE


def test_accuracy_at_of_nothing_is_unknown() -> None:
    assert accuracy_at([], 1) is None
    assert accuracy_at([None, 1, 3, 4], 3) == 0.5


def test_the_answer_is_the_newest_ranking_while_the_incident_was_open() -> None:
    first = incident(10, "cart").first
    better = first.model_copy(
        update={"revision": 2, "status": "updated", "root_causes": [RootCause(rank=1, node="db")]}
    )
    closed = first.model_copy(
        update={"revision": 3, "status": "resolved", "root_causes": [RootCause(rank=1, node="x")]}
    )
    (history,) = histories([closed, first, better, first])

    assert [each.revision for each in history.revisions] == [1, 2, 3]
    assert history.cause is not None
    assert history.cause.node == "db"


def test_a_ranking_told_after_the_faults_window_does_not_count_for_it() -> None:
    first = incident(12, "cart").first
    later = {
        "revision": 2,
        "status": "updated",
        "time": 100 * MINUTE,
        "root_causes": [RootCause(rank=1, node="db")],
    }
    history = History((first, first.model_copy(update=later)))

    assert judged([history], [fault("cart", 10, 15)]).verdicts[0].rank == 1
    assert history.answer.revision == 2
    assert history.answer_by(0).revision == 1


def test_an_answer_without_a_ranking_names_no_cause() -> None:
    history = incident(10)

    assert history.cause is None
    assert judged([history], [fault("cart", 10, 15)]).verdicts[0].rank is None


def test_the_judgement_as_data_names_each_fault() -> None:
    told = judged([incident(12, "cart")], [fault("cart", 10, 15), fault("redis", 100, 101)]).to_json()

    assert [(each["node"], each["rank"], each["delay_ms"]) for each in told["faults"]] == [
        ("cart", 1, 2 * MINUTE),
        ("redis", None, None),
    ]
    assert told["summary"]["faults"] == 2
