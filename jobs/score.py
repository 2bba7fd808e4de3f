"""The operator `score`: asynchronous, scores requests with ONNX Runtime and falls back where it cannot.

A thin adapter around jobs.batching, jobs.breaker and jobs.assess. Every request gets a draft: what times
out, errs, is not finite or meets an open breaker is ranked by the fallback and says so; nothing here fails
the job. Counters are kept by publish: Beam's know only the thread that runs a bundle, and here nothing else
runs on it. Imports pyflink.
"""

from __future__ import annotations

import logging
import time
from dataclasses import asdict
from typing import Literal

import orjson
from pyflink.common import Row
from pyflink.datastream import AsyncFunction, RuntimeContext

from jobs.assess import Case, answered, fallen_back, open_case
from jobs.batching import Batcher, Result
from jobs.breaker import Breaker, BreakerSettings
from jobs.model_loading import LoadedModel, load_model
from jobs.wire import DRAFT, SCORE, read_request
from onnx_models.errors import ScoringError
from onnx_models.scores import Scores
from records.incidents import IncidentEvent

log = logging.getLogger(__name__)

FAILED = "failed"
"""Kind of a row that holds a request nobody could rank, for the dead letters."""
BREAKER = "breaker"
"""Kind of a row that says how the breaker changed, for the audit."""


class ScoreRequests(AsyncFunction[Row, Row]):
    """Requests in, drafts out, in the same order; endings pass through.

    `bundle`: a folder that the workers see, None for the newest released one; `sha256`: of its model, as
    the job's author saw it: another model in the workers is refused. `batch_ms`: the batcher's budget.
    `breaker`: None for none.
    """

    def __init__(
        self,
        bundle: str | None,
        sha256: str,
        provider: Literal["cpu", "gpu"],
        batch_ms: int,
        breaker: BreakerSettings | None,
    ) -> None:
        self._bundle = bundle
        self._sha256 = sha256
        self._provider = provider
        self._batch_ms = batch_ms
        self._settings = breaker

    def open(self, runtime_context: RuntimeContext) -> None:
        """Called once in the worker: loads, verifies and warms the model."""
        self._model: LoadedModel = load_model(self._bundle, self._sha256, self._provider)
        self._batcher = Batcher(self._model.score_each, self._batch_ms / 1_000)
        self._breaker = None if self._settings is None else Breaker(self._settings)

    def close(self) -> None:
        """Called once when the worker ends."""
        batcher = getattr(self, "_batcher", None)
        if batcher is not None:
            batcher.close()

    async def async_invoke(self, value: Row) -> list[Row]:
        """The draft for one request, and what the breaker did about it."""
        graph, kind, at, payload = value
        if kind != SCORE:
            return [value]
        try:
            case = open_case(read_request(bytes(payload)))
            draft = Row(graph, DRAFT, at, _bytes(await self._ranked(case)))
        except Exception as error:  # noqa: BLE001  # the operator's edge: ranked by the fallback
            draft = self._without_model(value, "internal_error", error)
        return [draft, *self._changes(graph, at)]

    async def _ranked(self, case: Case) -> IncidentEvent:
        if case.snapshot is None:
            return fallen_back(case, "no_frames")
        if self._breaker is not None and not self._breaker.admits(_now_ms()):
            return fallen_back(case, "breaker_open")
        try:
            result = await self._batcher.score(case.snapshot)
        except Exception:
            self._note(None)
            raise
        self._note(result)
        if isinstance(result, ScoringError):
            model = self._model.reference
            log.warning(
                "stage=score graph=%s incident=%s model=%s-%s reason=%s error=%s",
                case.request.graph, case.request.incident.id, model.name, model.version, result.reason,
                result.message,
            )  # fmt: skip
            return fallen_back(case, result.reason)
        return answered(case, result, self._model.reference)

    def timeout(self, value: Row) -> list[Row]:
        """Called on a timer's thread where no answer came in time."""
        if value[1] != SCORE:
            return [value]
        self._note(None)
        return [self._without_model(value, "timeout", None), *self._changes(value[0], value[2])]

    def _note(self, result: Result | None) -> None:
        if self._breaker is not None:
            confidence = result.confidence if isinstance(result, Scores) else None
            self._breaker.note(_now_ms(), self._batcher.cost_ms, confidence)

    def _changes(self, graph: str, at: int) -> list[Row]:
        """The audit's lines about the breaker, told with the request that met them."""
        if self._breaker is None:
            return []
        model = f"{self._model.reference.name}-{self._model.reference.version}"
        rows = []
        for change in self._breaker.changes():
            log.warning("stage=score graph=%s breaker=%s reason=%s", graph, change.state, change.reason)
            line = {"type": "breaker", "time": at, "model": model, **asdict(change)}
            rows.append(Row(graph, BREAKER, at, orjson.dumps(line)))
        return rows

    def _without_model(self, value: Row, reason: str, error: Exception | None) -> Row:
        """The fallback's draft for a request, or, where even that fails, the request itself as failed."""
        graph, _, at, payload = value
        log.warning("stage=score graph=%s time=%s reason=%s error=%r", graph, at, reason, error)
        try:
            return Row(graph, DRAFT, at, _bytes(fallen_back(open_case(read_request(bytes(payload))), reason)))
        except Exception as worse:  # noqa: BLE001  # the operator's edge: dead-lettered
            log.error("stage=score graph=%s time=%s reason=failed error=%r", graph, at, worse)
            return Row(graph, FAILED, at, payload)


def _now_ms() -> float:
    return time.monotonic() * 1_000


def _bytes(event: IncidentEvent) -> bytes:
    return event.model_dump_json().encode()
