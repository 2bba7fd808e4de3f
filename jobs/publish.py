"""The operator `publish`: keyed by graph, numbers the revisions and writes events for the sinks.

A thin adapter around jobs.revisions. Imports pyflink.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson
from pydantic import ValidationError
from pyflink.common import Row, Types
from pyflink.datastream import KeyedProcessFunction, RuntimeContext
from pyflink.datastream.state import MapStateDescriptor, ValueStateDescriptor

from jobs.in_turn import InTurn
from jobs.quiet import HUSHED, Quiet, hushed
from jobs.revisions import State, Tell, read_state, step, write_state
from jobs.rows import DEAD_LETTERS_TOPIC, INCIDENTS_TOPIC, audit, model_record, record
from jobs.score import CONTROL, FAILED, TOLD
from jobs.suspicion import suspected
from jobs.wire import DRAFT, End, read_end
from records.cloudevents import to_cloudevent
from records.feedback import Feedback
from records.incidents import IncidentEvent

STATUSES, METHODS = ("opened", "updated", "resolved", "retracted"), ("model", "fallback")
LINES = ("breaker", "model_compared", "model_error", "model_rollback", "model_promotion", "model_not_loaded")
"""Types of the audit's lines that `score` writes."""
FEEDBACK: Final = "feedback"
"""Kind of a row that holds a verdict."""
HELD_BACK: Final = "held_back"
"""What a line of the audit says of a suspected incident; the counter is `suspected`."""


class Publish(KeyedProcessFunction):
    """Drafts, endings and verdicts of one graph in, records for the sinks out.

    `source`: the CloudEvents' source. `quiet`: causes that open no incident. `control`: the control topic.
    `hold_below`: see jobs.suspicion.
    """

    def __init__(
        self, source: str, resend_ms: int, quiet: Sequence[Quiet], control: str, hold_below: float = 0.0
    ) -> None:
        self._source = source
        self._control = control
        self._resend_ms = resend_ms
        self._quiet = quiet
        self._hold_below = hold_below

    def open(self, runtime_context: RuntimeContext) -> None:
        """Called once in the worker."""
        content = Types.PRIMITIVE_ARRAY(Types.BYTE())
        self._state = runtime_context.get_state(ValueStateDescriptor("revisions", content))
        self._turns = InTurn(
            runtime_context.get_state(ValueStateDescriptor("turn", content)),
            runtime_context.get_map_state(MapStateDescriptor("early", Types.LONG(), content)),
        )
        group = runtime_context.get_metrics_group()
        names = (*STATUSES, *METHODS, *LINES, FAILED, HUSHED, "suspected")
        self._counters = {name: group.counter(name) for name in names}

    def process_element(self, value: Row, ctx: KeyedProcessFunction.Context) -> Iterator[Row]:
        """One draft, ending or failed request, a line for the audit or a record for the control topic."""
        graph, kind, _, payload = value
        if kind == TOLD:
            line = orjson.loads(bytes(payload))
            self._counters[line["type"]].inc()
            yield audit(graph, line)
        elif kind == CONTROL:
            yield model_record(self._control, payload)
        elif kind == FEEDBACK:
            yield from self._judge(graph, payload, ctx)
        else:
            for what, body in self._turns.take(kind, bytes(payload)):
                yield from self._answered(graph, what, body, ctx)

    def _answered(self, graph: str, kind: str, payload: bytes, ctx: Any) -> Iterator[Row]:
        """A draft, an ending or a failed request, in the order in which they were asked for."""
        if kind == FAILED:
            self._counters[FAILED].inc()
            headers = {"reason": "not_ranked", "stage": "score"}
            yield record(DEAD_LETTERS_TOPIC, graph, payload, headers)
            return
        event: IncidentEvent | End
        if kind == DRAFT:
            event = IncidentEvent.model_validate_json(payload)
            self._counters[event.method].inc()
            yield audit(graph, _scored(event))
        else:
            event = read_end(payload)
        yield from self._step(event, ctx)

    def _judge(self, graph: str, payload: bytes, ctx: Any) -> Iterator[Row]:
        try:
            given = Feedback.model_validate_json(payload)
        except ValidationError as error:
            self._counters[FAILED].inc()
            headers = {"reason": "unreadable", "stage": "publish", "kind": FEEDBACK}
            yield record(DEAD_LETTERS_TOPIC, graph, payload, {**headers, "error": str(error)[:500]})
            return
        about = {"incident_id": given.incident_id, "verdict": given.verdict, "time": given.time}
        yield audit(graph, {"type": "judged", **about})
        yield from self._step(given, ctx)

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[Row]:
        """A resend interval is over."""
        yield from self._step(timestamp, ctx)

    def _step(self, event: IncidentEvent | End | Feedback | int, ctx: Any) -> Iterator[Row]:
        stored = self._state.value()
        before = State() if stored is None else read_state(bytes(stored))
        if isinstance(event, IncidentEvent) and before.track(event.incident_id) is None:
            why = self._hushed(event)
            if why is not None:
                self._counters[HUSHED].inc()
                yield audit(event.graph, {"type": HUSHED, **_about(event), "why": why.reason})
                return
            if suspected(event, self._hold_below):
                self._counters["suspected"].inc()
                probability = event.anomaly_probability
                yield audit(
                    event.graph, {"type": HELD_BACK, **_about(event), "anomaly_probability": probability}
                )
                return
        after, outputs = step(before, event, self._resend_ms)
        for output in outputs:
            if isinstance(output, Tell):
                self._counters[output.event.status].inc()
                yield self._record(output.event)
            else:
                ctx.timer_service().register_event_time_timer(output.time)
        if after != before:
            self._state.update(write_state(after))

    def _hushed(self, event: IncidentEvent) -> Quiet | None:
        if not event.root_causes:
            return None
        return hushed(self._quiet, event.graph, event.root_causes[0].node, None, event.time)

    def _record(self, event: IncidentEvent) -> Row:
        message = to_cloudevent(event, source=self._source)
        return Row(INCIDENTS_TOPIC, message.key, message.value, dict(message.headers))


def _about(draft: IncidentEvent) -> dict[str, Any]:
    """Which incident at which time, and its first cause."""
    first = draft.root_causes[0] if draft.root_causes else None
    return {
        "time": draft.time,
        "incident_id": draft.incident_id,
        "node": first and first.node,
        "signal": first and first.signal,
    }


def _scored(draft: IncidentEvent) -> dict[str, Any]:
    """The audit's line about an answer, told or not."""
    return {
        "type": "scored",
        **_about(draft),
        "method": draft.method,
        "reason": draft.reason,
        "confidence_score": draft.confidence_score,
        "anomaly_probability": draft.anomaly_probability,
        "input_hash": draft.input_hash,
        "model": draft.model and f"{draft.model.name}-{draft.model.version}",
    }
