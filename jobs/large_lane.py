"""The operator `score-large`: scores large graphs apart, so that no other graph waits for one of them.

An asynchronous operator ends each of its bundles with the slowest answer, and with it checkpoints and what
comes after. This one has its answers made on a thread of its own and asks for them now and then, so that it
always reads on: what it waits for is in keyed state, and is scored again after a restore. The frame rows of
large graphs come once each and are kept here, so that a request need not hold all of them. Where all sources
end it waits in place instead, since answers then must not depend on how busy the machine is. Imports pyflink.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final

from pyflink.common import Row, Types
from pyflink.datastream import KeyedProcessFunction, RuntimeContext, TimeDomain
from pyflink.datastream.state import MapStateDescriptor

from jobs.incident_state import StateError
from jobs.rows import FRAME, observation_type
from jobs.score import ScoreRequests
from jobs.wire import SCORE, place_of, prefix_of, read_request, write_request

ASK_MS: Final = 20
"""So often it is asked whether an answer is there."""
END: Final = 2**63 - 1
"""The last moment of event time, which a job reaches that is drained."""


@dataclass(frozen=True)
class Begun:
    """An answer that is being made, and the times of the frame rows that a restore needs to make it again."""

    answer: Future[list[Row]]
    times: tuple[int, ...]


class LargeLane(KeyedProcessFunction):
    """Requests and frame rows of large graphs in, drafts out.

    `waiting`: most answers that are waited for; `window_ticks`: T; `in_place`: see above.
    """

    def __init__(self, score: ScoreRequests, waiting: int, window_ticks: int, in_place: bool) -> None:
        self._score = score
        self._most = waiting
        self._rows_kept = window_ticks
        self._in_place = in_place

    def open(self, runtime_context: RuntimeContext) -> None:
        """Called once in the worker: loads the model and starts the thread."""
        self._score.open(runtime_context)
        content = Types.PRIMITIVE_ARRAY(Types.BYTE())
        self._ring = runtime_context.get_map_state(MapStateDescriptor("ring", Types.LONG(), content))
        self._pending = runtime_context.get_map_state(
            MapStateDescriptor("pending", Types.LONG(), observation_type())
        )
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="score-large", daemon=True)
        self._thread.start()
        self._begun: dict[str, dict[int, Begun]] = {}
        """By graph and place; a graph that is not in it was not met since the start."""

    def close(self) -> None:
        """Called once when the worker ends."""
        loop = getattr(self, "_loop", None)
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join(timeout=1.0)
        self._score.close()

    def process_element(self, value: Row, ctx: KeyedProcessFunction.Context) -> Iterator[Row]:
        """A request, a frame row, or which bundles serve."""
        graph, kind, at, payload = value
        begun = self._of(graph)
        if kind == FRAME:
            self._keep(at, payload, begun)
            return
        place = place_of(bytes(payload)) if kind == SCORE else None
        if place is None or self._in_place:
            yield from self._begin(value).answer.result()
            return
        if sum(map(len, self._begun.values())) >= self._most:
            yield self._score.instead(self._filled(value)[0], "busy")
            return
        self._pending.put(place, value)
        begun[place] = self._begin(value)
        service = ctx.timer_service()
        service.register_processing_time_timer(service.current_processing_time() + ASK_MS)
        service.register_event_time_timer(END)

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[Row]:
        """Tells a graph's answers that are there, in their order; at the end of event time waits for all."""
        begun, last = self._of(ctx.get_current_key()), ctx.time_domain() == TimeDomain.EVENT_TIME
        for place in sorted(begun):
            if last or begun[place].answer.done():
                self._pending.remove(place)
                yield from begun.pop(place).answer.result()
        service = ctx.timer_service()
        if begun:
            service.register_processing_time_timer(service.current_processing_time() + ASK_MS)
        elif not last:
            service.delete_event_time_timer(END)

    def _of(self, graph: str) -> dict[int, Begun]:
        """The graph's answers by place; after a restore what was pending is begun again, before rows go."""
        if graph not in self._begun:
            waiting = {place: self._pending.get(place) for place in sorted(self._pending.keys())}
            self._begun[graph] = {place: self._begin(value) for place, value in waiting.items()}
        return self._begun[graph]

    def _keep(self, at: int, payload: bytes, begun: dict[int, Begun]) -> None:
        self._ring.put(at, payload)
        needed = {time for each in begun.values() for time in each.times}
        for old in sorted(self._ring.keys())[: -self._rows_kept]:
            if old not in needed:
                self._ring.remove(old)

    def _filled(self, value: Any) -> tuple[Row, tuple[int, ...]]:
        """The row with the frame rows that the request only names, and their times; what cannot be read stays
        as it is."""
        graph, kind, at, payload = value
        data = bytes(payload)
        try:
            request = read_request(data)
        except StateError:
            return Row(graph, kind, at, data), ()
        full = write_request(request.filled(self._row))
        return Row(graph, kind, at, prefix_of(data) + full), request.elsewhere

    def _row(self, at: int) -> bytes | None:
        found = self._ring.get(at)
        return None if found is None else bytes(found)

    def _begin(self, value: Any) -> Begun:
        """Its rows to come. None of them raises: the operator's edge is in the coroutine."""
        row, times = self._filled(value) if value[1] == SCORE else (value, ())
        return Begun(asyncio.run_coroutine_threadsafe(self._score.async_invoke(row), self._loop), times)
