"""A dead node whose callers measure nothing: its silence alone raises the alarm, through the whole job."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from cep_patterns.yaml_loader import LIBRARY
from faultline.run_folder import read_events
from jobs.config import JobConfig
from jobs.pipeline import run_embedded
from records.incidents import IncidentEvent
from records.recordings import RecordingMeta, write_recording
from records.samples import Edge, Sample

T0, TICK, TICKS, DIED = 1_767_225_600_000, 60_000, 100, 60
NODES = ("web", "api", "store", "cache")
CALLS = (("web", "api"), ("api", "store"), ("api", "cache"))
DEAD = "store"
SILENCE_MS = 21 * 60_000
"""What the pattern waits for."""


def samples() -> Iterator[Sample]:
    """Traffic, and cpu but of one node, until one sends nothing any more; no calls are measured."""
    for tick in range(TICKS):
        for place, node in enumerate(NODES):
            if node == DEAD and tick >= DIED:
                continue
            wave = ((tick * 7 + place * 3) % 5) / 10
            values = {"traffic": 40 + wave, **({} if node == "cache" else {"cpu": 30 + wave})}
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


def live(folder: Path) -> Path:
    """The library's pattern for silence, as a person switches it on: a copy that runs in earnest."""
    told = yaml.safe_load((LIBRARY / "node-silent.yaml").read_text(encoding="utf-8"))
    file = folder / "node-silent.yaml"
    file.write_text(yaml.safe_dump({**told, "maturity": "production"}), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[IncidentEvent]]:
    """What a job tells with the shipped library alone, and with the copy beside it."""
    folder = tmp_path_factory.mktemp("dead")
    meta = RecordingMeta(name="shop", graph="shop", interval=TICK, start=T0, end=T0 + TICKS * TICK)
    edges = [Edge(graph="shop", source=a, target=b, time=T0) for a, b in CALLS]
    recording = write_recording(folder / "recording", meta, samples(), edges)
    found = {}
    for name, patterns in (("library", ["library"]), ("live", [str(live(folder))])):
        out = folder / name
        source = {"type": "recordings", "paths": [str(recording.path)]}
        sinks = {"files": {"dir": str(out)}}
        config = {"sources": [source], "sinks": sinks, "patterns": patterns}
        run_embedded(JobConfig.model_validate(config))
        file = out / "incidents.ndjson"
        found[name] = list(read_events(file)) if file.exists() else []
    return found


def test_the_dead_node_is_the_first_cause_and_its_silence_the_reason(
    told: dict[str, list[IncidentEvent]],
) -> None:
    opened = [event for event in told["live"] if event.status == "opened"]
    (event,) = opened
    first = event.root_causes[0]
    assert first.node == DEAD
    assert "silence" in {each.kind for each in first.evidence}
    assert event.onset <= T0 + (DIED + 1) * TICK
    assert event.detected_at <= T0 + DIED * TICK + SILENCE_MS + TICK
    assert [each.pattern for each in event.triggers] == ["node-silent"]


def test_shipped_the_pattern_runs_dry(told: dict[str, list[IncidentEvent]]) -> None:
    assert told["library"] == []
