"""Batching: what arrives together is scored together, an error costs only its own, nothing waits for ever."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from jobs.batching import MAX_BATCH, Batcher, Result
from onnx_models.encoding import encode
from onnx_models.errors import ScoringError
from onnx_models.fallback import rank_by_deviation
from onnx_models.scores import Scores
from onnx_models.snapshot import Snapshot
from tests.jobs.rows import frame_row

SNAPSHOT = encode([frame_row(0)])
WAIT_S = 120.0
"""Far more than any machine needs: only what never ends takes so long."""
BAD = encode([frame_row(1)])


def score(snapshot: Snapshot) -> Scores:
    if snapshot is BAD:
        raise ScoringError("nonfinite_score", "bad")
    return rank_by_deviation(snapshot)


def run(batcher: Batcher, snapshots: Sequence[Snapshot]) -> list[Result | BaseException]:
    async def everything() -> list[Result | BaseException]:
        return list(await asyncio.gather(*map(batcher.score, snapshots), return_exceptions=True))

    try:
        return asyncio.run(everything())
    finally:
        batcher.close()


def test_what_arrives_together_is_scored_together() -> None:
    batcher = Batcher(score, 0.087)
    results = run(batcher, [SNAPSHOT] * 10)
    assert all(isinstance(result, Scores) for result in results)
    assert batcher.sizes == [10]


def test_a_batch_is_bounded() -> None:
    batcher = Batcher(score, 0.087)
    assert len(run(batcher, [SNAPSHOT] * (MAX_BATCH + 1))) == MAX_BATCH + 1
    assert batcher.sizes == [MAX_BATCH, 1]


def test_an_error_costs_only_its_own_snapshot() -> None:
    results = run(Batcher(score, 0.087), [SNAPSHOT, BAD, SNAPSHOT])
    assert [type(result) for result in results] == [Scores, ScoringError, Scores]


def test_what_the_scorer_raises_reaches_all_who_wait() -> None:
    def broken(snapshot: Snapshot) -> Scores:
        raise MemoryError("no room")

    results = run(Batcher(broken, 0.087), [SNAPSHOT] * 3)
    assert [type(result) for result in results] == [MemoryError] * 3


def test_snapshots_that_come_while_one_is_scored_form_the_next_batch() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def held(snapshot: Snapshot) -> Scores:
        begun.set()
        assert go_on.wait(WAIT_S)
        return score(snapshot)

    batcher = Batcher(held, 0.087)

    async def two_waves() -> None:
        first = asyncio.ensure_future(batcher.score(SNAPSHOT))
        await asyncio.to_thread(begun.wait, WAIT_S)
        later = [asyncio.ensure_future(batcher.score(SNAPSHOT)) for _ in range(5)]
        await asyncio.sleep(0)  # each of them has joined
        go_on.set()
        await asyncio.gather(first, *later)

    asyncio.run(two_waves())
    batcher.close()
    assert batcher.sizes == [1, 5]


@pytest.mark.parametrize("budget_s", [0.0, 10 * WAIT_S])
def test_a_lone_snapshot_does_not_wait_for_the_whole_budget(budget_s: float) -> None:
    batcher = Batcher(score, budget_s)
    result = asyncio.run(asyncio.wait_for(batcher.score(SNAPSHOT), WAIT_S))
    batcher.close()
    assert isinstance(result, Scores)


def test_what_takes_too_long_is_an_error_and_the_next_is_scored() -> None:
    go_on = threading.Event()

    def held(snapshot: Snapshot) -> Scores:
        if snapshot is BAD:
            assert go_on.wait(WAIT_S)
        return score(snapshot)

    async def both(batcher: Batcher) -> list[Result]:
        first = await batcher.score(BAD)
        go_on.set()
        return [first, await batcher.score(SNAPSHOT)]

    batcher = Batcher(held, 0.0, lambda snapshot: 0.01 if snapshot is BAD else WAIT_S)
    late, scores = asyncio.run(both(batcher))
    batcher.close()
    assert isinstance(late, ScoringError)
    assert late.reason == "timeout"
    assert isinstance(scores, Scores)


def test_of_what_waits_the_most_urgent_is_scored_first() -> None:
    begun, go_on = threading.Event(), threading.Event()
    scored: list[Snapshot] = []
    others = [encode([frame_row(tick)]) for tick in range(3)]

    def held(snapshot: Snapshot) -> Scores:
        scored.append(snapshot)
        if snapshot is SNAPSHOT:
            begun.set()
            assert go_on.wait(WAIT_S)
        return score(snapshot)

    async def everything(batcher: Batcher) -> None:
        first = asyncio.ensure_future(batcher.score(SNAPSHOT))
        await asyncio.to_thread(begun.wait, WAIT_S)
        rest = [
            asyncio.ensure_future(batcher.score(each, urgency))
            for each, urgency in zip(others, (2, 0, 1), strict=True)
        ]
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(first, *rest)

    batcher = Batcher(held, 0.0)
    asyncio.run(everything(batcher))
    batcher.close()
    assert scored == [SNAPSHOT, others[1], others[2], others[0]]
