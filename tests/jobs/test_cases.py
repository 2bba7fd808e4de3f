"""Cases from the field through the whole job: five recordings in one embedded run, with the released model.

All five call their graph `shop`, so each goes by its recording's name.
"""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from jobs.config_loading import load_config
from jobs.pipeline import Progress, RunResult, run_embedded
from records.cloudevents import read_cloudevent
from records.incidents import IncidentEvent
from records.recordings import open_recording

CASES = Path(__file__).parent / "cases"
T0 = 1_767_225_600_000
TICK = 15_000


def run(out: Path, *recordings: Path, progress: list[Progress] | None = None) -> RunResult:
    flags = {
        "sources": [{"type": "recordings", "paths": [str(path) for path in recordings]}],
        "sinks.files.dir": str(out),
        "patterns": ["library", str(CASES / "slow-twice.yaml")],
        "resolve_after": "5m",
        "resend": "1m",
    }
    told = [] if progress is None else progress
    return run_embedded(load_config(None, flags, {}), progress=told.append)


def events_of(out: Path, graph: str) -> list[IncidentEvent]:
    """The incident events of one graph, in order."""
    lines = (out / "incidents.ndjson").read_bytes().splitlines()
    events = [read_cloudevent(line, {}) for line in lines]
    return [event for event in events if event.graph == graph]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("a folder with spaces")
    progress: list[Progress] = []
    result = run(folder, *sorted(path for path in CASES.iterdir() if path.is_dir()), progress=progress)
    assert result.counts["dead_letters"] == 0
    assert [progress[0].stage, progress[-1].stage] == ["starting", "done"]
    return folder


def test_a_dead_service_is_named_and_its_silence_told(out: Path) -> None:
    events = events_of(out, "dead-service")
    assert events[0].status == "opened"
    for event in events:
        first = event.root_causes[0]
        assert (event.method, first.node) == ("model", "checkout")
        assert first.evidence[0].kind == "silence"
        assert abs((first.evidence[0].time or 0) - (T0 + 70 * TICK)) <= TICK
        assert [(edge.source, edge.target) for edge in event.path] == [("frontend", "checkout")]


def test_a_node_that_lost_one_series_is_named_by_another(out: Path) -> None:
    events = events_of(out, "one-series-missing")
    assert {(event.root_causes[0].node, event.root_causes[0].signal) for event in events} == {("cart", "cpu")}


def test_one_node_without_edges_is_scored_by_the_model(out: Path) -> None:
    events = events_of(out, "single-node")
    assert {(event.method, event.root_causes[0].node, event.root_causes[0].signal) for event in events} == {
        ("model", "solo", "latency")
    }
    assert {len(event.root_causes) for event in events} == {1}


def test_a_flapping_signal_is_one_incident_that_ends_once(out: Path) -> None:
    events = events_of(out, "flapping")
    assert len({event.incident_id for event in events}) == 1
    assert [event.status for event in events].count("opened") == 1
    assert [event.status for event in events].count("resolved") == 1
    assert (events[-1].status, events[-1].resolution) == ("resolved", "signals_back")
    assert events[-1].time >= 1_767_227_625_000
    assert {event.root_causes[0].node for event in events} == {"cart"}


def test_a_healthy_recording_stays_silent(out: Path) -> None:
    assert events_of(out, "dirty-edges") == []


def test_a_recording_that_ends_in_the_middle_ends_its_incident_and_says_so(out: Path) -> None:
    last = events_of(out, "dead-service")[-1]
    assert (last.status, last.resolution) == ("resolved", "data_stopped")
    assert last.time == open_recording(CASES / "snapshot-dead-service").meta.end + TICK + 300_000


def test_every_line_is_strict_json_and_no_number_is_missing(out: Path) -> None:
    for name in ("incidents", "matches", "audit"):
        lines = (out / f"{name}.ndjson").read_bytes().splitlines()
        assert lines
        assert all(isinstance(orjson.loads(line), dict) for line in lines)


def test_a_replay_gives_the_same_events(out: Path, tmp_path: Path) -> None:
    run(tmp_path, CASES / "snapshot-dead-service", CASES / "model-single-node-no-edges")
    assert events_of(tmp_path, "dead-service") == events_of(out, "dead-service")
    assert events_of(tmp_path, "single-node") == events_of(out, "single-node")
