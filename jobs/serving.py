"""The bundles that serve in one worker: which is asked for a graph, and what becomes of one that fails.

Owns the sessions' life: each has a batcher, a breaker and a trial of its own. Loads in the background what
is not ready, and serves with the other bundle meanwhile. Imports asyncio, onnx_models (no runtime).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from jobs.batching import Batcher, Result
from jobs.breaker import Breaker, BreakerSettings
from jobs.model_loading import LoadedModel, Provider, kept_model, prove_published
from jobs.promotion import Progress
from jobs.trial import Trial, TrialSettings
from onnx_models.errors import ScoringError
from onnx_models.scores import Scores
from onnx_models.snapshot import Snapshot
from records.model_control import BundleRef, ModelRecord


@dataclass(frozen=True)
class ServeSettings:
    """How each bundle is served.

    `breaker`: None for none. `trial`: of bundles that were published, None where none is ever taken back.
    `call_ms`: longest time for a snapshot of up to `large_nodes` nodes, None for no bound; this, and what is
    slow to breaker and trial, grows with a larger graph.
    """

    provider: Provider
    batch_ms: int
    breaker: BreakerSettings | None
    trial: TrialSettings | None = None
    call_ms: int | None = None
    large_nodes: int = 1_000

    def scale(self, snapshot: Snapshot) -> float:
        """How many times as long as another a snapshot may take."""
        return max(1.0, len(snapshot.nodes) / self.large_nodes)

    def allowed_s(self, snapshot: Snapshot) -> float:
        """How long the model may take for a snapshot."""
        assert self.call_ms is not None
        return self.scale(snapshot) * self.call_ms / 1_000


@dataclass(frozen=True)
class Plan:
    """Who is asked for a graph: the first of `answer` that can; and one to compare it with, of `stage`."""

    answer: tuple[BundleRef, ...]
    beside: BundleRef | None = None
    stage: str | None = None


def plan_of(record: ModelRecord | None, graph: str, own: BundleRef) -> Plan:
    """Who is asked for a graph while this record is in force; `own`: the configuration's bundle."""
    if record is None:
        return Plan((own,))
    live = record.live or own
    standing = _distinct(live, record.previous or own, own)
    candidate = record.candidate
    if candidate is None or candidate.bundle.sha256 == live.sha256:
        return Plan(standing)
    if candidate.answers(graph):
        return Plan(_distinct(candidate.bundle, *standing), live, "canary")
    return Plan(standing, candidate.bundle, "shadow") if candidate.stage == "shadow" else Plan(standing)


def _distinct(*bundles: BundleRef) -> tuple[BundleRef, ...]:
    return tuple({each.sha256: each for each in bundles}.values())


class Served:
    """One bundle in one worker."""

    def __init__(
        self, model: LoadedModel, settings: ServeSettings, clock_ms: Callable[[], float], tried: bool
    ) -> None:
        self.model = model
        self._clock_ms = clock_ms
        self._settings = settings
        bounded = settings.allowed_s if settings.call_ms is not None else None
        self._batcher = Batcher(model.score, settings.batch_ms / 1_000, bounded)
        self.breaker = None if settings.breaker is None else Breaker(settings.breaker)
        self.trial = Trial(settings.trial) if tried and settings.trial is not None else None
        self.broken: str | None = None
        """Why it was taken back in this worker."""
        self.progress: Progress | None = None
        """Towards its next stage, where a rule promotes it."""

    @property
    def label(self) -> str:
        """Name and version."""
        return f"{self.model.reference.name}-{self.model.reference.version}"

    def admits(self) -> bool:
        """Whether the breaker lets the next snapshot through."""
        return self.breaker is None or self.breaker.admits(self._clock_ms())

    async def score(self, snapshot: Snapshot, urgency: int = 0) -> Result:
        """The scores, or the error, which is counted; an error of the scorer is one too."""
        try:
            result = await self._batcher.score(snapshot, urgency)
        except Exception as error:  # noqa: BLE001  # the edge: whatever the scorer raised
            result = ScoringError("internal_error", repr(error))
        self.note(result, self._settings.scale(snapshot))
        return result

    def note(self, result: Result | None, scale: float = 1.0) -> None:
        """Counts an answer, None for one that did not come in time; `scale`: how many times as long as others
        it may take.
        """
        cost_ms = self._batcher.cost_ms / scale
        confidence = result.confidence if isinstance(result, Scores) else None
        if self.breaker is not None:
            self.breaker.note(self._clock_ms(), cost_ms, confidence)
        if self.progress is not None:
            self.progress.note(cost_ms, not isinstance(result, Scores))
        if self.trial is not None:
            error = result.reason if isinstance(result, ScoringError) else None
            self._judged(self.trial.note(cost_ms, "timeout" if result is None else error))

    def compared(self, agrees: bool) -> None:
        """Counts a comparison with the other bundle's answer."""
        if self.progress is not None:
            self.progress.compare(agrees)
        if self.trial is not None:
            self._judged(self.trial.compare(agrees))

    def _judged(self, why: str | None) -> None:
        if why is not None and self.broken is None:
            self.broken = why

    def close(self) -> None:
        """Ends its thread."""
        self._batcher.close()


