"""The operator `score`: asynchronous, scores requests with ONNX Runtime and falls back where it cannot.

A thin adapter around jobs.serving and jobs.assess. Every request gets a draft: what times out, errs, is not
finite or meets an open breaker is ranked by another bundle that serves, else by the fallback, and says so;
nothing here fails the job. Counters are kept by publish: Beam's know only the thread that runs a bundle, and
here nothing else runs on it. Imports pyflink.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from dataclasses import asdict
from typing import Any, Final

import orjson
from pyflink.common import Row
from pyflink.datastream import AsyncFunction, RuntimeContext

from jobs.assess import Case, answered, fallen_back, open_case, urgency
from jobs.comparing import compared
from jobs.model_loading import load_model
from jobs.models import MODEL
from jobs.serving import Broken, Plan, Promoted, Served, ServeSettings, Serving, plan_of
from jobs.wire import DRAFT, SCORE, prefix_of, read_request
from onnx_models.errors import ScoringError
from onnx_models.scores import Scores
from records.incidents import IncidentEvent
from records.model_control import BundleRef, ModelRecord

log = logging.getLogger(__name__)

FAILED = "failed"
"""Kind of a row that holds a request nobody could rank, for the dead letters."""
TOLD = "told"
"""Kind of a row that holds a line for the audit."""
CONTROL = "control"
"""Kind of a row that holds a record for the control topic."""
COMPARE_WAIT_S: Final = 0.05
"""So long an answer waits for the bundle beside it; what takes longer is told with a later one."""


class ScoreRequests(AsyncFunction[Row, Row]):
    """Requests in, drafts out, in the same order; endings pass through.

    `own`: the configuration's bundle, as the job's author saw it, its path "" for the newest released one:
    another model in the workers is refused. `settings`: of all bundles that serve. `timeout_ms`: longest
    wait for an answer. `controls`: whether the job may write to its control topic.
    """

    def __init__(self, own: BundleRef, settings: ServeSettings, timeout_ms: int, controls: bool) -> None:
        self._own = own
        self._settings = settings
        self._timeout_s = timeout_ms / 1_000
        self._controls = controls

    def open(self, runtime_context: RuntimeContext) -> None:
        """Called once in the worker: loads, verifies and warms the model."""
        model = load_model(self._own.path, self._own.sha256, self._settings.provider)
        self._serving = Serving(self._own, model, self._settings, _now_ms)
        self._lines: deque[tuple[str, int, dict[str, Any]]] = deque()
        self._comparing: set[asyncio.Task[None]] = set()

    def close(self) -> None:
        """Called once when the worker ends."""
        serving = getattr(self, "_serving", None)
        if serving is not None:
            serving.close()

    async def async_invoke(self, value: Row) -> list[Row]:
        """The draft for one request, and what is to be told beside it."""
        graph, kind, at, payload = value
        if kind == MODEL:
            self._serving.take(ModelRecord.model_validate_json(payload) if payload else None)
            return self._told(graph, at)
        if kind != SCORE:
            return [value, *self._told(graph, at)]
        try:
            case = open_case(read_request(bytes(payload)))
            draft = _draft(value, await self._ranked(case, time.monotonic()))
        except Exception as error:  # noqa: BLE001  # the operator's edge: ranked by the fallback
            draft = self._without_model(value, "internal_error", error)
        return [draft, *self._told(graph, at)]

    async def _ranked(self, case: Case, began: float) -> IncidentEvent:
        if case.snapshot is None:
            return fallen_back(case, "no_frames")
        self._serving.take(case.request.models)
        plan = plan_of(case.request.models, case.request.graph, self._own)
        reasons: list[str] = []
        for bundle in plan.answer:
            told = await self._asked(case, bundle, reasons)
            if told is not None:
                await self._beside(case, plan, told, began)
                return answered(case, told[1], told[0].model.reference)
        return fallen_back(case, reasons[0])

    async def _asked(self, case: Case, bundle: BundleRef, reasons: list[str]) -> tuple[Served, Scores] | None:
        """A bundle and its scores; None where it has none, and the word for why goes to `reasons`."""
        served = self._serving.get(bundle)
        if served is None:
            reasons.append("model_not_ready")
            return None
        if not served.admits():
            reasons.append("breaker_open")
            return None
        assert case.snapshot is not None
        result = await served.score(case.snapshot, urgency(case))
        if isinstance(result, Scores):
            return served, result
        reasons.append(result.reason)
        self._say_error(case, served, result)
        return None

    def _say_error(self, case: Case, served: Served, error: ScoringError) -> None:
        request = case.request
        log.warning(
            "stage=score graph=%s incident=%s model=%s reason=%s error=%s",
            request.graph, request.incident.id, served.label, error.reason, error.message,
        )  # fmt: skip
        if served.trial is not None:
            line = {"type": "model_error", "incident_id": request.incident.id, "model": served.label}
            self._lines.append((request.graph, request.time, {**line, "reason": error.reason}))

    async def _beside(self, case: Case, plan: Plan, told: tuple[Served, Scores], began: float) -> None:
        """Has the bundle that stands beside the answer's scored and compared, and waits for it a little."""
        if plan.beside is None or plan.beside.sha256 == told[0].model.reference.sha256:
            return
        other = self._serving.get(plan.beside)
        if other is None or not other.admits():
            return
        task = asyncio.ensure_future(self._compare(case, plan, told, other))
        self._comparing.add(task)
        task.add_done_callback(self._comparing.discard)
        if time.monotonic() - began < self._timeout_s / 2 - COMPARE_WAIT_S:
            await asyncio.wait({task}, timeout=COMPARE_WAIT_S)

    async def _compare(self, case: Case, plan: Plan, told: tuple[Served, Scores], other: Served) -> None:
        assert case.snapshot is not None
        result = await other.score(case.snapshot)
        request = case.request
        if isinstance(result, ScoringError):
            self._say_error(case, other, result)
            return
        shadow = plan.stage == "shadow"
        candidate, live = ((other, result), told) if shadow else (told, (other, result))
        line = compared(case.snapshot, candidate[1], live[1])
        candidate[0].compared(bool(line["agree"]))
        head = {"type": "model_compared", "stage": plan.stage, "incident_id": request.incident.id}
        names = {"model": candidate[0].label, "live": live[0].label}
        self._lines.append((request.graph, request.time, {**head, **names, **line}))

    def timeout(self, value: Row) -> list[Row]:
        """Called on a timer's thread where no answer came in time."""
        if value[1] != SCORE:
            return [value]
        try:
            record = read_request(bytes(value[3])).models
            first = self._serving.get(plan_of(record, value[0], self._own).answer[0])
        except Exception as error:  # noqa: BLE001  # the operator's edge: ranked by the fallback
            return [self._without_model(value, "timeout", error)]
        if first is not None:
            first.note(None)
        return [self._without_model(value, "timeout", None), *self._told(value[0], value[2])]

    def _told(self, graph: str, at: int) -> list[Row]:
        """Lines for the audit that are waiting, and what goes to the control topic."""
        rows = []
        for served in self._serving.all():
            for change in [] if served.breaker is None else served.breaker.changes():
                log.warning("stage=score graph=%s breaker=%s reason=%s", graph, change.state, change.reason)
                rows.append(_line(graph, at, {"type": "breaker", "model": served.label, **asdict(change)}))
        while self._lines:
            rows.append(_line(*self._lines.popleft()))
        for broken in self._serving.broken():
            rows += self._taken_back(graph, at, broken)
        promoted = self._serving.promoted() if self._controls else None
        return rows if promoted is None else [*rows, *self._put_on(graph, at, promoted)]

    def _put_on(self, graph: str, at: int, promoted: Promoted) -> list[Row]:
        """The line about a candidate that a rule promotes, and the record that does it."""
        before, figures = promoted.record, promoted.figures
        why = (
            f"promoted: {figures['agreement']:.0%} of {figures['scores']} scores agree, "
            f"{figures['errors']:.0%} errors, {figures['latency_ms']:g} ms"
        )
        record = before.promoted(why, int(time.time() * 1_000))
        tried = before.candidate
        line = {
            "type": "model_promotion",
            "model": tried and tried.bundle.label,
            "stage": record.candidate.stage if record.candidate else "full",
            "was": tried and tried.stage,
            "request": before.request,
            **figures,
        }
        log.warning("stage=score model=%s event=model_promotion to=%s", line["model"], line["stage"])
        return [_line(graph, at, line), _control(graph, at, record)]

    def _taken_back(self, graph: str, at: int, broken: Broken) -> list[Row]:
        """The line about a bundle that is taken back or could not be loaded, and the record that says so."""
        live = broken.record.live is not None and broken.record.live.sha256 == broken.bundle.sha256
        candidate = broken.record.candidate
        line = {
            "type": "model_rollback" if broken.loaded else "model_not_loaded",
            "model": broken.bundle.label,
            "stage": "full" if live or candidate is None else candidate.stage,
            "reason": broken.reason,
            "request": broken.record.request,
        }
        log.error("stage=score model=%s event=%s reason=%s", line["model"], line["type"], broken.reason)
        rows = [_line(graph, at, line)]
        if broken.loaded and self._controls:
            now = int(time.time() * 1_000)
            record = broken.record.without(broken.bundle.sha256, broken.reason, now)
            rows.append(_control(graph, at, record))
        return rows

    def instead(self, value: Row, reason: str) -> Row:
        """The fallback's draft for a request that is not scored, with the word for why."""
        return self._without_model(value, reason, None)

    def _without_model(self, value: Row, reason: str, error: Exception | None) -> Row:
        """The fallback's draft for a request, or, where even that fails, the request itself as failed."""
        graph, _, at, payload = value
        log.warning("stage=score graph=%s time=%s reason=%s error=%r", graph, at, reason, error)
        try:
            return _draft(value, fallen_back(open_case(read_request(bytes(payload))), reason))
        except Exception as worse:  # noqa: BLE001  # the operator's edge: dead-lettered
            log.error("stage=score graph=%s time=%s reason=failed error=%r", graph, at, worse)
            return Row(graph, FAILED, at, payload)


def _line(graph: str, at: int, fields: dict[str, Any]) -> Row:
    return Row(graph, TOLD, at, orjson.dumps({"time": at, **fields}))


def _control(graph: str, at: int, record: ModelRecord) -> Row:
    return Row(graph, CONTROL, at, record.model_dump_json(exclude_none=True).encode())


def _now_ms() -> float:
    return time.monotonic() * 1_000


def _draft(request: Row, event: IncidentEvent) -> Row:
    """The draft in the place of its request."""
    graph, _, at, payload = request
    return Row(graph, DRAFT, at, prefix_of(bytes(payload)) + event.model_dump_json().encode())
