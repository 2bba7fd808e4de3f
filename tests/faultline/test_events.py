"""`events tail` and `events explain` as they are typed wrongly: what is said names the mend."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from faultline import exits
from faultline.main import app
from faultline.run_folder import INCIDENTS
from tests.faultline.run_folder_kit import event


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    told = (event(1), event(2))
    (tmp_path / INCIDENTS).write_text("".join(each.model_dump_json() + "\n" for each in told))
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["events", *arguments])


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def test_tail_takes_a_run_s_folder_or_its_file(run_folder: Path) -> None:
    of_folder, of_file = run("tail", str(run_folder)), run("tail", str(run_folder / INCIDENTS))
    assert of_folder.exit_code == exits.OK, of_folder.output
    assert of_folder.stdout == of_file.stdout
    assert event(1).id in of_folder.stdout
    assert event(2).id in of_folder.stdout


def test_tail_of_another_file_says_what_it_wants(run_folder: Path) -> None:
    other = run_folder / "matches.ndjson"
    other.write_text(json.dumps({"graph": "shop", "pattern": "cpu-deviation"}) + "\n")
    done = run("tail", str(other))
    assert done.exit_code == exits.FINDINGS
    said = in_one_line(done.stderr)
    assert f"{other}:1: no incident event: " in said
    assert "more" in said
    assert f"name a run's {INCIDENTS}" in said
    assert "pydantic" not in said


def test_an_id_that_nobody_knows_is_answered_with_what_may_be_meant(run_folder: Path) -> None:
    near = run("explain", event(1).incident_id[:-1], str(run_folder))
    assert near.exit_code == exits.USAGE
    assert f"did you mean {event(1).incident_id!r}?" in in_one_line(near.stderr)
    far = run("explain", "?", str(run_folder))
    assert f"the newest are {event(1).incident_id}" in in_one_line(far.stderr)
    assert "events tail" in far.stderr


def test_without_an_archive_nothing_is_derived_and_the_mend_is_said(run_folder: Path) -> None:
    by_the_fallback = {"model": None, "method": "fallback", "reason": "timeout"}
    told = event(1).model_copy(update=by_the_fallback)
    (run_folder / INCIDENTS).write_text(told.model_dump_json() + "\n")
    done = run("explain", told.incident_id, str(run_folder))
    assert done.exit_code == exits.FINDINGS, done.output
    assert "no window of the archive" in done.stdout
    assert "publish_frames" in done.stdout


def test_a_bundle_that_is_not_there_is_answered_with_those_that_are() -> None:
    words = ["model", "publish", "faultline-gnn-99", "--bootstrap", "localhost:1"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == exits.ENVIRONMENT
    assert "no manifest.json in the bundle faultline-gnn-99" in in_one_line(done.stderr)
    assert "faultline-gnn-1" in done.stderr
