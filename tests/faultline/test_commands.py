"""The commands as they are typed: what goes to stdout, what to stderr, and how they end."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from faultline import console, exits
from faultline.cli import FaultlineGroup
from faultline.main import app
from records.errors import ConfigError, DataError, FaultlineError, MachineError, PatternError, UsageError
from tests.faultline.run_folder_kit import recording, run_folder
from tests.kit.processes import inherited

ROOT = Path(__file__).resolve().parents[2]
BAD_PATTERN = "id: broken\nversion: 1\nkey: series\nsteps:\n- {name: high, were: value > 1}\n"
GOOD_PATTERN = "id: fine\nversion: 1\nkey: series\nsteps:\n- {name: high, where: value > 95}\nwithin: 30s\n"


def faultline(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    env = {**inherited(), "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    command = [sys.executable, "-m", "faultline", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, env=env, cwd=cwd, check=False)


def test_a_good_recording_is_fit(tmp_path: Path) -> None:
    recording(tmp_path / "r")
    done = faultline("recording", "check", str(tmp_path / "r"))

    assert done.returncode == exits.OK
    assert done.stdout == f"{tmp_path / 'r'}: fit: 2,736 samples, 31 series, 11 nodes, 13 edges, 1 fault\n"
    assert done.stderr == f"reading {tmp_path / 'r'}\n"


def test_a_bad_recording_is_a_finding(tmp_path: Path) -> None:
    recording(tmp_path / "r")
    (tmp_path / "r" / "faults.ndjson").write_text('{"graph":"shop"}\n')
    done = CliRunner().invoke(app, ["recording", "check", str(tmp_path / "r"), "--json"])

    assert done.exit_code == exits.FINDINGS
    told = json.loads(done.stdout)
    assert told["ok"] is False
    assert told["findings"][0]["file"] == "faults.ndjson"


def test_a_folder_that_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    done = faultline("recording", "check", str(tmp_path / "gone"))

    assert done.returncode == exits.USAGE
    assert "gone" in done.stderr
    assert done.stdout == ""


def test_an_unknown_command_is_wrong_use() -> None:
    assert faultline("recordin", "check").returncode == exits.USAGE


def test_a_pattern_with_an_unknown_key_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text(BAD_PATTERN)
    done = CliRunner().invoke(app, ["pattern", "validate", str(file), "--json"])

    assert done.exit_code == exits.FINDINGS
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert any("'were'" in each["message"] and "'where'" in each["message"] for each in told)


def test_a_good_pattern_and_the_library_are_valid(tmp_path: Path) -> None:
    file = tmp_path / "fine.yaml"
    file.write_text(GOOD_PATTERN)
    runner = CliRunner()

    assert runner.invoke(app, ["pattern", "validate", str(file)]).exit_code == exits.OK
    assert runner.invoke(app, ["pattern", "validate"]).exit_code == exits.OK


def test_patterns_are_listed(tmp_path: Path) -> None:
    file = tmp_path / "fine.yaml"
    file.write_text(GOOD_PATTERN)
    runner = CliRunner()
    lines = runner.invoke(app, ["pattern", "list", str(file)]).stdout.splitlines()

    assert lines[0].split() == ["id", "version", "maturity", "severity", "key", "within", "description"]
    assert lines[1].split() == ["fine", "1", "experimental", "warning", "series", "30", "s"]
    (told,) = runner.invoke(app, ["pattern", "list", str(file), "--json"]).stdout.splitlines()
    assert json.loads(told)["within_ms"] == 30_000


def test_listing_a_broken_pattern_is_wrong_use_with_a_mend(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text(BAD_PATTERN)
    done = faultline("pattern", "list", str(tmp_path))

    assert done.returncode == exits.USAGE
    assert "error: " in done.stderr
    assert "mend: " in done.stderr
    assert "Traceback" not in done.stderr


def test_debug_shows_where_an_error_comes_from(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text(BAD_PATTERN)
    done = faultline("--debug", "pattern", "list", str(tmp_path))

    assert "Traceback" in done.stderr
    assert "PatternError" in done.stderr


def test_events_of_a_file_are_printed_a_line_each(tmp_path: Path) -> None:
    out = run_folder(tmp_path / "run")
    done = faultline("events", "tail", str(out / "incidents.ndjson"))

    lines = done.stdout.splitlines()
    assert done.returncode == exits.OK
    assert [line.split()[2] for line in lines] == ["opened", "updated", "resolved"]
    assert lines[0].endswith(
        "cart cpu 0.87 by model: cpu of cart rose to 97.4 %, 29 robust deviations above its baseline."
    )


def test_events_as_json_can_be_limited(tmp_path: Path) -> None:
    out = run_folder(tmp_path / "run")
    done = CliRunner().invoke(
        app, ["events", "tail", str(out / "incidents.ndjson"), "--json", "--limit", "2"]
    )

    assert [json.loads(line)["revision"] for line in done.stdout.splitlines()] == [1, 2]


def test_events_need_one_place(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["events", "tail"])

    assert done.exit_code == exits.USAGE
    assert "--bootstrap-servers" in done.stderr


def test_a_broker_that_is_down_is_named_with_its_mend() -> None:
    done = faultline("events", "tail", "--bootstrap-servers", "localhost:1")

    assert done.returncode == exits.ENVIRONMENT
    assert "no Kafka broker at localhost:1" in done.stderr
    assert "mend: start the broker" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_report_is_written_anew(tmp_path: Path) -> None:
    out = run_folder(tmp_path / "run")
    done = faultline("events", "report", str(out), "--json")

    assert json.loads(done.stdout) == {"report": str(out / "report.html")}
    assert "cart" in (out / "report.html").read_text(encoding="utf-8")


def test_a_folder_without_a_run_is_wrong_use(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["events", "report", str(tmp_path)])

    assert done.exit_code == exits.USAGE
    assert "no run in this folder" in done.stderr


def test_the_version_is_printed() -> None:
    assert CliRunner().invoke(app, ["--version"]).stdout.startswith("faultline ")


def test_every_command_has_help_and_json() -> None:
    runner, seen = CliRunner(), 0
    waiting: list[tuple[tuple[str, ...], Any]] = [((), typer.main.get_command(app))]
    while waiting:
        path, command = waiting.pop()
        below = getattr(command, "commands", {})
        waiting += [((*path, name), each) for name, each in below.items()]
        done = runner.invoke(app, [*path, "--help"])
        assert done.exit_code == exits.OK
        if not below:
            seen += 1
            assert {"--json"} <= {name for each in command.params for name in each.opts}, path
    assert seen >= 8


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), exits.USAGE),
        (ConfigError("x"), exits.USAGE),
        (PatternError("x"), exits.USAGE),
        (DataError("x"), exits.FINDINGS),
        (MachineError("x"), exits.ENVIRONMENT),
        (FaultlineError("x"), exits.ENVIRONMENT),
    ],
)
def test_each_error_has_its_exit_code(error: FaultlineError, code: int) -> None:
    assert exits.exit_code(error) == code


def test_a_fault_of_our_own_is_not_taken_for_a_finding() -> None:
    broken = typer.Typer(cls=FaultlineGroup)

    @broken.callback()
    def root(debug: bool = False) -> None: ...

    @broken.command()
    def fail() -> None:
        raise ZeroDivisionError("oh")

    @broken.command()
    def stop() -> None:
        raise KeyboardInterrupt

    @broken.command()
    def write() -> None:
        Path("not/there/x").write_text("")

    @broken.command()
    def fill() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "x")

    done = CliRunner().invoke(broken, ["fail"])
    assert done.exit_code == exits.INTERNAL
    assert "ZeroDivisionError: oh" in done.stderr
    done = CliRunner().invoke(broken, ["write"])
    assert done.exit_code == exits.USAGE
    assert done.stderr.startswith("error: not/there/x: No such file or directory\n  mend: name a file")
    assert CliRunner().invoke(broken, ["fill"]).exit_code == exits.ENVIRONMENT
    assert CliRunner().invoke(broken, ["stop"]).exit_code == exits.INTERRUPTED
    assert isinstance(CliRunner().invoke(broken, ["--debug", "fail"]).exception, ZeroDivisionError)


def test_a_table_in_a_pipe_is_aligned_text() -> None:
    assert console.plain_table(("a", "long"), [["x", "1"], ["yyy", ""]]) == ["a    long", "x    1", "yyy"]


def test_a_day_of_nezha_is_imported(data_dir: Path, tmp_path: Path) -> None:
    source = str(data_dir / "nezha" / "2022-08-22")
    done = CliRunner().invoke(app, ["recording", "import", "nezha", source, "--out", str(tmp_path), "--json"])

    assert done.exit_code == exits.OK, done.output
    told = json.loads(done.stdout)
    assert told["name"] == "nezha-2022-08-22"
    assert CliRunner().invoke(app, ["recording", "check", told["recording"]]).exit_code == exits.OK


def test_a_folder_that_is_no_data_set_is_a_finding(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["recording", "import", "nezha", str(tmp_path)])

    assert done.exit_code == exits.FINDINGS
    assert "mend: " in done.stderr


def test_a_narrow_table_has_its_last_column_below() -> None:
    lines = console.narrow_table(["a", "b", "why"], [["x", "1", "since"], ["y", "2", ""]])

    assert lines == ["a  b", "x  1", "  since", "y  2"]
