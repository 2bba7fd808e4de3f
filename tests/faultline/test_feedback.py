"""`events feedback`, `labels` and `schema` as they are typed, on a file of events."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from faultline import exits
from faultline.main import app
from records.schema import MODELS
from tests.faultline.run_folder_kit import event

INCIDENT = event(1).incident_id


@pytest.fixture
def events(tmp_path: Path) -> Path:
    file = tmp_path / "incidents.ndjson"
    newest = event(2).model_copy(update={"time": event(1).time + 60_000})
    file.write_text("".join(each.model_dump_json() + "\n" for each in (event(1), newest)))
    return file


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["events", *arguments])


def kept(events: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in events.with_name("feedback.ndjson").read_text().splitlines()]


def test_a_verdict_becomes_a_label(events: Path) -> None:
    done = run("feedback", INCIDENT, "--verdict", "true", "--file", str(events))
    assert done.exit_code == exits.OK, done.output
    assert f"{INCIDENT} in " in done.stdout
    (verdict,) = kept(events)
    assert (verdict["revision"], verdict["until"]) == (2, event(1).time + 60_000)
    shown = run("labels", str(events.with_name("feedback.ndjson")), "--json")
    (fault,) = [json.loads(line) for line in shown.stdout.splitlines()]
    first = min(event(2).root_causes, key=lambda each: each.rank)
    assert (fault["node"], fault["kind"], fault["start"]) == (first.node, "feedback", event(2).onset)
    assert f"shop {first.node} " in run("labels", str(events.with_name("feedback.ndjson"))).stdout


def test_a_run_s_folder_goes_for_its_events(events: Path, tmp_path: Path) -> None:
    done = run("feedback", INCIDENT, "--verdict", "false", "--file", str(events.parent))
    assert done.exit_code == exits.OK, done.output
    (verdict,) = kept(events)
    assert (verdict["incident_id"], verdict["verdict"]) == (INCIDENT, "false")
    empty = tmp_path / "empty"
    empty.mkdir()
    none = run("feedback", INCIDENT, "--verdict", "false", "--file", str(empty))
    assert none.exit_code == exits.USAGE
    assert "has no incidents.ndjson" in none.stderr


def test_the_last_word_counts(events: Path) -> None:
    for verdict in ("true", "cause=some-db", "false"):
        done = run("feedback", f"{INCIDENT}:1", "--verdict", verdict, "--file", str(events), "--json")
        assert done.exit_code == exits.OK, done.output
        assert json.loads(done.stdout) == kept(events)[-1]
    assert (
        "some-db is none of the causes"
        in run(
            "feedback", INCIDENT, "--verdict", "cause=some-db", "--signal", "cpu", "--file", str(events)
        ).stderr
    )
    file = events.with_name("feedback.ndjson")
    assert '"node":"some-db","signal":"cpu"' in run("labels", str(file), "--json").stdout
    run("feedback", INCIDENT, "--verdict", "false", "--file", str(events))
    assert run("labels", str(file)).stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody", "--verdict", "true"], "no incident 'nobody'"),
        ([INCIDENT, "--verdict", "perhaps"], "no verdict 'perhaps'"),
        ([INCIDENT, "--verdict", "cause="], "a verdict names the cause|at least 1 character"),
        ([INCIDENT, "--verdict", "true", "--signal", "cup"], "did you mean 'cpu'"),
    ],
)
def test_what_is_meant_must_be_clear(events: Path, arguments: list[str], said: str) -> None:
    done = run("feedback", *arguments, "--file", str(events))
    assert done.exit_code == exits.USAGE
    assert re.search(said, " ".join(done.stderr.split()))
    assert not events.with_name("feedback.ndjson").exists()


def test_events_come_from_one_place(events: Path) -> None:
    neither = run("feedback", INCIDENT, "--verdict", "true")
    both = run(
        "feedback", INCIDENT, "--verdict", "true", "--file", str(events), "--bootstrap-servers", "localhost:1"
    )
    assert neither.exit_code == both.exit_code == exits.USAGE
    assert "not both" in neither.stderr


def test_a_line_that_is_no_verdict_is_named(tmp_path: Path) -> None:
    file = tmp_path / "feedback.ndjson"
    file.write_text('{"v":1}\n')
    done = run("labels", str(file))
    assert done.exit_code == exits.FINDINGS
    assert "feedback.ndjson:1: graph" in "".join(done.stderr.split("\n"))


def test_every_schema_can_be_printed() -> None:
    names = run("schema").stdout.split()
    assert names == json.loads(run("schema", "--json").stdout) == sorted(MODELS)
    for name in names:
        assert json.loads(run("schema", name).stdout)["$id"].startswith("urn:faultline:schema:")
    assert "did you mean 'incident.v1'" in run("schema", "incidents.v1").stderr
