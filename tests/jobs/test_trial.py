"""When a published bundle is taken back, and when it is not."""

from __future__ import annotations

from jobs.trial import Trial, TrialSettings

SETTINGS = TrialSettings(slow_ms=200, window=20, errors=0.25, disagreement=0.6, answers=50)


def test_errors_take_it_back_before_the_window_is_full() -> None:
    trial = Trial(SETTINGS)
    assert [trial.note(5, "nonfinite_score") for _ in range(4)] == [None] * 4
    assert trial.note(5, "nonfinite_score") == "5 of the last 5 answers were bad, the newest: nonfinite_score"


def test_slow_answers_and_errors_count_alike() -> None:
    trial = Trial(SETTINGS)
    told = [trial.note(took_ms, error) for took_ms, error in ((300, None), (5, "timeout"), (5, None)) * 3]
    assert told[:6] == [None] * 6
    assert told[6] == "5 of the last 7 answers were bad, the newest: over 200 ms"


def test_few_bad_answers_among_many_are_forgiven() -> None:
    trial = Trial(SETTINGS)
    assert {trial.note(5, "timeout" if answer % 5 == 0 else None) for answer in range(1_000)} == {None}


def test_one_that_served_well_for_long_is_trusted() -> None:
    trial = Trial(SETTINGS)
    assert {trial.note(5, None) for _ in range(50)} == {None}
    assert {trial.note(5, "timeout") for _ in range(20)} == {None}


def test_another_first_cause_takes_it_back() -> None:
    trial = Trial(SETTINGS)
    assert [trial.compare(agrees=False) for _ in range(11)] == [None] * 11
    assert trial.compare(agrees=False) == "12 of the last 12 answers named another first cause"


def test_agreement_does_not() -> None:
    trial = Trial(SETTINGS)
    assert {trial.compare(agrees=answer % 2 == 0) for answer in range(200)} == {None}
