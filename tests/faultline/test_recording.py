"""`faultline recording import` as it is typed: recordings, what is left out, progress, wrong use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from faultline import exits
from faultline.main import app

ROWS = "\n".join(f"{1_705_000_000 + row},{row}.5" for row in range(60))


def case(folder: Path, inject_time: int = 1_705_000_030) -> None:
    """A case of RCAEval."""
    folder.mkdir(parents=True)
    (folder / "inject_time.txt").write_text(f"{inject_time}\n")
    (folder / "data.csv").write_text(f"time,cartservice_cpu\n{ROWS}\n")


def test_a_data_set_becomes_recordings_with_progress_on_stderr(tmp_path: Path) -> None:
    case(tmp_path / "RE1-OB" / "cartservice_cpu" / "1")
    arguments = ["recording", "import", "rcaeval", str(tmp_path / "RE1-OB"), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*arguments, "--json"])

    assert done.exit_code == exits.OK, done.output
    (line,) = done.stdout.splitlines()
    told = json.loads(line)
    assert told["recording"] == str(tmp_path / "out" / "rcaeval-RE1-OB-cartservice_cpu-1")
    assert (told["graph"], told["licence"], told["retimed"]) == ("online-boutique", "MIT", [])
    assert "case 1 of 1: RE1-OB/cartservice_cpu/1" in done.stderr
    assert done.stderr.endswith("1 recording, 0 left out\n")
    checked = CliRunner().invoke(app, ["recording", "check", told["recording"]])
    assert checked.stdout.endswith("fit: 60 samples, 1 series, 1 node, 0 edges, 1 fault\n")


def test_a_case_that_is_left_out_is_told_and_a_finding(tmp_path: Path) -> None:
    case(tmp_path / "RE1-OB" / "cartservice_cpu" / "1")
    case(tmp_path / "RE1-OB" / "cartservice_cpu" / "2", inject_time=16_900_000)
    arguments = ["recording", "import", "rcaeval", str(tmp_path / "RE1-OB"), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*arguments, "--json"])

    assert done.exit_code == exits.FINDINGS
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each.get("left_out") for each in told] == [None, "RE1-OB/cartservice_cpu/2"]
    assert "outside" in told[1]["reason"]
    assert "error: RE1-OB/cartservice_cpu/2 is left out" in CliRunner().invoke(app, arguments).stderr


@pytest.mark.parametrize("publisher", ["nezha", "petshop", "rcaeval"])
def test_a_folder_of_something_else_is_told_the_layout(tmp_path: Path, publisher: str) -> None:
    done = CliRunner().invoke(app, ["recording", "import", publisher, str(tmp_path), "--out", str(tmp_path)])

    assert done.exit_code == exits.FINDINGS
    assert "error: " in done.stderr
    assert "mend: " in done.stderr
    assert done.stdout == ""


def test_calls_are_given_only_where_a_set_has_none(tmp_path: Path) -> None:
    (tmp_path / "calls.csv").write_text("source,target\n")
    arguments = ["recording", "import", "petshop", str(tmp_path), "--edges", str(tmp_path / "calls.csv")]
    done = CliRunner().invoke(app, arguments)

    assert done.exit_code == exits.USAGE
    assert "petshop has its own calls" in done.stderr


def test_an_unknown_publisher_is_wrong_use(tmp_path: Path) -> None:
    assert CliRunner().invoke(app, ["recording", "import", "petshp", str(tmp_path)]).exit_code == exits.USAGE
