"""One system that misbehaves among thirty: the others' answers are the same as without it, byte for byte.

It sends ten times as often, numbers that are none, ever new series, more nodes than it may have, and all of
them stand out at once, again and again. What goes beyond its bounds is dropped, counted, and named.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gnn.simulator import incident_recording
from jobs.config import JobConfig
from jobs.pipeline import run_embedded
from records.recordings import Recording, RecordingMeta, write_recording

COPIES = 5
TICK, TICKS = 15_000, 105
LOUD, NODES, ALLOWED = "loud", 60, 40
LIMITS = {"nodes_per_graph": ALLOWED, "series_per_node": 60, "matches_per_tick": 50}


@dataclass(frozen=True)
class Outcome:
    """What a run wrote."""

    folder: Path

    def of_others(self, file: str) -> list[bytes]:
        """The lines of a file that are not about the one that misbehaves."""
        lines = (self.folder / file).read_bytes().splitlines()
        return [line for line in lines if json.loads(line)["graph"] != LOUD]

    def bounded(self) -> dict[str, int]:
        """Which bounds the job says were met, and the largest count told of each."""
        lines = map(json.loads, (self.folder / "audit.ndjson").read_text().splitlines())
        found: dict[str, int] = {}
        for line in lines:
            if line["type"] == "bounded":
                assert line["graph"] == LOUD
                found[line["reason"]] = max(found.get(line["reason"], 0), line["count"])
        return found


def others(folder: Path) -> Iterator[Recording]:
    """Thirty small systems, of six kinds; a third of them has an incident."""
    for seed in range(6):
        made = incident_recording(
            folder / f"seed-{seed}", seed, nodes=4, healthy_ticks=60, fault=seed % 3 == 0, graph=f"s{seed}"
        )
        yield made
        for copy in range(1, COPIES):
            yield copied(made, folder / f"seed-{seed}-{copy}", f"s{seed}c{copy}")


def copied(recording: Recording, folder: Path, graph: str) -> Recording:
    """The recording as that of another system: a recording's graph goes by what its meta data say."""
    shutil.copytree(recording.path, folder)
    meta = recording.meta.model_copy(update={"name": graph, "graph": graph})
    (folder / "recording.json").write_text(meta.model_dump_json(), encoding="utf-8")
    return Recording(folder, meta)


def loud(folder: Path, start: int) -> Recording:
    """The one that misbehaves; what it sends is no valid recording."""
    meta = RecordingMeta(name=LOUD, graph=LOUD, interval=TICK, start=start, end=start + TICKS * TICK)
    made = write_recording(folder, meta, [])
    with gzip.open(folder / "samples.ndjson.gz", "wt", encoding="utf-8") as lines:
        for scrape in range(10 * TICKS):
            time = start + scrape * TICK // 10
            for node in range(NODES):
                lines.write(json.dumps(sample(node, scrape, time)) + "\n")
                if scrape % 10 == 0:
                    lines.write(json.dumps(new_series(node, scrape, time)) + "\n")
    return made


def sample(node: int, scrape: int, time: int) -> dict[str, Any]:
    """All nodes jump for four ticks in each eight; in between each tenth number is none."""
    high = scrape > 400 and scrape // 10 % 8 < 4
    value = float("nan") if scrape % 10 == 3 else (95.0 if high else 20 + (scrape * 7 + node) % 5 / 10)
    base = {"graph": LOUD, "node": f"n{node}", "metric": "cpu", "signal": "cpu", "unit": "%"}
    return {**base, "value": value, "time": time}


def new_series(node: int, scrape: int, time: int) -> dict[str, Any]:
    base = {"graph": LOUD, "node": f"n{node}", "metric": "queue", "signal": "saturation"}
    return {**base, "value": 1.0, "time": time, "labels": {"request": str(scrape)}}


def run(recordings: list[Recording], out: Path) -> Outcome:
    config = {
        "sources": [{"type": "recordings", "paths": [str(each.path) for each in recordings]}],
        "sinks": {"files": {"dir": str(out)}},
        "limits": LIMITS,
        "publish_frames": False,
    }
    run_embedded(JobConfig.model_validate(config))
    return Outcome(out)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Outcome]:
    """Without the one that misbehaves, and with it."""
    folder = tmp_path_factory.mktemp("isolation")
    quiet = list(others(folder / "others"))
    assert len(quiet) == 30
    one = loud(folder / "loud", quiet[0].meta.start)
    return run(quiet, folder / "without"), run([*quiet, one], folder / "with")


def test_the_others_have_their_incidents_as_if_it_were_not_there(outcomes: tuple[Outcome, Outcome]) -> None:
    without, beside = outcomes
    events = without.of_others("incidents.ndjson")
    assert len({json.loads(event)["graph"] for event in events}) >= 2 * COPIES
    assert sorted(beside.of_others("incidents.ndjson")) == sorted(events)
    assert sorted(beside.of_others("matches.ndjson")) == sorted(without.of_others("matches.ndjson"))


def test_what_goes_beyond_its_bounds_is_counted_and_named(outcomes: tuple[Outcome, Outcome]) -> None:
    without, beside = outcomes
    assert without.bounded() == {}
    bounded = beside.bounded()
    assert set(bounded) == {"node_refused", "series_evicted", "match_refused"}
    assert bounded["node_refused"] >= 1_000
    assert bounded["series_evicted"] >= 1_000
    letters = (beside.folder / "dead-letters.ndjson").read_bytes().splitlines()
    assert len(letters) == NODES * TICKS
    assert {json.loads(each)["headers"]["faultline.error.reason"] for each in letters} == {"malformed"}
