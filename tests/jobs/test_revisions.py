"""Which revisions are told: opened, updated when the answer changes and not too often, resolved."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from jobs.incident_state import StateError
from jobs.revisions import MAX_JUDGED, VERSION, Output, State, Tell, Wake, read_state, step, write_state
from jobs.wire import End
from records.feedback import Feedback
from records.incidents import IncidentEvent, RootCause
from tests.jobs.rows import T0

GOLDEN = Path(__file__).parent / "golden"
RESEND = 60_000
Told = IncidentEvent | End | Feedback | int


def draft(seconds: int, node: str = "cart", signal: str = "latency", **more: Any) -> IncidentEvent:
    cause = RootCause.model_validate({"rank": 1, "node": node, "signal": signal, "score": 0.9})
    fields: dict[str, Any] = {
        "graph": "shop",
        "incident_id": "inc-0123456789ab",
        "revision": 1,
        "status": "opened",
        "onset": T0,
        "detected_at": T0,
        "time": T0 + seconds * 1_000,
        "method": "model",
        "confidence_score": 0.8,
        "root_causes": [cause],
    }
    return IncidentEvent.model_validate({**fields, **more})


def end(seconds: int, incident: str = "inc-0123456789ab") -> End:
    return End(incident, T0 + seconds * 1_000, "signals_back", T0 + seconds * 1_000 - 300_000)


def play(*events: Told) -> tuple[State, list[Output]]:
    state, outputs = State(), list[Output]()
    for event in events:
        state, more = step(read_state(write_state(state)), event, RESEND)
        outputs += more
    return state, outputs


def told(outputs: list[Output]) -> list[tuple[int, str, str, int]]:
    events = [output.event for output in outputs if isinstance(output, Tell)]
    return [
        (each.revision, each.status, each.root_causes[0].node, (each.time - T0) // 1_000) for each in events
    ]


def test_the_first_draft_opens() -> None:
    assert told(play(draft(0))[1]) == [(1, "opened", "cart", 0)]


def test_the_same_answer_is_not_told_again() -> None:
    assert told(play(*(draft(15 * tick) for tick in range(20)))[1]) == [(1, "opened", "cart", 0)]


@pytest.mark.parametrize("changed", [{"node": "frontend"}, {"signal": "cpu"}, {"qos": "P0"}])
def test_another_answer_is_told_after_the_interval(changed: dict[str, Any]) -> None:
    _, outputs = play(draft(0), draft(75, **changed))
    assert [status for _, status, *_ in told(outputs)] == ["opened", "updated"]


def test_within_the_interval_the_newest_answer_waits() -> None:
    state, outputs = play(draft(0), draft(15, "frontend"), draft(30, "checkout"))
    assert told(outputs) == [(1, "opened", "cart", 0)]
    assert Wake(T0 + RESEND) in outputs
    _, later = step(state, T0 + RESEND, RESEND)
    assert told(list(later)) == [(2, "updated", "checkout", 60)]


def test_an_answer_that_goes_back_is_not_told() -> None:
    state, outputs = play(draft(0), draft(15, "frontend"), draft(30))
    assert step(state, T0 + RESEND, RESEND) == (state, ())
    assert told(outputs) == [(1, "opened", "cart", 0)]


def test_a_flapping_answer_is_told_at_most_once_per_interval() -> None:
    drafts = [draft(15 * tick, ("cart", "frontend")[tick % 2]) for tick in range(40)]
    times = [time for *_, time in told(play(*drafts)[1])]
    assert len(times) > 3
    assert all(later - earlier >= 60 for earlier, later in pairwise(times))


def test_a_jump_of_event_time_tells_the_same_as_a_timer() -> None:
    before = (draft(0), draft(15, "frontend"))
    state, outputs = play(*before)
    state, woken = step(state, T0 + RESEND, RESEND)
    state, rest = step(state, draft(300, "checkout"), RESEND)
    assert told([*outputs, *woken, *rest]) == told(play(*before, draft(300, "checkout"))[1])


def test_the_end_is_told_with_the_newest_answer() -> None:
    state, outputs = play(draft(0), draft(15, "frontend"), end(40))
    (event,) = [output.event for output in outputs if isinstance(output, Tell)][1:]
    assert (event.revision, event.status, event.resolution) == (2, "resolved", "signals_back")
    assert (event.root_causes[0].node, event.time) == ("frontend", T0 + 40_000)
    assert state == State()


def test_an_end_that_belongs_to_nothing_told_is_silent() -> None:
    assert told(play(end(40))[1]) == []
    assert told(play(draft(0), end(40, "inc-ffffffffffff"))[1]) == [(1, "opened", "cart", 0)]


OTHER = "inc-ffffffffffff"


def test_two_open_incidents_are_told_apart() -> None:
    _, outputs = play(
        draft(0), draft(90, "checkout", incident_id=OTHER), draft(120, "frontend"), end(400), end(500, OTHER)
    )
    events = [output.event for output in outputs if isinstance(output, Tell)]
    assert [(each.incident_id == OTHER, each.revision, each.status) for each in events] == [
        (False, 1, "opened"),
        (True, 1, "opened"),
        (False, 2, "updated"),
        (False, 3, "resolved"),
        (True, 2, "resolved"),
    ]


def test_an_incident_with_a_cause_that_is_told_already_is_not_told() -> None:
    state, outputs = play(draft(0), draft(90, incident_id=OTHER), end(200, OTHER))
    assert told(outputs) == [(1, "opened", "cart", 0)]
    _, later = step(state, draft(300, "checkout", incident_id=OTHER), RESEND)
    assert [entry[1:3] for entry in told(list(later))] == [("opened", "checkout")]


def test_less_confidence_does_not_change_the_signal_of_the_same_cause() -> None:
    sure: dict[str, Any] = {"confidence_score": 0.9}
    doubt: dict[str, Any] = {"confidence_score": 0.8}
    _, outputs = play(draft(0, **sure), draft(75, signal="cpu", **doubt))
    assert told(outputs) == [(1, "opened", "cart", 0)]
    _, outputs = play(draft(0, **doubt), draft(75, signal="cpu", **sure))
    assert [entry[1] for entry in told(outputs)] == ["opened", "updated"]


def test_the_next_incident_starts_with_revision_one() -> None:
    _, outputs = play(draft(0), end(400), draft(800, incident_id="inc-ffffffffffff"))
    assert [entry[:2] for entry in told(outputs)] == [(1, "opened"), (2, "resolved"), (1, "opened")]


def test_the_onset_only_moves_back() -> None:
    _, outputs = play(draft(0, onset=T0 - 5_000), draft(75, "frontend", onset=T0))
    assert [output.event.onset for output in outputs if isinstance(output, Tell)] == [T0 - 5_000] * 2


def test_a_doubtful_answer_does_not_replace_another() -> None:
    drafts = [draft(90 * n, f"n{n}", confidence_score=0.1 + n / 100) for n in range(10)]
    assert told(play(*drafts)[1]) == [(1, "opened", "n0", 0)]


def test_a_surer_answer_replaces_a_doubtful_one_and_is_kept() -> None:
    events: list[IncidentEvent | End] = [
        draft(0, confidence_score=0.1),
        draft(90, "frontend", confidence_score=0.95),
        draft(180, "checkout", confidence_score=0.6),
        end(600),
    ]
    assert told(play(*events)[1]) == [
        (1, "opened", "cart", 0),
        (2, "updated", "frontend", 90),
        (3, "resolved", "frontend", 600),
    ]


def test_an_answer_confirmed_with_more_confidence_is_harder_to_replace() -> None:
    events = [draft(0, confidence_score=0.6), draft(90, confidence_score=0.95)]
    assert len(told(play(*events, draft(180, "frontend", confidence_score=0.8))[1])) == 1
    assert len(told(play(*events, draft(180, "frontend", confidence_score=0.9))[1])) == 2


def test_a_graver_severity_is_told_with_the_answer_that_stands() -> None:
    _, outputs = play(draft(0), draft(90, "frontend", qos="P0", confidence_score=0.1))
    (event,) = [output.event for output in outputs if isinstance(output, Tell)][1:]
    assert (event.root_causes[0].node, event.qos, event.time) == ("cart", "P0", T0 + 90_000)


@pytest.mark.parametrize(
    ("first", "second", "count"),
    [("fallback", "model", 2), ("model", "fallback", 1), ("fallback", "fallback", 2)],
)
def test_a_model_s_answer_beats_the_fallback_s(first: str, second: str, count: int) -> None:
    drafts = (
        draft(0, method=first, confidence_score=0.2),
        draft(90, "frontend", method=second, confidence_score=0.2),
    )
    assert len(told(play(*drafts)[1])) == count


def example() -> State:
    return play(draft(0), draft(15, "frontend"), verdict(20, incident=OTHER))[0]


def test_the_golden_file_of_this_version_has_these_bytes() -> None:
    assert (GOLDEN / f"revisions_state_v{VERSION}.json").read_bytes() == write_state(example())


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_every_released_version_is_read(version: int) -> None:
    without = State(example().tracks) if version < 2 else example()
    assert read_state((GOLDEN / f"revisions_state_v{version}.json").read_bytes()) == without


def test_other_bytes_are_refused() -> None:
    with pytest.raises(StateError, match="revisions: version 99"):
        read_state(b'{"v":99}')


def verdict(seconds: int, kind: str = "false", incident: str = "inc-0123456789ab") -> Feedback:
    fields: dict[str, Any] = {
        "graph": "shop",
        "incident_id": incident,
        "revision": 1,
        "verdict": kind,
        "node": None if kind == "false" else "cart",
        "onset": T0,
        "until": T0 + 15_000,
        "time": T0 + seconds * 1_000,
    }
    return Feedback.model_validate(fields)


def test_what_is_judged_false_is_retracted_and_nothing_more_is_told_of_it() -> None:
    state, outputs = play(
        draft(0),
        draft(15, "frontend"),
        verdict(20),
        draft(90, "checkout"),
        verdict(95),
        T0 + 200_000,
        end(400),
    )
    assert told(outputs) == [(1, "opened", "cart", 0), (2, "retracted", "cart", 20)]
    (_, last) = [each.event for each in outputs if isinstance(each, Tell)]
    assert (last.id, last.resolution) == ("inc-0123456789ab:retracted", "judged_false")
    assert state == State()


def test_what_it_hid_stays_hidden_until_it_ends() -> None:
    opened: list[Told] = [draft(0), verdict(20), draft(30, incident_id=OTHER)]
    assert [status for _, status, *_ in told(play(*opened)[1])] == ["opened", "retracted"]
    _, outputs = play(*opened, end(400), draft(410, incident_id=OTHER))
    assert [status for _, status, *_ in told(outputs)] == ["opened", "retracted", "opened"]


@pytest.mark.parametrize("kind", ["true", "cause"])
def test_other_verdicts_change_nothing(kind: str) -> None:
    before, _ = play(draft(0))
    assert step(before, verdict(20, kind), RESEND) == (before, ())


def test_an_incident_that_has_ended_is_retracted_from_the_verdict() -> None:
    _, outputs = play(draft(0), end(40), verdict(500), verdict(600))
    *_, last = [each.event for each in outputs if isinstance(each, Tell)]
    assert (last.id, last.status, last.graph) == ("inc-0123456789ab:retracted", "retracted", "shop")
    assert (last.onset, last.time) == (T0, T0 + 500_000)
    assert len(outputs) == 3


def test_wherever_a_verdict_falls_its_event_has_one_id_and_is_the_last_word() -> None:
    """After a crash the verdict may be read before, between or after the revisions that it followed."""
    drafts: list[Told] = [draft(0), draft(90, "frontend"), draft(180, "checkout"), end(600)]
    for place in range(len(drafts) + 1):
        _, outputs = play(*drafts[:place], verdict(700), *drafts[place:])
        events = [each.event for each in outputs if isinstance(each, Tell)]
        assert [each.status for each in events].count("retracted") == 1
        assert events[-1].id == "inc-0123456789ab:retracted"
        assert max(events, key=lambda each: each.order) is events[-1]


def test_verdicts_that_are_remembered_are_bounded() -> None:
    state, _ = play(*(verdict(1, incident=f"inc-{number}") for number in range(MAX_JUDGED + 5)))
    assert len(state.judged) == MAX_JUDGED
    assert state.judged[-1] == f"inc-{MAX_JUDGED + 4}"


if __name__ == "__main__":
    (GOLDEN / f"revisions_state_v{VERSION}.json").write_bytes(write_state(example()))
