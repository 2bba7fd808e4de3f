"""The operator `incidents`: keyed by graph, keeps the ring of frame rows and lives the life of an incident.

A thin adapter around jobs.incident: rows in, events to `step`, its outputs to state, timers and rows.
live_incidents.py adds to it that bundles change while the job runs.
Imports pyflink.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import orjson
from pydantic import ValidationError
from pyflink.common import Row, Types
from pyflink.datastream import KeyedProcessFunction, OutputTag, RuntimeContext
from pyflink.datastream.state import MapStateDescriptor, ValueStateDescriptor

from jobs.alerts import Alert, alert_of
from jobs.grouping import Incident
from jobs.incident import (
    Event,
    Forget,
    Framed,
    Matched,
    Output,
    Resolve,
    Score,
    Settings,
    State,
    Wake,
    Woken,
    step,
)
from jobs.incident_state import read_state, write_state
from jobs.quiet import HUSHED, Quiet, hushed
from jobs.rows import (
    DEAD_LETTERS_TOPIC,
    FRAME,
    FRAMES_TOPIC,
    MATCH,
    MATCHES_TOPIC,
    audit,
    observation_type,
    record,
    record_type,
)
from jobs.wire import END, SCORE, End, Request, pick, placed, write_end, write_request
from records.errors import FrameError
from records.frames import count_nodes, read_frame_row
from records.matches import Match
from records.model_control import ModelRecord

log = logging.getLogger(__name__)


def records_tag() -> OutputTag:
    """The side output with what goes to the sinks as it came.

    Matches, frames, and rows that cannot be read.
    """
    return OutputTag("records", record_type())


def large_tag() -> OutputTag:
    """The side output with the requests and frame rows of large graphs, which are scored apart."""
    return OutputTag("large", observation_type())


class Lives:
    """What `incidents` does with observations of one graph, whichever way it runs.

    `publish_frames`, `publish_matches`: whether they also go to the sinks. `quiet`: matches that open no
    incident. `large_nodes`: a graph with more is large.
    """

    def __init__(
        self,
        settings: Settings,
        publish_frames: bool,
        publish_matches: bool,
        quiet: Sequence[Quiet] = (),
        large_nodes: int = 1_000,
    ) -> None:
        self._settings = settings
        self._large_nodes = large_nodes
        self._quiet = quiet
        self._publish = {FRAME: publish_frames, MATCH: publish_matches}

    def open(self, runtime_context: RuntimeContext) -> None:
        """Called once in the worker."""
        self.models: ModelRecord | None = None
        content = Types.PRIMITIVE_ARRAY(Types.BYTE())
        self._tag, self._large = records_tag(), large_tag()
        self._place = runtime_context.get_state(ValueStateDescriptor("place", Types.LONG()))
        self._state = runtime_context.get_state(ValueStateDescriptor("incident", content))
        self._ring = runtime_context.get_map_state(MapStateDescriptor("ring", Types.LONG(), content))
        group = runtime_context.get_metrics_group()
        self._counters = {
            name: group.counter(name) for name in ("requests", "ended", "unreadable", "dry_run", HUSHED)
        }

    def observed(self, value: Row, ctx: Any) -> Iterator[Any]:
        """One frame row or match of the graph."""
        graph, kind, time, payload = value
        try:
            event = _read(kind, payload)
        except (FrameError, ValidationError, orjson.JSONDecodeError) as error:
            self._counters["unreadable"].inc()
            yield self._tag, _dead_letter(graph, kind, payload, error)
            return
        if self._publish[kind]:
            yield self._tag, _as_it_came(graph, kind, time, payload)
        if event is None:
            self._counters["dry_run"].inc()
            return
        if isinstance(event, Matched) and (why := self._hushed(graph, event.alert)) is not None:
            self._counters[HUSHED].inc()
            yield self._tag, audit(graph, {"type": HUSHED, **_about(event.alert), "why": why.reason})
            return
        if isinstance(event, Framed):
            self._ring.put(event.row.time, payload)
            if self._is_large(bytes(payload)):
                yield self._large, value
        yield from self._step(graph, event, ctx)

    def _hushed(self, graph: str, alert: Alert) -> Quiet | None:
        return hushed(self._quiet, graph, alert.node, alert.pattern, alert.time)

    def woken(self, timestamp: int, ctx: Any) -> Iterator[Any]:
        """Event time reached a moment that was asked for."""
        yield from self._step(ctx.get_current_key(), Woken(timestamp), ctx)

    def _step(self, graph: str, event: Event, ctx: Any) -> Iterator[Any]:
        stored = self._state.value()
        before = State(graph) if stored is None else read_state(bytes(stored))
        after, outputs = step(before, event, self._settings)
        for output in outputs:
            yield from self._act(graph, output, ctx)
        if after != before:
            self._state.update(write_state(after))

    def _act(self, graph: str, output: Output, ctx: Any) -> Iterator[Any]:
        match output:
            case Score(incident, time, ring):
                self._counters["requests"].inc()
                yield self._asked(graph, incident, time, ring)
            case Resolve(incident, time, ending, since):
                self._counters["ended"].inc()
                ended = write_end(End(incident.id, time, ending, since))
                yield Row(graph, END, time, self._placed(ended))
            case Forget(times):
                for at in times:
                    self._ring.remove(at)
            case Wake(time):
                ctx.timer_service().register_event_time_timer(time)

    def _asked(self, graph: str, incident: Incident, time: int, ring: Sequence[int]) -> Any:
        """The request; that of a large graph goes apart, without the rows that went there before."""
        stored = {at: bytes(row) for at in ring if (row := self._ring.get(at)) is not None}
        request = Request(graph, time, incident, pick(ring, stored), self.models)
        if not request.rows or not self._is_large(request.rows[-1]):
            return Row(graph, SCORE, time, self._placed(write_request(request)))
        there = tuple(at for at in ring if at in stored and self._is_large(stored[at]))
        rows = tuple(b"" if self._is_large(row) else row for row in request.rows)
        short = replace(request, rows=rows, elsewhere=there)
        return self._large, Row(graph, SCORE, time, self._placed(write_request(short)))

    def _is_large(self, row: bytes) -> bool:
        return count_nodes(row) > self._large_nodes

    def _placed(self, payload: bytes) -> bytes:
        place = self._place.value() or 0
        self._place.update(place + 1)
        return placed(place, payload)


class Incidents(KeyedProcessFunction):
    """Observations of one graph in, requests and endings out; the configuration's bundle serves."""

    def __init__(self, lives: Lives) -> None:
        self._lives = lives

    def open(self, runtime_context: RuntimeContext) -> None:
        """Called once in the worker."""
        self._lives.open(runtime_context)

    def process_element(self, value: Row, ctx: KeyedProcessFunction.Context) -> Iterator[Any]:
        """One frame row or match of the graph."""
        return self._lives.observed(value, ctx)

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[Any]:
        """Event time reached a moment that was asked for."""
        return self._lives.woken(timestamp, ctx)


def _read(kind: str, payload: bytes) -> Event | None:
    """The event in a row; a pattern that ran out of time comes only where it says that this counts.

    None for a match of a pattern that is only tried.
    """
    if kind == FRAME:
        return Framed(read_frame_row(bytes(payload)))
    match = Match.model_validate_json(payload)
    return None if match.dry_run else Matched(alert_of(match))


def _about(alert: Alert) -> dict[str, Any]:
    return {"time": alert.time, "node": alert.node, "signal": alert.signal, "pattern": alert.pattern}


def _as_it_came(graph: str, kind: str, time: int, payload: bytes) -> Row:
    topic = FRAMES_TOPIC if kind == FRAME else MATCHES_TOPIC
    content = "application/octet-stream" if kind == FRAME else "application/json"
    return record(topic, graph, payload, {"content-type": content, "graph": graph, "time": str(time)})


def _dead_letter(graph: str, kind: str, payload: bytes, error: Exception) -> Row:
    log.warning("stage=incidents graph=%s kind=%s reason=unreadable error=%s", graph, kind, error)
    headers = {"reason": "unreadable", "stage": "incidents", "kind": kind, "error": str(error)[:500]}
    return record(DEAD_LETTERS_TOPIC, graph, payload, headers)
