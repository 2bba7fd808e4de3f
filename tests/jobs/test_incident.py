"""The life of an incident: opening, joining, scoring again, ending, and what a replay must not change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jobs.alerts import SEVERITIES, alert_of, match_id, worst
from jobs.grouping import MAX_ALERTS, MAX_INCIDENTS, Incident
from jobs.incident import (
    Event,
    Forget,
    Framed,
    Matched,
    Output,
    Resolve,
    Score,
    Settings,
    State,
    Wake,
    Woken,
    step,
)
from jobs.incident_state import read_state, write_state
from tests.jobs.rows import T0, TICK, alert, frame_row, match, tick_end

SETTINGS = Settings(resolve_after_ms=300_000, window_ticks=10, tick_ms=TICK)


def play(events: list[Event], state: State | None = None) -> tuple[State, list[Output]]:
    """Feeds events as the operator does.

    A timer asked for fires once event time is past it; state is restored from its bytes between any two
    events.
    """
    state = State("shop") if state is None else state
    outputs: list[Output] = []
    for event in events:
        state, more = step(read_state(write_state(state)), event, SETTINGS)
        outputs += more
    return state, outputs


def drain(state: State, outputs: list[Output]) -> list[Output]:
    """What follows when the input ends: every timer fires, also those set while firing."""
    due = [output.time for output in outputs if isinstance(output, Wake)]
    everything = list(outputs)
    while due:
        state, more = step(state, Woken(due.pop(0)), SETTINGS)
        everything += more
        due += [output.time for output in more if isinstance(output, Wake)]
        assert len(everything) < 1_000
    return everything


def open_one(state: State) -> Incident:
    """The one open incident."""
    (incident,) = state.incidents
    return incident


def only(outputs: list[Output], kind: type) -> list[Output]:
    return [output for output in outputs if isinstance(output, kind)]


def healthy(first: int, last: int) -> list[Event]:
    return [Framed(frame_row(tick)) for tick in range(first, last + 1)]


def burst(first: int, last: int, node: str = "cart", signal: str = "latency") -> list[Event]:
    """Ticks in which a signal is wrong and, each second tick, the pattern matches."""
    events: list[Event] = []
    for tick in range(first, last + 1):
        if (tick - first) % 2:
            events.append(Matched(alert(tick, node, signal)))
        events.append(Framed(frame_row(tick, {(node, signal): 40.0})))
    return events


def test_nothing_happens_while_all_is_well() -> None:
    state, outputs = play(healthy(0, 30))
    assert [type(output) for output in outputs] == [Forget] * 21
    assert state.ring == tuple(tick_end(tick) for tick in range(21, 31))
    assert drain(state, outputs) == outputs


def test_a_match_waits_for_the_row_that_closes_its_tick() -> None:
    state, outputs = play([*healthy(0, 5), Matched(alert(6))])
    assert only(outputs, Score) == []
    assert state.incidents == ()
    state, outputs = play([Framed(frame_row(6, {("cart", "latency"): 40.0}))], state)
    (score,) = only(outputs, Score)
    assert isinstance(score, Score)
    assert (score.time, score.incident.detected_at) == (tick_end(6), alert(6).time)
    assert score.ring == tuple(tick_end(tick) for tick in range(7))


def test_later_matches_join_the_open_incident() -> None:
    second = alert(7, "frontend", "errors", severity="critical")
    events = [
        *healthy(0, 5),
        *burst(6, 7),
        Matched(second),
        Framed(frame_row(8, {("cart", "latency"): 40.0})),
    ]
    state, outputs = play(events)
    incidents = [output.incident for output in outputs if isinstance(output, Score)]
    assert len({incident.id for incident in incidents}) == 1
    assert [each.node for each in incidents[-1].alerts] == ["cart", "frontend"]
    assert worst(incidents[-1].alerts) == "critical"
    assert open_one(state) == incidents[-1]


def test_the_same_pattern_on_the_same_key_is_one_alert() -> None:
    state, _ = play([*healthy(0, 5), *burst(6, 20)])
    assert len(open_one(state).alerts) == 1
    assert open_one(state).alerts[0].time == alert(7).time
    assert open_one(state).last_match == alert(19).time


def test_it_is_scored_at_each_tick_for_as_long_as_matches_keep_coming() -> None:
    _, outputs = play([*healthy(0, 5), *burst(6, 13), *healthy(14, 30)])
    assert [output.time for output in outputs if isinstance(output, Score)] == [
        tick_end(tick) for tick in range(7, 16)
    ]


def test_it_ends_when_its_signals_were_back_for_long_enough() -> None:
    state, outputs = play([*healthy(0, 5), *burst(6, 9), *healthy(10, 40)])
    (end,) = only(outputs, Resolve)
    assert isinstance(end, Resolve)
    assert (end.ending, end.since, end.time) == ("signals_back", T0 + 10 * TICK, T0 + 10 * TICK + 300_000)
    assert state.incidents == ()


def test_a_signal_that_stays_wrong_keeps_it_open_without_matches() -> None:
    wrong = [Framed(frame_row(tick, {("cart", "latency"): 40.0})) for tick in range(10, 60)]
    state, outputs = play([*healthy(0, 5), *burst(6, 9), *wrong])
    assert only(outputs, Resolve) == []
    assert open_one(state).quiet_since is None


def test_a_signal_without_a_value_is_not_back() -> None:
    gone = [Framed(frame_row(tick, absent=[("cart", "latency")])) for tick in range(10, 60)]
    _, outputs = play([*healthy(0, 5), *burst(6, 9), *gone])
    assert only(outputs, Resolve) == []


def test_a_silent_node_is_not_back() -> None:
    gone = [Framed(frame_row(tick, silent={"cart": tick - 9})) for tick in range(10, 60)]
    _, outputs = play([*healthy(0, 5), *burst(6, 9), *gone])
    assert only(outputs, Resolve) == []


def test_a_flapping_signal_is_one_incident() -> None:
    events = healthy(0, 59)
    for first in (60, 76, 92, 108):
        events += [*burst(first, first + 7), *healthy(first + 8, first + 15)]
    _, outputs = play([*events, *healthy(124, 159)])
    assert len({output.incident.id for output in outputs if isinstance(output, Score | Resolve)}) == 1
    (end,) = only(outputs, Resolve)
    assert isinstance(end, Resolve)
    assert T0 + 115 * TICK + 300_000 <= end.time <= T0 + 118 * TICK + 300_000


def test_a_second_fault_after_the_end_is_another_incident() -> None:
    _, outputs = play([*healthy(0, 5), *burst(6, 9), *healthy(10, 40), *burst(41, 44)])
    assert len({output.incident.id for output in outputs if isinstance(output, Score)}) == 2


def test_a_new_alarm_long_after_the_last_is_an_incident_of_its_own() -> None:
    lasting = {("cart", "latency"): 40.0}
    both = lasting | {("frontend", "errors"): 40.0}
    state, outputs = play(
        [
            *healthy(0, 5),
            *burst(6, 40),
            Matched(alert(41, "frontend", "errors")),
            Framed(frame_row(41, both)),
            Matched(alert(42)),
            Framed(frame_row(42, both)),
        ]
    )
    first, second = state.incidents
    assert [[each.node for each in incident.alerts] for incident in (first, second)] == [
        ["cart"],
        ["frontend"],
    ]
    assert first.last_match == alert(42).time
    assert second.last_match == alert(41).time
    last = [output for output in outputs if isinstance(output, Score) and output.time == tick_end(42)]
    assert [output.incident.id for output in last] == [first.id, second.id]


def test_incidents_of_a_graph_end_one_by_one() -> None:
    events = [*healthy(0, 5), *burst(6, 30), *burst(31, 40, "frontend", "errors"), *healthy(41, 70)]
    state, outputs = play(events)
    ends = [output for output in outputs if isinstance(output, Resolve)]
    assert [[each.node for each in end.incident.alerts] for end in ends] == [["cart"], ["frontend"]]
    assert [end.since for end in ends] == [T0 + 31 * TICK, T0 + 41 * TICK]
    assert state.incidents == ()


def test_alarms_of_a_cascade_gather_in_one() -> None:
    events = healthy(0, 5)
    for tick in range(6, 21):
        events += [Matched(alert(tick, f"n{tick}"))] if tick in (6, 9, 13, 20) else []
        events.append(Framed(frame_row(tick, {("cart", "latency"): 40.0})))
    state, _ = play(events)
    assert [each.node for each in open_one(state).alerts] == ["n6", "n9", "n13", "n20"]


FAR = ("cart", "checkout", "db", "frontend", "mail")
FAR_EDGES = (("frontend", "cart"), ("cart", "db"), ("checkout", "mail"))


def test_two_faults_at_once_in_far_parts_are_two_incidents() -> None:
    wrong = {("db", "latency"): 40.0, ("mail", "errors"): 40.0, ("cart", "latency"): 5.0}
    events: list[Event] = [Framed(frame_row(tick, nodes=FAR, edges=FAR_EDGES)) for tick in range(6)]
    for tick, node in ((6, "db"), (6, "mail"), (7, "frontend"), (8, "checkout")):
        events += [Matched(alert(tick, node)), Framed(frame_row(tick, wrong, nodes=FAR, edges=FAR_EDGES))]
    state, _ = play(events)
    assert [[each.node for each in incident.alerts] for incident in state.incidents] == [
        ["db", "frontend"],
        ["mail", "checkout"],
    ]


def test_open_incidents_of_a_graph_are_bounded() -> None:
    events: list[Event] = []
    wrong: dict[tuple[str, str], float] = {}
    nodes = tuple(f"n{number:02}" for number in range(MAX_INCIDENTS + 4))
    for number, node in enumerate(nodes):
        tick = 6 + 10 * number
        wrong[node, "latency"] = 40.0
        events += [Matched(alert(tick, node)), Framed(frame_row(tick, wrong, nodes=nodes, edges=()))]
    state, _ = play(events)
    assert len(state.incidents) == MAX_INCIDENTS
    assert len(state.incidents[-1].alerts) == 5


def test_it_ends_and_says_so_when_the_data_stops() -> None:
    state, outputs = play([*healthy(0, 5), *burst(6, 9)])
    (end,) = only(drain(state, outputs), Resolve)
    assert isinstance(end, Resolve)
    assert (end.ending, end.since, end.time) == ("data_stopped", tick_end(9), tick_end(9) + 300_000)


def test_rows_of_a_silent_graph_are_no_data() -> None:
    silence = dict.fromkeys(("cart", "checkout", "frontend"), 1)
    empty = [Framed(frame_row(tick, silent=silence)) for tick in range(10, 20)]
    state, outputs = play([*healthy(0, 5), *burst(6, 9), *empty])
    (end,) = only(drain(state, outputs), Resolve)
    assert isinstance(end, Resolve)
    assert (end.ending, end.since) == ("data_stopped", tick_end(9))
    assert max(output.time for output in outputs if isinstance(output, Score)) == tick_end(9)


def test_a_gap_ends_it_at_the_same_time_however_event_time_moves() -> None:
    before, after = [*healthy(0, 5), *burst(6, 9)], healthy(200, 203)
    state, outputs = play(before)
    live = drain(state, outputs)
    _, jumped = play([*before, *after])
    assert only(live, Resolve) == only(jumped, Resolve)
    assert len(only(jumped, Resolve)) == 1


def test_a_match_without_any_row_is_still_told() -> None:
    state, outputs = play([Matched(alert(6))])
    scores = only(drain(state, outputs), Score)
    assert len(scores) == 1
    assert isinstance(scores[0], Score)
    assert (scores[0].ring, scores[0].time) == ((), alert(6).time + 2 * TICK)


def test_a_row_that_came_twice_or_late_changes_nothing() -> None:
    state, _ = play([*healthy(0, 5), *burst(6, 9)])
    assert play([Framed(frame_row(9)), Framed(frame_row(3))], state) == (state, [])


def test_a_timer_that_was_overtaken_does_nothing() -> None:
    state, _ = play([*healthy(0, 5), *burst(6, 9)])
    assert step(state, Woken(T0), SETTINGS) == (state, ())


def test_the_order_of_arrival_within_a_tick_does_not_matter() -> None:
    alerts = [alert(6, "frontend", "errors"), alert(6, "cart"), alert(6, "cart", "cpu", pattern="busy")]
    row = Framed(frame_row(6, {("cart", "latency"): 40.0}))
    forward = play([*healthy(0, 5), *(Matched(each) for each in alerts), row])
    backward = play([*healthy(0, 5), *(Matched(each) for each in reversed(alerts)), row])
    assert forward[0] == backward[0]
    assert forward[1] == backward[1]


def test_a_storm_of_alerts_is_bounded_and_counted() -> None:
    storm: list[Event] = [Matched(alert(6, pattern=f"p{number:03}")) for number in range(40)]
    more: list[Event] = [Matched(alert(7, pattern=f"q{number:03}")) for number in range(40)]
    wrong = {("cart", "latency"): 40.0}
    state, _ = play([*storm, Framed(frame_row(6, wrong)), *more, Framed(frame_row(7, wrong))])
    assert (len(open_one(state).alerts), open_one(state).dropped) == (MAX_ALERTS, 80 - MAX_ALERTS)


def test_one_node_without_edges() -> None:
    nodes, edges = ("solo",), ()
    quiet: list[Event] = [Framed(frame_row(tick, nodes=nodes, edges=edges)) for tick in range(6)]
    row = frame_row(6, {("solo", "latency"): 40.0}, nodes=nodes, edges=edges)
    state, outputs = play([*quiet, Matched(alert(6, "solo")), Framed(row)])
    (score,) = only(outputs, Score)
    assert isinstance(score, Score)
    assert open_one(state) == score.incident


def test_ids_depend_on_content_only() -> None:
    assert match_id(match(6)) == match_id(match(6)) != match_id(match(7))
    assert match_id(match(6)) != match_id(match(6, "frontend"))
    state, _ = play([*healthy(0, 5), *burst(6, 9)])
    again, _ = play([*healthy(2, 5), *burst(6, 9)])
    assert open_one(state).id == open_one(again).id
    assert len(open_one(state).id) == len("inc-") + 12


@pytest.mark.parametrize("severity", SEVERITIES)
def test_an_alert_keeps_what_an_event_shows(severity: str) -> None:
    made = alert_of(match(6, severity=severity, runbook="https://runbooks.example/slow"))
    trigger = made.trigger()
    assert (trigger.pattern, trigger.node, trigger.signal, trigger.severity) == (
        "slow",
        "cart",
        "latency",
        severity,
    )
    assert [sample.value for sample in trigger.samples] == [0.9]
    assert replace(made, time=0) != made
