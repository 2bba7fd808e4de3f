"""The operator `incidents` of a job with a control topic: which bundle a graph is scored with may change.

A thin adapter around jobs.incidents and jobs.model_state. Every subtask keeps in broadcast state which
bundles serve, answers on the audit for each record, and names them in each request. Imports pyflink.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

from pyflink.common import Row, Types
from pyflink.datastream import KeyedBroadcastProcessFunction, RuntimeContext
from pyflink.datastream.state import MapStateDescriptor

from jobs.incidents import Lives, large_tag, records_tag
from jobs.model_state import (
    Decision,
    ModelState,
    Teller,
    read_outcome,
    read_state,
    restated,
    step,
    write_state,
)
from jobs.models import MODEL
from jobs.rows import audit_of_job, model_record

_KEY: Final = "models"


def models_state() -> MapStateDescriptor:
    """The broadcast state: one entry, which bundles serve."""
    return MapStateDescriptor("models", Types.STRING(), Types.PRIMITIVE_ARRAY(Types.BYTE()))


class LiveIncidents(KeyedBroadcastProcessFunction[str, Row, Row, Row]):
    """As Incidents; `job`: its name in answers, `own`: name and version of the configuration's bundle.

    `topic`: the control topic; None where the job cannot write to it.
    """

    def __init__(self, lives: Lives, job: str, own: str, topic: str | None = None) -> None:
        self._lives = lives
        self._job = job
        self._own = own
        self._topic = topic

    def open(self, runtime_context: RuntimeContext) -> None:
        """Called once in the worker."""
        self._lives.open(runtime_context)
        self._descriptor = models_state()
        self._tag = records_tag()
        subtask = runtime_context.get_index_of_this_subtask()
        subtasks = runtime_context.get_number_of_parallel_subtasks()
        self._teller = Teller(self._job, self._own, subtask, subtasks)
        self._state: ModelState | None = None

    def process_element(
        self, value: Row, ctx: KeyedBroadcastProcessFunction.ReadOnlyContext
    ) -> Iterator[Any]:
        """One frame row or match of the graph."""
        yield from self._begun(ctx)
        yield from self._lives.observed(value, ctx)

    def on_timer(self, timestamp: int, ctx: KeyedBroadcastProcessFunction.OnTimerContext) -> Iterator[Any]:
        """Event time reached a moment that was asked for."""
        yield from self._begun(ctx)
        yield from self._lives.woken(timestamp, ctx)

    def process_broadcast_element(
        self, value: Row, ctx: KeyedBroadcastProcessFunction.Context
    ) -> Iterator[Any]:
        """What a worker made of a record of the control topic."""
        yield from self._begun(ctx)
        before = self._known(ctx)
        after, decision = step(before, read_outcome(bytes(value[3])))
        self._state = after
        ctx.get_broadcast_state(self._descriptor).put(_KEY, write_state(after))
        if decision is not None:
            yield self._tag, audit_of_job(self._job, self._teller.ack(decision))
            yield from self._restated(after, decision)
        if after.record != before.record:
            self._lives.models = after.record
            yield from self._in_force(after)

    def _restated(self, state: ModelState, decision: Decision) -> Iterator[Any]:
        """The record in force for the control topic, from one of the subtasks: all decide alike."""
        again = restated(state, decision)
        if again is not None and self._topic is not None and self._teller.subtask == 0:
            yield self._tag, model_record(self._topic, again.model_dump_json(exclude_none=True).encode())

    def _known(self, ctx: Any) -> ModelState:
        if self._state is None:
            stored = ctx.get_broadcast_state(self._descriptor).get(_KEY)
            self._state = ModelState() if stored is None else read_state(bytes(stored))
            self._lives.models = self._state.record
        return self._state

    def _begun(self, ctx: Any) -> Iterator[Any]:
        """Tells once after a start which bundles serve, the audit and `score`, which loads them."""
        if self._state is None:
            state = self._known(ctx)
            yield self._tag, audit_of_job(self._job, self._teller.live(state, int(time.time() * 1_000)))
            if state.record is not None:
                yield from self._in_force(state)

    def _in_force(self, state: ModelState) -> Iterator[Any]:
        """What both operators that score are told."""
        record = b"" if state.record is None else state.record.model_dump_json().encode()
        row = Row("", MODEL, 0, record)
        yield row
        yield large_tag(), row
