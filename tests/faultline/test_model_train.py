"""`faultline model simulate, train, export` as they are typed, in small."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from typer.testing import CliRunner, Result

from faultline import exits
from faultline.main import app
from onnx_models.bundle import load_bundle
from onnx_models.scorer import Scorer
from records.checking import check_recording
from records.recordings import open_recording

TINY = """
name: tiny
data: {seed: 2, systems: 6, episodes: 3, shard_systems: 6}
model: {hidden: 8, rounds: 1, channels: 4, signal_size: 4, edge_size: 4}
train: {epochs: 1.0, batch: 16, evaluate_every: 2, validation_share: 0.3, test_share: 0.1}
"""


def model(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["model", *arguments])


def test_simulate_writes_a_fit_recording_per_system_the_same_every_time(tmp_path: Path) -> None:
    for out in ("a", "b"):
        done = model("simulate", "--out", str(tmp_path / out), "--systems", "2", "--seed", "11", "--json")
        assert done.exit_code == exits.OK, done.output
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["seed"] for each in told] == [11, 12]
    for each in told:
        recording = open_recording(each["recording"])
        assert len(recording.faults()) == each["faults"] > 0
        assert check_recording(recording.path).ok
        again = tmp_path / "a" / recording.path.name
        for file in recording.path.iterdir():
            assert file.read_bytes() == (again / file.name).read_bytes()


def test_an_unknown_family_is_wrong_use(tmp_path: Path) -> None:
    done = model("simulate", "--out", str(tmp_path), "--family", "larg")
    assert done.exit_code == exits.USAGE
    assert "large" in done.stderr


def test_train_makes_a_bundle_which_export_does_not_overwrite(tmp_path: Path) -> None:
    config = tmp_path / "tiny.yaml"
    config.write_text(TINY)
    common = ["--config", str(config), "--work", str(tmp_path / "work"), "--fresh", "2", "--json"]
    done = model("train", *common, "--out", str(tmp_path / "out"))
    assert done.exit_code == exits.OK, done.output
    first = load_bundle(tmp_path / "out" / "tiny-1")
    assert json.loads(done.stdout)["sha256"] == first.manifest.sha256
    refused = model("export", *common, "--out", str(tmp_path / "out"))
    assert refused.exit_code == exits.ENVIRONMENT
    assert "never overwritten" in refused.stderr
    again = model("export", *common, "--out", str(tmp_path / "out"), "--version", "2")
    assert again.exit_code == exits.OK, again.output
    second = load_bundle(tmp_path / "out" / "tiny-2")
    assert second.manifest.sha256 == first.manifest.sha256
    assert second.manifest.confidence == first.manifest.confidence
    assert Scorer(second).check_golden() < 1e-4
    assert "## Scores on simulated systems never seen" in (second.path / "card.md").read_text()
    _bad_runs(tmp_path, common)
    shutil.rmtree(tmp_path / "work" / "run")
    nothing = model("export", *common, "--out", str(tmp_path / "more"))
    assert nothing.exit_code == exits.ENVIRONMENT
    assert "faultline model train" in nothing.stderr


def _bad_runs(tmp_path: Path, common: list[str]) -> None:
    """What a run folder may hold instead of what training writes, and what is said of it."""
    run, more = tmp_path / "work" / "run", ["--out", str(tmp_path / "more"), "--version", "3"]
    kept = {file.name: file.read_bytes() for file in run.iterdir()}

    def complaint(*arguments: str) -> str:
        done = model("export", *common, *more, *arguments)
        assert done.exit_code == exits.ENVIRONMENT, done.output
        for name, content in kept.items():
            (run / name).write_bytes(content)
        return done.stderr

    wide = tmp_path / "wide.yaml"
    wide.write_text(TINY.replace("hidden: 8", "hidden: 12"))
    assert "weights of another network" in complaint("--config", str(wide))
    (run / "best.pt").write_bytes(b"no weights")
    assert "best.pt: cannot be read" in complaint()
    (run / "best.pt").write_bytes(kept["best.pt"][:200])
    assert "best.pt: cannot be read" in complaint()
    (run / "state.pt").unlink()
    assert "state.pt: cannot be read" in complaint()
    assert not (tmp_path / "more").exists()
