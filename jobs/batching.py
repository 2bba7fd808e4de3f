"""Collects snapshots that arrive together and has them scored in one go, off the event loop.

Owns the waiting; the scorer is handed in, so tests need no runtime. Imports onnx_models (no runtime),
asyncio.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from onnx_models.errors import ScoringError
from onnx_models.scores import Scores
from onnx_models.snapshot import Snapshot

Result = Scores | ScoringError
ScoreEach = Callable[[Sequence[Snapshot]], list[Result]]

LINGER_S: Final = 0.004
"""A batch is sent once nothing joined it for so long.

The rest of a bundle of Flink's arrives faster than that.
"""
MAX_BATCH: Final = 64


class Batcher:
    """Lives in one worker's event loop; `score_each` runs on one thread of its own, so one batch at a time.

    `budget_s`: a batch waits at most so long, less what scoring its size took lately, for others to join.
    """

    def __init__(self, score_each: ScoreEach, budget_s: float) -> None:
        self._score_each = score_each
        self._budget_s = budget_s
        self._waiting: list[tuple[Snapshot, asyncio.Future[Result]]] = []
        self._flush: asyncio.Task[None] | None = None
        self._joined = 0.0
        self._cost_s = 0.0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="score")
        self.sizes: list[int] = []

    @property
    def cost_ms(self) -> float:
        """Milliseconds that a snapshot of the newest answered batch took to score, without the waiting."""
        return self._cost_s * 1_000

    async def score(self, snapshot: Snapshot) -> Result:
        """The scores of `snapshot`, or the error that it alone met.

        Raises what the scorer raised, if it did.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        self._waiting.append((snapshot, future))
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
            batch, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
            await self._send(batch)
            began = loop.time()

    async def _send(self, batch: list[tuple[Snapshot, asyncio.Future[Result]]]) -> None:
        loop = asyncio.get_running_loop()
        started = loop.time()
        snapshots = [snapshot for snapshot, _ in batch]
        self.sizes = [*self.sizes[-99:], len(batch)]
        try:
            results = await loop.run_in_executor(self._thread, self._score_each, snapshots)
            pairs = list(zip(batch, results, strict=True))
        except Exception as error:  # noqa: BLE001  # the edge: whatever the scorer raised goes to those who wait
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
            return
        self._cost_s = (loop.time() - started) / len(batch)
        for (_, future), result in pairs:
            if not future.done():
                future.set_result(result)

    def close(self) -> None:
        """Ends the thread; a batch under way is not waited for."""
        self._thread.shutdown(wait=False, cancel_futures=True)
