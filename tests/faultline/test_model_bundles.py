"""`faultline model list, validate, compare`, on the shipped bundles and on damaged copies."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from faultline import exits
from faultline.main import app
from onnx_models.bundle import GOLDEN, MANIFEST, MODEL, RELEASED, default_bundle, file_sha256, released


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the shipped bundle that may be damaged."""
    return Path(shutil.copytree(default_bundle(), tmp_path / "copy-7"))


def test_list_names_every_shipped_bundle_oldest_first() -> None:
    done = CliRunner().invoke(app, ["model", "list", "--json"])
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [Path(each["path"]) for each in told] == released()
    assert [each["version"] for each in told] == sorted(each["version"] for each in told)


def test_a_shipped_bundle_gives_its_golden_answers() -> None:
    done = CliRunner().invoke(app, ["model", "validate", default_bundle().name, "--json"])
    assert done.exit_code == exits.OK
    assert json.loads(done.stdout)["golden_difference"] < 1e-4


def test_other_answers_than_the_golden_ones_are_a_finding(copy: Path) -> None:
    with np.load(copy / GOLDEN) as file:
        arrays = dict(file)
    arrays["0/node_score"] = arrays["0/node_score"] + 0.5
    with (copy / GOLDEN).open("wb") as out:
        np.savez_compressed(out, **arrays)
    manifest = json.loads((copy / MANIFEST).read_text())
    (copy / MANIFEST).write_text(json.dumps({**manifest, "golden_sha256": file_sha256(copy / GOLDEN)}))
    done = CliRunner().invoke(app, ["model", "validate", str(copy)])
    assert done.exit_code == exits.FINDINGS
    assert "bad: golden answers differ by 5.0e-01" in done.stdout


def test_a_changed_model_is_refused_with_its_mend(copy: Path) -> None:
    (copy / MODEL).write_bytes((copy / MODEL).read_bytes() + b"\0")
    done = CliRunner().invoke(app, ["model", "validate", str(copy)])
    assert done.exit_code == exits.ENVIRONMENT
    assert "SHA-256" in done.stderr
    assert "mend:" in done.stderr


def test_compare_tells_what_differs_and_nothing_else() -> None:
    one, other = (path.name for path in released(RELEASED)[:2])
    done = CliRunner().invoke(app, ["model", "compare", one, other, "--json"])
    differ = json.loads(done.stdout)["differ"]
    assert differ["version"] == [1, 2]
    assert "window_ticks" not in differ
    same = CliRunner().invoke(app, ["model", "compare", one, one, "--json"])
    assert json.loads(same.stdout)["differ"] == {}