def _named(record: ModelRecord) -> list[BundleRef]:
    """Those that may be asked: the one before too, since it is what remains where the live one fails."""
    return [*record.bundles(), *([] if record.previous is None else [record.previous])]


@dataclass(frozen=True)
class Broken:
    """A bundle that this worker takes back or could not load, told once; `record`: in force by then."""

    bundle: BundleRef
    reason: str
    record: ModelRecord
    loaded: bool


@dataclass(frozen=True)
class Promoted:
    """A candidate whose rule is met in this worker, told once; `record`: in force by then, `figures`: why."""

    record: ModelRecord
    figures: dict[str, Any]


@dataclass
class Serving:
    """The bundles of one worker. `own`: the configuration's, which is loaded and stays."""

    own: BundleRef
    model: LoadedModel
    settings: ServeSettings
    clock_ms: Callable[[], float]
    _record: ModelRecord | None = None
    _served: dict[str, Served] = field(default_factory=dict)
    _loading: dict[str, Future[LoadedModel]] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Starts with the configuration's bundle, which nothing takes back."""
        self._lock = threading.Lock()
        self._loader = ThreadPoolExecutor(1, thread_name_prefix="load")
        self._served[self.own.sha256] = Served(self.model, self.settings, self.clock_ms, tried=False)

    def take(self, record: ModelRecord | None) -> None:
        """A record in force; what it does not name is closed, what it names has a new trial."""
        with self._lock:
            if (record and record.request) == (self._record and self._record.request):
                return
            self._record = record
            named = {self.own.sha256, *(each.sha256 for each in ([] if record is None else _named(record)))}
            for sha256 in [each for each in self._served if each not in named]:
                self._served.pop(sha256).close()
            for sha256 in named - {self.own.sha256}:
                served = self._served.get(sha256)
                if served is not None:
                    served.broken, served.progress = None, self._progress_of(sha256)
                    served.trial = None if self.settings.trial is None else Trial(self.settings.trial)
            self._loading, self._told = {}, set()
        for bundle in [] if record is None else _named(record):
            self.get(bundle)

    def get(self, bundle: BundleRef) -> Served | None:
        """The bundle where it is ready and was not taken back; else loading has begun."""
        with self._lock:
            served = self._served.get(bundle.sha256)
            if served is None:
                model = self._ready(bundle)
                if model is None:
                    return None
                served = Served(model, self.settings, self.clock_ms, tried=True)
                served.progress = self._progress_of(bundle.sha256)
                self._served[bundle.sha256] = served
            return None if served.broken else served

    def _progress_of(self, sha256: str) -> Progress | None:
        tried = None if self._record is None else self._record.candidate
        if tried is None or tried.promote is None or tried.bundle.sha256 != sha256:
            return None
        return Progress(tried.promote)

    def promoted(self) -> Promoted | None:
        """The candidate of the record in force, where its rule is met and this was not told yet."""
        with self._lock:
            record = self._record
            tried = None if record is None else record.candidate
            served = None if tried is None else self._served.get(tried.bundle.sha256)
            if record is None or served is None or served.progress is None or served.broken:
                return None
            figures = served.progress.passed()
            if figures is None:
                return None
            served.progress = None
            return Promoted(record, figures)

    def _ready(self, bundle: BundleRef) -> LoadedModel | None:
        found = kept_model(bundle.sha256, self.settings.provider)
        if found is not None:
            return found
        loading = self._loading.get(bundle.sha256)
        if loading is None:
            # It was proved when it was published: how fast it is now is for the breaker to judge.
            self._loading[bundle.sha256] = self._loader.submit(
                prove_published, bundle, self.settings.provider, float("inf")
            )
            return None
        return loading.result() if loading.done() and loading.exception() is None else None

    def all(self) -> list[Served]:
        """Those that are ready."""
        with self._lock:
            return list(self._served.values())

    def broken(self) -> list[Broken]:
        """What was taken back, or could not be loaded, since this was last asked."""
        with self._lock:
            record = self._record
            if record is None:
                return []
            found = []
            for bundle in record.bundles():
                served, loading = self._served.get(bundle.sha256), self._loading.get(bundle.sha256)
                failed = loading.exception() if loading is not None and loading.done() else None
                reason = served.broken if served is not None else failed and str(failed)
                if reason and bundle.sha256 not in self._told:
                    self._told.add(bundle.sha256)
                    found.append(Broken(bundle, reason, record, served is not None))
            return found

    def close(self) -> None:
        """Ends all threads."""
        self._loader.shutdown(wait=False, cancel_futures=True)
        for served in self.all():
            served.close()
