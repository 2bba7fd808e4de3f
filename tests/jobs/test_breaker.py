"""The circuit breaker: what opens it, how long, and what closes it."""

from __future__ import annotations

import pytest

from jobs.breaker import Breaker, BreakerSettings, Change

SETTINGS = BreakerSettings(slow_ms=200, confidence=0.85, share=0.8, window=20, pause_ms=10_000)
SURE, UNSURE, ERROR = 0.95, 0.3, None


def opened(at_ms: float = 0.0) -> Breaker:
    breaker = Breaker(SETTINGS)
    for _ in range(20):
        breaker.note(at_ms, 5, ERROR)
    assert [change.state for change in breaker.changes()] == ["open"]
    return breaker


@pytest.mark.parametrize(
    ("took_ms", "confidence", "said"),
    [(5, ERROR, "20 error"), (201, SURE, "20 slow"), (5, UNSURE, "20 unsure")],
)
def test_bad_answers_open_it(took_ms: float, confidence: float | None, said: str) -> None:
    breaker = Breaker(SETTINGS)
    for answer in range(20):
        assert breaker.admits(answer)
        assert breaker.changes() == []
        breaker.note(answer, took_ms, confidence)
    assert breaker.changes() == [Change("open", f"of the last 20 answers: {said}")]
    assert not breaker.admits(20)
    assert breaker.changes() == []


@pytest.mark.parametrize(("bad", "opens"), [(15, False), (16, True)])
def test_it_takes_a_share_of_the_last_answers(bad: int, opens: bool) -> None:
    breaker = Breaker(SETTINGS)
    answers = [SURE] * 30 + [UNSURE] * (bad - 1) + [SURE] * (20 - bad) + [UNSURE]
    for confidence in answers:
        breaker.note(0, 5, confidence)
    assert bool(breaker.changes()) is opens


def test_after_the_pause_one_request_probes() -> None:
    breaker = opened(at_ms=1_000)
    assert not breaker.admits(10_999)
    assert breaker.admits(11_000)
    assert not breaker.admits(11_001)
    breaker.note(11_050, 50, SURE)
    assert [change.state for change in breaker.changes()] == ["probing", "closed"]
    assert breaker.admits(11_051)


@pytest.mark.parametrize(("took_ms", "confidence"), [(5, ERROR), (500, SURE)])
def test_a_bad_probe_opens_it_for_another_pause(took_ms: float, confidence: float | None) -> None:
    breaker = opened()
    assert breaker.admits(10_000)
    breaker.note(10_500, took_ms, confidence)
    assert [change.state for change in breaker.changes()] == ["probing", "open"]
    assert not breaker.admits(20_499)
    assert breaker.admits(20_500)


def test_a_doubtful_probe_closes_it() -> None:
    breaker = opened()
    assert breaker.admits(10_000)
    breaker.note(10_010, 10, UNSURE)
    assert breaker.admits(10_011)


def test_a_probe_that_never_answers_is_followed_by_another() -> None:
    breaker = opened()
    assert breaker.admits(10_000)
    assert not breaker.admits(19_999)
    assert breaker.admits(20_000)


def test_answers_from_before_it_opened_change_nothing() -> None:
    breaker = opened()
    breaker.note(5, 5, SURE)
    assert breaker.changes() == []
    assert not breaker.admits(10)


def test_it_starts_counting_anew_once_closed() -> None:
    breaker = opened()
    assert breaker.admits(10_000)
    breaker.note(10_010, 10, SURE)
    breaker.changes()
    for answer in range(19):
        breaker.note(10_020 + answer, 5, ERROR)
    assert breaker.changes() == []
    breaker.note(10_040, 5, ERROR)
    assert [change.state for change in breaker.changes()] == ["open"]
