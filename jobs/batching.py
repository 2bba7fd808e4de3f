"""Collects snapshots that arrive together and has them scored one after the other, off the event loop.

Owns the waiting; the scorer is handed in, so tests need no runtime. Imports onnx_models (no runtime),
asyncio.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from onnx_models.errors import ScoringError
from onnx_models.scores import Scores
from onnx_models.snapshot import Snapshot

Result = Scores | ScoringError
Score = Callable[[Snapshot], Scores]
"""ScoringError where a snapshot cannot be scored."""
AllowedS = Callable[[Snapshot], float]

LINGER_S: Final = 0.001
"""A batch is sent once nothing joined it for so long.

The rest of a bundle of Flink's arrives faster than that.
"""
MAX_BATCH: Final = 64


@dataclass(frozen=True)
class Waiting:
    """A snapshot and who waits for its scores; the lowest `urgency` is scored first."""

    snapshot: Snapshot
    urgency: int
    future: asyncio.Future[Result]


class Batcher:
    """Lives in one worker's event loop; `score` runs on one thread of its own, so one snapshot at a time.

    `budget_s`: a batch waits at most so long, less what scoring its size took lately, for others to join.
    `allowed_s`: how long scoring a snapshot may take, then it is an error and the next is on; None for ever.
    """

    def __init__(self, score: Score, budget_s: float, allowed_s: AllowedS | None = None) -> None:
        self._score = score
        self._budget_s = budget_s
        self._allowed_s = allowed_s
        self._waiting: list[Waiting] = []
        self._flush: asyncio.Task[None] | None = None
        self._joined = 0.0
        self._cost_s = 0.0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="score")
        self.sizes: list[int] = []

    @property
    def cost_ms(self) -> float:
        """Milliseconds that a snapshot of the newest answered batch took to score, without the waiting."""
        return self._cost_s * 1_000

    async def score(self, snapshot: Snapshot, urgency: int = 0) -> Result:
        """The scores of `snapshot`, or the error that it alone met; of those that wait, the lowest `urgency`
        goes first.

        Raises what the scorer raised, if it did.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        self._waiting.append(Waiting(snapshot, urgency, future))
        self._joined = loop.time()
        if self._flush is None or self._flush.done():
            self._flush = loop.create_task(self._collect(self._joined))
        return await future

    async def _collect(self, began: float) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            left = self._budget_s - self._cost_s * len(self._waiting) - (loop.time() - began)
            quiet = loop.time() - self._joined
            if len(self._waiting) < MAX_BATCH and quiet < LINGER_S and left > 0:
                await asyncio.sleep(min(LINGER_S - quiet, left))
                continue
            self._waiting.sort(key=lambda each: each.urgency)
            batch, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
            self.sizes = [*self.sizes[-99:], len(batch)]
            for each in batch:
                await self._send(each)
            began = loop.time()

    async def _send(self, one: Waiting) -> None:
        """Scores one of a batch and tells at once, so that no other waits for the rest of it."""
        if one.future.done():
            return
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            result = await self._called(one.snapshot)
        except Exception as error:  # noqa: BLE001  # the edge: whatever the scorer raised goes to who waits
            if not one.future.done():
                one.future.set_exception(error)
            return
        self._cost_s = loop.time() - started
        if not one.future.done():
            one.future.set_result(result)

    async def _called(self, snapshot: Snapshot) -> Result:
        loop = asyncio.get_running_loop()
        call = loop.run_in_executor(self._thread, self._score, snapshot)
        allowed_s = None if self._allowed_s is None else self._allowed_s(snapshot)
        done, _ = await asyncio.wait({call}, timeout=allowed_s)
        if not done:
            # The runtime cannot be stopped: its thread ends the call, and the next waits within its own time.
            call.add_done_callback(lambda late: late.cancelled() or late.exception())
            return ScoringError("timeout", f"not scored within {allowed_s or 0.0:.3f} s")
        try:
            return call.result()
        except ScoringError as error:
            return error

    def close(self) -> None:
        """Ends the thread; a batch under way is not waited for."""
        self._thread.shutdown(wait=False, cancel_futures=True)
