"""Bundles that change, shadows, canaries and bundles that are taken back, in the operator `score` itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from pyflink.common import Row

from jobs.grouping import Incident
from jobs.models import MODEL
from jobs.score import CONTROL, TOLD, ScoreRequests
from jobs.serving import ServeSettings, plan_of
from jobs.trial import TrialSettings
from jobs.wire import DRAFT, SCORE, Request, write_request
from onnx_models.bundle import Bundle
from records.frames import write_frame_row
from records.incidents import IncidentEvent
from records.model_control import BundleRef, Candidate, ModelRecord
from records.shares import covers
from tests.jobs.bundles import bundle
from tests.jobs.rows import alert, frame_row, tick_end
from tests.records.test_model_control import record, ref

SLOW = {("cart", "latency"): 40.0, ("frontend", "latency"): 12.0}
TWO = ("cart", "frontend")
TRIAL = TrialSettings(slow_ms=10_000, window=20, errors=0.25, disagreement=0.6)


def ref_of(made: Bundle) -> BundleRef:
    said = made.manifest
    return BundleRef(name=said.name, version=said.version, sha256=said.sha256, path=str(made.path))


def request(models: ModelRecord | None, graph: str = "shop", nodes: tuple[str, ...] = TWO) -> Row:
    """A request whose snapshot has nodes other than three, unless they are said."""
    edges = (("frontend", "cart"),)
    rows = tuple(
        write_frame_row(frame_row(tick, SLOW if tick > 5 else None, graph=graph, nodes=nodes, edges=edges))
        for tick in range(10)
    )
    incident = Incident("inc-0123456789ab", tick_end(9), (alert(9),), tick_end(9), tick_end(9), None, 0)
    data = write_request(Request(graph, tick_end(9), incident, rows, models))
    return Row(graph, SCORE, tick_end(9), data)


class Worker:
    """The operator with an event loop, as a worker runs it."""

    def __init__(self, own: Bundle, trial: TrialSettings | None = TRIAL, controls: bool = True) -> None:
        settings = ServeSettings("cpu", 5, None, trial)
        self._score = ScoreRequests(ref_of(own), settings, 60_000, controls)
        self._score.open(None)  # type: ignore[arg-type]
        self._loop = asyncio.new_event_loop()
        self.rows: list[Row] = []

    def send(self, row: Row) -> list[Row]:
        rows = self._loop.run_until_complete(self._score.async_invoke(row))
        self.rows += rows
        return rows

    def event(self, models: ModelRecord | None, **request_of: Any) -> IncidentEvent:
        """The draft for a request."""
        (draft,) = [row for row in self.send(request(models, **request_of)) if row[1] == DRAFT]
        return IncidentEvent.model_validate_json(draft[3])

    def until(self, models: ModelRecord, those: Callable[[IncidentEvent], bool]) -> IncidentEvent:
        """The first draft of that kind: a bundle is loaded in the background."""
        end = time.monotonic() + 300
        while not those(event := self.event(models)):
            assert time.monotonic() < end, f"still {event.model} {event.reason}"
            time.sleep(0.02)
        return event

    def lines(self, kind: str) -> list[dict[str, Any]]:
        """The lines for the audit of a type, so far."""
        lines = [orjson.loads(row[3]) for row in self.rows if row[1] == TOLD]
        return [line for line in lines if line["type"] == kind]

    def controls(self) -> list[ModelRecord]:
        """What went to the control topic so far."""
        return [ModelRecord.model_validate_json(row[3]) for row in self.rows if row[1] == CONTROL]

    def close(self) -> None:
        self._score.close()
        self._loop.close()


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    made = Worker(bundle(tmp_path / "own"))
    yield made
    made.close()


def version_of(event: IncidentEvent) -> str | None:
    return None if event.model is None else event.model.version


def ranked_by(version: str) -> Callable[[IncidentEvent], bool]:
    return lambda event: version_of(event) == version


def test_a_bundle_that_is_not_ready_yet_is_waited_for_by_none(worker: Worker, tmp_path: Path) -> None:
    live = record(live=ref_of(bundle(tmp_path, version=2, factor=2.0)))
    assert version_of(worker.event(None)) == "1"
    assert version_of(worker.event(live)) in {"1", "2"}
    event = worker.until(live, ranked_by("2"))
    assert (event.method, event.reason, event.root_causes[0].node) == ("model", None, "cart")
    assert version_of(worker.event(None)) == "1"


def test_a_record_that_comes_before_any_request_has_its_bundle_loaded(worker: Worker, tmp_path: Path) -> None:
    live = record(live=ref_of(bundle(tmp_path, version=2, factor=2.0)))
    assert worker.send(Row("", MODEL, 0, live.model_dump_json().encode())) == []
    assert version_of(worker.until(live, ranked_by("2"))) == "2"
    assert worker.send(Row("", MODEL, 0, b"")) == []


def test_a_shadow_is_compared_and_answers_nothing(worker: Worker, tmp_path: Path) -> None:
    second = bundle(tmp_path, version=2, fault="is contrary", always=False)
    tried = record(candidate=Candidate(bundle=ref_of(second), stage="shadow"))
    worker.until(tried, lambda event: bool(worker.lines("model_compared")))
    line = worker.lines("model_compared")[0]
    assert [line[key] for key in ("stage", "model", "live")] == ["shadow", "loudest-2", "loudest-1"]
    assert line["agree"] is False
    assert [line[key][0]["node"] for key in ("root_causes", "live_root_causes")] == ["frontend", "cart"]
    events = [IncidentEvent.model_validate_json(row[3]) for row in worker.rows if row[1] == DRAFT]
    assert {(version_of(event), event.root_causes[0].node) for event in events} == {("1", "cart")}


def test_a_canary_answers_for_its_graphs_only_and_is_compared_there(worker: Worker, tmp_path: Path) -> None:
    second = bundle(tmp_path, version=2, factor=2.0)
    tried = record(candidate=Candidate(bundle=ref_of(second), stage="canary", share=0.5))
    inside = next(name for name in map(str, range(99)) if covers("loudest", name, 0.5))
    outside = next(name for name in map(str, range(99)) if not covers("loudest", name, 0.5))
    end = time.monotonic() + 300
    while version_of(worker.event(tried, graph=inside)) != "2" and time.monotonic() < end:
        time.sleep(0.02)
    assert version_of(worker.event(tried, graph=inside)) == "2"
    assert version_of(worker.event(tried, graph=outside)) == "1"
    assert {line["agree"] for line in worker.lines("model_compared")} == {True}
    assert worker.controls() == []


def test_what_disagrees_too_often_is_taken_back(worker: Worker, tmp_path: Path) -> None:
    second = bundle(tmp_path, version=2, fault="is contrary", always=False)
    tried = record(candidate=Candidate(bundle=ref_of(second), stage="canary"))
    worker.until(tried, lambda event: bool(worker.lines("model_rollback")))
    (line,) = worker.lines("model_rollback")
    assert (line["model"], line["stage"], line["request"]) == ("loudest-2", "canary", "r1")
    assert line["reason"] == "12 of the last 12 answers named another first cause"
    assert version_of(worker.event(tried)) == "1"
    (told,) = worker.controls()
    assert (told.live, told.candidate, told.by, told.replaces) == (None, None, "job", "r1")
    assert told.reason == line["reason"]


def test_a_bundle_that_breaks_is_ranked_around_and_taken_back(worker: Worker, tmp_path: Path) -> None:
    broken = ref_of(bundle(tmp_path, version=2, fault="breaks", always=False))
    live = record(live=broken)
    event = worker.until(live, lambda event: bool(worker.lines("model_rollback")))
    assert (event.method, version_of(event)) == ("model", "1")
    events = [IncidentEvent.model_validate_json(row[3]) for row in worker.rows if row[1] == DRAFT]
    assert {version_of(event) for event in events} == {"1"}, "an answer that is not finite was told"
    assert [line["reason"] for line in worker.lines("model_error")] == ["nonfinite_score"] * 5
    (line,) = worker.lines("model_rollback")
    assert (line["stage"], line["model"]) == ("full", "loudest-2")
    assert line["reason"] == "5 of the last 5 answers were bad, the newest: nonfinite_score"
    assert [told.live for told in worker.controls()] == [None]
    again = record(live=broken, request="r2")
    assert version_of(worker.event(again)) == "1"
    assert len(worker.lines("model_error")) == 6, "a new record is a new trial"


def test_a_bundle_that_is_slow_is_taken_back(tmp_path: Path) -> None:
    worker = Worker(bundle(tmp_path / "own"), replace(TRIAL, slow_ms=50))
    live = record(live=ref_of(bundle(tmp_path, version=2, fault="is slow", always=False)))
    worker.until(live, lambda event: bool(worker.lines("model_rollback")))
    (line,) = worker.lines("model_rollback")
    assert line["reason"] == "5 of the last 5 answers were bad, the newest: over 50 ms"
    assert version_of(worker.event(live)) == "1"
    worker.close()


def test_where_none_is_taken_back_it_goes_on(tmp_path: Path) -> None:
    worker = Worker(bundle(tmp_path / "own"), trial=None)
    live = record(live=ref_of(bundle(tmp_path, version=2, fault="breaks", always=False)))
    for _ in range(30):
        assert version_of(worker.event(live)) == "1"
    worker.close()
    assert worker.lines("model_rollback") == []
    assert worker.controls() == []


def test_a_job_that_cannot_write_control_takes_back_for_itself(tmp_path: Path) -> None:
    worker = Worker(bundle(tmp_path / "own"), controls=False)
    live = record(live=ref_of(bundle(tmp_path, version=2, fault="breaks", always=False)))
    worker.until(live, lambda event: bool(worker.lines("model_rollback")))
    worker.close()
    assert worker.controls() == []


def test_a_bundle_that_is_gone_after_a_restart_is_told_once(worker: Worker, tmp_path: Path) -> None:
    gone = record(live=BundleRef(name="gone", version=9, sha256="9" * 64, path=str(tmp_path / "gone-9")))
    worker.until(gone, lambda event: bool(worker.lines("model_not_loaded")))
    assert version_of(worker.event(gone)) == "1"
    (line,) = worker.lines("model_not_loaded")
    assert "no manifest.json in the bundle" in line["reason"]
    assert worker.controls() == []


def test_who_is_asked() -> None:
    own, live, before, tried = ref(1), ref(2), ref(3), ref(4)
    assert plan_of(None, "shop", own).answer == (own,)
    assert plan_of(record(live=live, previous=before), "shop", own).answer == (live, before, own)
    assert plan_of(record(live=own), "shop", own).answer == (own,)
    canary = plan_of(record(live=live, candidate=Candidate(bundle=tried, stage="canary")), "shop", own)
    assert (canary.answer, canary.beside) == ((tried, live, own), live)
    shadow = plan_of(record(candidate=Candidate(bundle=tried, stage="shadow")), "shop", own)
    assert (shadow.answer, shadow.beside) == ((own,), tried)
    alike = plan_of(record(live=live, candidate=Candidate(bundle=live, stage="canary")), "shop", own)
    assert (alike.answer, alike.beside) == ((live, own), None)
