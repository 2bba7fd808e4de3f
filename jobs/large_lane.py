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
MORE_ROWS: Final = 5
"""Rows that are kept beyond the window, for what is scored again after a restore."""
END: Final = 2**63 - 1
"""The last moment of event time, which a job reaches that is drained."""


class LargeLane(KeyedProcessFunction):
    """Requests and frame rows of large graphs in, drafts out.

    `waiting`: most answers that are waited for; `window_ticks`: T; `in_place`: see above.
    """

    def __init__(self, score: ScoreRequests, waiting: int, window_ticks: int, in_place: bool) -> None:
        self._score = score
        self._most = waiting
        self._rows_kept = window_ticks + MORE_ROWS
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
        self._answers: dict[tuple[str, int], Future[list[Row]]] = {}

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
        if kind == FRAME:
            self._keep(at, payload)
            return
        place = place_of(bytes(payload)) if kind == SCORE else None
        if place is None or self._in_place:
            yield from self._begin(value).result()
            return
        if len(self._answers) >= self._most:
            yield self._score.instead(self._filled(value), "busy")
            return
        self._pending.put(place, value)
        self._answers[graph, place] = self._begin(value)
        service = ctx.timer_service()
        service.register_processing_time_timer(service.current_processing_time() + ASK_MS)
        service.register_event_time_timer(END)

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[Row]:
        """Tells a graph's answers that are there, in their order; at the end of event time waits for all."""
        graph, last = ctx.get_current_key(), ctx.time_domain() == TimeDomain.EVENT_TIME
        left = 0
        for place in sorted(self._pending.keys()):
            answer = self._answers.get((graph, place))
            if answer is None:
                answer = self._answers[graph, place] = self._begin(self._pending.get(place))
            if not (last or answer.done()):
                left += 1
                continue
            del self._answers[graph, place]
            self._pending.remove(place)
            yield from answer.result()
        service = ctx.timer_service()
        if left:
            service.register_processing_time_timer(service.current_processing_time() + ASK_MS)
        elif not last:
            service.delete_event_time_timer(END)

    def _keep(self, at: int, payload: bytes) -> None:
        self._ring.put(at, payload)
        for old in sorted(self._ring.keys())[: -self._rows_kept]:
            self._ring.remove(old)

    def _filled(self, value: Any) -> Row:
        """The row with the frame rows that the request only names; what cannot be read stays as it is."""
        graph, kind, at, payload = value
        data = bytes(payload)
        try:
            request = read_request(data).filled(self._row)
        except StateError:
            return Row(graph, kind, at, data)
        return Row(graph, kind, at, prefix_of(data) + write_request(request))

    def _row(self, at: int) -> bytes | None:
        found = self._ring.get(at)
        return None if found is None else bytes(found)

    def _begin(self, value: Any) -> Future[list[Row]]:
        """Its rows to come. None of them raises: the operator's edge is in the coroutine."""
        row = self._filled(value) if value[1] == SCORE else value
        return asyncio.run_coroutine_threadsafe(self._score.async_invoke(row), self._loop)
