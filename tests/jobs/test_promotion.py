"""A bundle that is tried goes from shadow to canary to full by its rule, and by nothing less."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyflink.common import Row

from jobs.model_state import ModelState, Outcome, step
from jobs.models import MODEL
from jobs.promotion import Progress
from records.model_control import Candidate, ModelRecord, Promotion
from records.shares import covers
from tests.jobs.bundles import bundle
from tests.jobs.test_serving import Worker, ref_of, version_of
from tests.records.test_model_control import record, ref

RULE = Promotion(after=4, agreement=0.75, errors=0.25, latency_ms=10)


def progress(took_ms: float = 1.0, bad: int = 0, other: int = 0, count: int = RULE.after) -> Progress:
    """After `count` answers, some of which are errors or name another cause."""
    made = Progress(RULE)
    for number in range(count):
        made.note(took_ms, number < bad)
        made.compare(number >= other)
    return made


def test_figures_within_the_limits_promote() -> None:
    assert progress(10.0, bad=1, other=1).passed() == {
        "scores": 4,
        "agreement": 0.75,
        "errors": 0.25,
        "latency_ms": 10.0,
    }


@pytest.mark.parametrize(
    "made", [progress(count=3), progress(bad=2), progress(other=2), progress(10.1)], ids=range(4)
)
def test_too_few_or_beyond_a_limit_does_not(made: Progress) -> None:
    assert made.passed() is None


def test_the_newest_count() -> None:
    made = progress(50.0, bad=4, other=4)
    for _ in range(RULE.after):
        assert made.passed() is None
        made.note(1.0, False)
        made.compare(True)
    assert made.passed() is not None


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    made = Worker(bundle(tmp_path / "own"))
    yield made
    made.close()


def graph_of(tried: ModelRecord) -> str:
    """A graph that the candidate answers for, where it answers for any."""
    assert tried.candidate is not None
    share = tried.candidate.share
    return next(name for name in map(str, range(999)) if covers("loudest", name, share))


def next_record(worker: Worker, tried: ModelRecord) -> ModelRecord:
    """Scores until the worker promotes; its record, taken as the job takes it."""
    before, end = len(worker.controls()), time.monotonic() + 300
    while len(worker.controls()) == before:
        assert time.monotonic() < end
        worker.event(tried, graph=graph_of(tried))
    (written,) = worker.controls()[before:]
    state, decision = step(ModelState(tried), Outcome("name", written, 0, 1, None, 1.0))
    assert decision is not None
    assert (decision.state, state.record) == ("live", written)
    worker.send(Row("", MODEL, 0, written.model_dump_json().encode()))
    return written


def test_from_shadow_to_canary_to_full_and_each_step_is_in_the_audit(worker: Worker, tmp_path: Path) -> None:
    second = ref_of(bundle(tmp_path, version=2, factor=2.0))
    rule = Promotion(after=5, latency_ms=60_000, share=0.5)
    shadow = record(candidate=Candidate(bundle=second, stage="shadow", promote=rule))
    canary = next_record(worker, shadow)
    assert canary.candidate == Candidate(bundle=second, stage="canary", share=0.5, promote=rule)
    assert (canary.live, canary.by, canary.replaces) == (None, "job", "r1")
    outside = next(name for name in map(str, range(999)) if not covers("loudest", name, 0.5))
    assert version_of(worker.event(canary, graph=outside)) == "1"
    full = next_record(worker, canary)
    assert (full.live, full.previous, full.candidate) == (second, None, None)
    assert version_of(worker.event(full, graph=outside)) == "2"
    lines = worker.lines("model_promotion")
    assert [(line["was"], line["stage"], line["scores"], line["agreement"]) for line in lines] == [
        ("shadow", "canary", 5, 1.0),
        ("canary", "full", 5, 1.0),
    ]
    assert full.reason is not None
    assert "100% of 5 scores agree" in full.reason


def test_one_that_disagrees_is_taken_back_and_never_promoted(worker: Worker, tmp_path: Path) -> None:
    contrary = ref_of(bundle(tmp_path, version=2, fault="is contrary", always=False))
    rule = Promotion(after=2, latency_ms=60_000)
    shadow = record(candidate=Candidate(bundle=contrary, stage="shadow", promote=rule))
    worker.until(shadow, lambda event: bool(worker.lines("model_rollback")))
    assert worker.lines("model_promotion") == []
    assert [each.candidate for each in worker.controls()] == [None]


def test_what_is_published_meanwhile_wins_over_a_promotion() -> None:
    shadow = record(candidate=Candidate(bundle=ref(2), stage="shadow", promote=RULE))
    newer = record(live=ref(3), request="r9")
    late = shadow.promoted("promoted", 5)
    state, decision = step(ModelState(newer), Outcome("name", late, 0, 1, None, 1.0))
    assert decision is not None
    assert (decision.state, state.record) == ("passed_over", newer)
