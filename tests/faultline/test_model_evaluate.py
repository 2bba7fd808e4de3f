"""`faultline model evaluate` as it is typed: a system with many faults, through the JVM's frames."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from faultline import exits
from faultline.main import app
from gnn.simulator import simulate
from gnn.simulator.recording import write_simulation
from onnx_models.bundle import default_bundle
from tests.jobs.bundles import bundle


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one recording of a system with a dozen faults."""
    folder = tmp_path_factory.mktemp("recordings")
    write_simulation(folder / "monday", simulate(11, 14, "shop"))
    return folder


def evaluate(tmp_path: Path, *arguments: str) -> Result:
    quick = ["--simulated", "0", "--trees", "0", "--out", str(tmp_path / "out")]
    return CliRunner().invoke(app, ["model", "evaluate", *arguments, *quick])


def test_a_bundle_is_judged_beside_the_others_on_a_folder_of_recordings(
    tmp_path: Path, recorded: Path
) -> None:
    done = evaluate(tmp_path, default_bundle().name, "--data", str(recorded), "--json")
    assert done.exit_code == exits.OK, done.output
    told = json.loads(done.stdout)
    assert told == json.loads((tmp_path / "out" / "evaluation.json").read_text())
    (group,) = told["groups"]
    names = [row["name"] for row in group["rows"]]
    assert names[:3] == ["model", "model, edges shuffled", "model, no edges"]
    assert {"fallback", "N-sigma", "BARO's scorer", "personalised PageRank", "chance"} <= set(names)
    assert group["faults"] >= 8
    ac1 = {row["name"]: row["node"]["ac1"] for row in group["rows"]}
    assert ac1["model"]["mean"] > ac1["chance"]["mean"]
    assert ac1["model"]["low"] <= ac1["model"]["mean"] <= ac1["model"]["high"]


def test_a_worse_bundle_ends_in_findings_and_a_better_one_does_not(tmp_path: Path, recorded: Path) -> None:
    good = bundle(tmp_path / "good").path
    bad = bundle(tmp_path / "bad", factor=-3.0).path
    worse = evaluate(tmp_path, str(bad), "--data", str(recorded), "--against", str(good))
    assert worse.exit_code == exits.FINDINGS, worse.output
    assert "worse beyond noise (all, shop)" in worse.stdout
    better = evaluate(tmp_path, str(good), "--data", str(recorded), "--against", str(bad))
    assert better.exit_code == exits.OK, better.output
    assert "not worse beyond noise" in better.stdout


def test_a_folder_without_recordings_is_wrong_use(tmp_path: Path) -> None:
    done = evaluate(tmp_path, default_bundle().name, "--data", str(tmp_path))
    assert done.exit_code == exits.USAGE
    assert "faultline recording import" in done.stderr


def test_nothing_to_judge_on_is_wrong_use(tmp_path: Path) -> None:
    done = evaluate(tmp_path, default_bundle().name)
    assert done.exit_code == exits.USAGE
    assert "no fault to judge on" in done.stderr
