"""docs/retraining.md in small: its commands, typed as they stand, on a simulated week with verdicts."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from faultline import exits
from faultline.main import app
from gnn.matrix import START, frames_of
from gnn.simulator import Simulation, simulate
from gnn.simulator.recording import fault_record, write_simulation
from onnx_models.bundle import default_bundle, load_bundle
from records.feedback import Feedback
from records.frames import write_frame_file
from tests.faultline.test_docs import blocks

ROOT = Path(__file__).resolve().parents[2]
SMALL = {
    "retrain": ["--systems", "6", "--judged", "1", "--json"],
    "evaluate": ["--simulated", "0", "--trees", "0", "--json"],
    "compare": ["--json"],
    "validate": ["--json"],
}
"""What makes a command of the page small."""


def typed() -> list[list[str]]:
    """The page's `faultline model` commands, without `faultline`."""
    lines = [line for block in blocks(ROOT / "docs" / "retraining.md") for line in block.commands()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("faultline model ")]


def week(folder: Path, simulation: Simulation, scratch: Path) -> None:
    """Frames of a system, and a verdict on each of its faults."""
    ((_, rows),) = frames_of([simulation], scratch)
    (folder / "frames").mkdir(parents=True)
    write_frame_file(folder / "frames" / "frames.bin", rows)
    start = START - START % simulation.tick_ms
    given = [fault_record(simulation, fault, start) for fault in simulation.faults]
    verdicts = [
        Feedback(
            graph=each.graph,
            incident_id=f"incident-{number}",
            revision=1,
            verdict="cause",
            node=each.node,
            signal=each.signal,
            onset=each.start,
            until=each.end,
            time=each.end,
        )
        for number, each in enumerate(given)
    ]
    lines = [each.model_dump_json(exclude_none=True) + "\n" for each in verdicts]
    (folder / "feedback.ndjson").write_text("".join(lines))


def test_the_pages_commands_retrain_judge_and_write_a_new_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulation = simulate(11, 14, "shop")
    week(tmp_path / "out" / "week", simulation, tmp_path)
    write_simulation(tmp_path / "recordings" / "monday", simulate(12, 6, "shop"))
    monkeypatch.chdir(tmp_path)
    done: dict[str, Result] = {}
    for words in typed():
        name = "by rule" if "--when" in words else words[1]
        done[name] = CliRunner().invoke(app, [*words, *SMALL[words[1]]])
        assert done[name].exit_code in (exits.OK, exits.FINDINGS), done[name].output
    assert set(done) == {*SMALL, "by rule"}
    missing = json.loads(done["by rule"].stdout)["missing"]
    assert missing == "0 of 50 labels, retrained 0s ago, not 7d"

    told = json.loads(done["retrain"].stdout)
    live = load_bundle(default_bundle())
    bundle = load_bundle(told["bundle"])
    assert bundle.manifest.version == live.manifest.version + 1
    assert bundle.manifest.sha256 != live.manifest.sha256
    assert bundle.manifest.trained_on["config"]["train"]["start"] == live.path.name
    assert told["confirmed"] >= 3
    assert told["held_out"] >= 1
    mark = bundle.manifest.trained_on["archive"]
    lines = (tmp_path / "out" / "week" / "feedback.ndjson").read_text().splitlines()
    assert mark["until"] == max(json.loads(line)["time"] for line in lines)
    assert mark["at"] > mark["until"]
    assert told["snapshots"]["simulated"] > 20
    assert {group["name"] for group in told["evaluation"]["groups"]} == {"shop", "fresh"}
    shadow = f"faultline model publish {told['bundle']} --bootstrap localhost:9092 --stage shadow"
    assert told["publish"] == (None if told["worse"] else shadow)
    card = (bundle.path / "card.md").read_text()
    assert "## Retrained on an archive" in card
    assert "Trained on simulated faults only" not in card
    assert str(tmp_path) not in card + (bundle.path / "manifest.json").read_text()
    assert json.loads(done["validate"].stdout)["ok"]


def test_an_archive_without_verdicts_is_wrong_use(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["model", "retrain", "--archive", str(tmp_path)])
    assert done.exit_code == exits.USAGE
    assert "faultline events feedback" in done.stderr
