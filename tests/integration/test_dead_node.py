"""A dead node whose callers measure nothing: its silence alone raises the alarm, through the whole job."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from faultline.run_folder import read_events
from jobs.config import JobConfig
from jobs.pipeline import run_embedded
from records.incidents import IncidentEvent
from records.recordings import RecordingMeta, write_recording
from records.samples import Edge, Sample

T0, TICK, TICKS, DIED = 1_767_225_600_000, 60_000, 100, 60
NODES = ("web", "api", "store", "cache")
CALLS = (("web", "api"), ("api", "store"), ("api", "cache"))
DEAD, IDLE, EACH = "store", "cache", 15
"""One is idle: it has a request each quarter of an hour only, and no traffic sample in between."""
SILENCE_MS = 3 * TICK
"""What the pattern waits for."""


def samples() -> Iterator[Sample]:
    """Traffic and cpu, until one node sends nothing any more; no calls are measured."""
    for tick in range(TICKS):
        for place, node in enumerate(NODES):
            if node == DEAD and tick >= DIED:
                continue
            wave = ((tick * 7 + place * 3) % 5) / 10
            values = {"traffic": 40 + wave, "cpu": 30 + wave}
            if node == IDLE and tick % EACH:
                del values["traffic"]
            for signal, value in values.items():
                yield Sample.model_validate(
                    {
                        "graph": "shop",
                        "node": node,
                        "metric": f"{signal}_value",
                        "value": value,
                        "signal": signal,
                        "time": T0 + tick * TICK,
                    }
                )


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[IncidentEvent]:
    """What a job with the shipped library tells."""
    folder = tmp_path_factory.mktemp("dead")
    meta = RecordingMeta(name="shop", graph="shop", interval=TICK, start=T0, end=T0 + TICKS * TICK)
    edges = [Edge(graph="shop", source=a, target=b, time=T0) for a, b in CALLS]
    recording = write_recording(folder / "recording", meta, samples(), edges)
    source = {"type": "recordings", "paths": [str(recording.path)]}
    config = {"sources": [source], "sinks": {"files": {"dir": str(folder)}}}
    run_embedded(JobConfig.model_validate(config))
    return list(read_events(folder / "incidents.ndjson"))


def test_the_dead_node_is_the_first_cause_and_its_silence_the_reason(told: list[IncidentEvent]) -> None:
    (event,) = [event for event in told if event.status == "opened"]
    first = event.root_causes[0]
    assert first.node == DEAD
    assert "silence" in {each.kind for each in first.evidence}
    assert event.onset <= T0 + (DIED + 1) * TICK
    assert event.detected_at <= T0 + DIED * TICK + SILENCE_MS + TICK
    assert [each.pattern for each in event.triggers] == ["node-silent"]
