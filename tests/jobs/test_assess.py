"""From a request to the draft of an event: by the model, by the fallback, and with nothing to go by."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from jobs.assess import Case, answered, fallen_back, open_case
from jobs.grouping import Incident
from jobs.model_loading import load_model
from jobs.wire import Request
from onnx_models.errors import BundleError, ScoringError
from onnx_models.fallback import rank_by_deviation
from records.errors import FrameError
from records.frames import FrameRow, write_frame_row
from records.incidents import ModelRef
from tests.jobs.bundles import bundle
from tests.jobs.rows import NODES, T0, TICK, alert, frame_row, tick_end

MODEL = ModelRef(name="loudest", version="1", sha256="00", provider="CPUExecutionProvider")
WRONG = {("cart", "latency"): 40.0, ("frontend", "latency"): 12.0}


def request(rows: list[FrameRow], *nodes: str, tick: int = 9) -> Request:
    alerts = tuple(alert(tick, node) for node in nodes or ("frontend",))
    incident = Incident("inc-0123456789ab", alerts[0].time, alerts, alerts[-1].time, alerts[-1].time)
    return Request("shop", tick_end(tick), incident, tuple(map(write_frame_row, rows)))


def window(count: int = 10) -> list[FrameRow]:
    return [frame_row(tick, WRONG if tick >= count - 3 else None) for tick in range(count)]


@pytest.fixture
def case() -> Case:
    return open_case(request(window()))


def test_the_model_s_answer_is_explained(case: Case) -> None:
    assert case.snapshot is not None
    event = answered(case, rank_by_deviation(case.snapshot), MODEL)
    first = event.root_causes[0]
    assert (first.rank, first.node, first.signal) == (1, "cart", "latency")
    assert "latency of cart" in first.evidence[0].text
    assert [(edge.source, edge.target) for edge in event.path] == [("frontend", "cart")]
    assert event.blast_radius == ["frontend"]
    assert event.action_plan[-1].target == "cart"
    assert (event.onset, event.detected_at, event.time) == (T0 + 7 * TICK, alert(9).time, tick_end(9))
    assert (event.model, event.reason, event.qos) == (MODEL, None, "P1")
    assert event.input_hash is not None
    assert event.input_hash.startswith("sha256:")
    assert event.latency_ms == TICK / 2
    assert sum(cause.score or 0 for cause in event.root_causes) == pytest.approx(1, abs=1e-3)


def test_the_same_request_gives_the_same_draft(case: Case) -> None:
    again = open_case(request(window()))
    assert fallen_back(case, "timeout").model_dump_json() == fallen_back(again, "timeout").model_dump_json()


def test_the_fallback_says_that_it_was(case: Case) -> None:
    event = fallen_back(case, "timeout")
    assert (event.method, event.reason, event.model) == ("fallback", "timeout", None)
    assert event.root_causes[0].node == "cart"
    assert event.confidence_score is not None
    assert event.confidence_score <= 0.5


def test_without_rows_the_alarmed_nodes_are_named_unscored() -> None:
    event = fallen_back(open_case(request([], "frontend", "cart", "frontend")), "no_frames")
    assert [(cause.node, cause.score) for cause in event.root_causes] == [("frontend", None), ("cart", None)]
    assert (event.method, event.reason, event.input_hash) == ("fallback", "no_frames", None)
    assert event.onset == alert(9).start


def test_one_node_without_edges() -> None:
    rows = [frame_row(tick, {("solo", "latency"): 40.0}, nodes=("solo",), edges=()) for tick in range(10)]
    event = fallen_back(open_case(request(rows, "solo")), "timeout")
    assert [cause.node for cause in event.root_causes] == ["solo"]
    assert (event.path, event.blast_radius) == ([], [])


def test_a_dead_service_is_named_and_its_silence_told() -> None:
    rows = [frame_row(tick) for tick in range(7)]
    wrong = {("frontend", "errors"): 60.0}
    rows += [frame_row(tick, wrong, silent={"checkout": tick - 6}) for tick in range(7, 10)]
    event = fallen_back(open_case(request(rows)), "timeout")
    first = event.root_causes[0]
    assert first.node == "checkout"
    assert (first.evidence[0].kind, first.evidence[0].time) == ("silence", tick_end(6))
    assert "runs" in event.action_plan[-1].title


def test_rows_of_another_tick_length_are_left_out() -> None:
    other = FrameRow(**{**frame_row(0).__dict__, "tick_ms": 60_000})
    assert len(open_case(request([other, *window(5)])).rows) == 5


def test_bytes_that_are_no_rows_are_an_error() -> None:
    broken = Request("shop", 1, request([]).incident, (b"FLFRxx",))
    with pytest.raises(FrameError):
        open_case(broken)


def test_the_worst_severity_decides_the_quality_of_service() -> None:
    alerts = (alert(9, severity="info"), alert(9, "frontend", severity="critical"))
    incident = Incident("inc-0123456789ab", alerts[0].time, alerts, alerts[0].time, alerts[0].time)
    assert fallen_back(open_case(Request("shop", 1, incident, ())), "x").qos == "P0"


def test_a_bundle_is_loaded_proved_and_scores(tmp_path: Path, case: Case) -> None:
    made = bundle(tmp_path)
    model = load_model(str(made.path), made.manifest.sha256, "cpu")
    assert model.reference.provider == "CPUExecutionProvider"
    assert case.snapshot is not None
    event = answered(case, model.score(case.snapshot), model.reference)
    assert (event.method, event.root_causes[0].node, event.root_causes[0].signal) == (
        "model",
        "cart",
        "latency",
    )
    assert [cause.node for cause in event.root_causes][-1] == "checkout"
    assert len(event.root_causes) == len(NODES)


def test_another_model_than_the_job_was_made_for_is_refused(tmp_path: Path) -> None:
    made = bundle(tmp_path)
    with pytest.raises(BundleError, match="the job wants 000000000000"):
        load_model(str(made.path), "0" * 64, "cpu")


def test_a_model_that_answers_differently_here_is_refused(tmp_path: Path) -> None:
    made = bundle(tmp_path, golden_factor=2.0)
    with pytest.raises(BundleError, match="differs from the golden answers"):
        load_model(str(made.path), made.manifest.sha256, "cpu")


def test_a_score_that_is_not_finite_is_an_error_and_never_ranks(tmp_path: Path, case: Case) -> None:
    made = bundle(tmp_path, factor=float("nan"))
    model = load_model(str(made.path), made.manifest.sha256, "cpu")
    assert case.snapshot is not None
    with pytest.raises(ScoringError) as refused:
        model.score(case.snapshot)
    event = fallen_back(case, refused.value.reason)
    assert (event.method, event.reason) == ("fallback", "nonfinite_score")
    assert "NaN" not in event.model_dump_json()
    assert yaml.safe_load(event.model_dump_json())["root_causes"][0]["node"] == "cart"
