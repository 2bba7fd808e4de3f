"""`faultline run` and `demo` as they are typed, on the real job: one run over recordings of every awkward
kind.

An incident, a healthy system, an empty recording, one node without edges, and a node that falls silent go
through one embedded job; the files, the table and the report are looked at together.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from faultline import exits
from faultline.main import app
from faultline.run_folder import open_run
from gnn.simulator import incident_recording
from onnx_models.bundle import released
from records.recordings import Recording, RecordingMeta, write_recording
from records.samples import Edge, Fault, Sample
from tests.kit.processes import inherited

ROOT = Path(__file__).resolve().parents[2]
T0 = 1_767_225_600_000
TICK = 15_000
TICKS = 120
FELL_SILENT = 80


def faultline(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, without a terminal."""
    env = {**inherited(), "PYTHONPATH": str(ROOT), **settings}
    command = [sys.executable, "-m", "faultline", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=1200, env=env, check=False)


def plain(
    path: Path, graph: str, nodes: tuple[str, ...], edges: tuple[tuple[str, str], ...] = ()
) -> Recording:
    """A recording of steady nodes; of several the last falls silent, which its callers notice."""
    meta = RecordingMeta(name=graph, graph=graph, interval=TICK, start=T0, end=T0 + TICKS * TICK)
    calls = [Edge(graph=graph, source=a, target=b, time=T0) for a, b in edges]
    dead = nodes[-1] if len(nodes) > 1 else ""
    start = T0 + FELL_SILENT * TICK
    faults = [Fault(graph=graph, node=dead, start=start, end=meta.end, kind="crash")] if dead else []
    return write_recording(path, meta, plain_samples(graph, nodes, dead), calls, faults)


def plain_samples(graph: str, nodes: tuple[str, ...], dead: str) -> Iterator[Sample]:
    """cpu and latency of each node; errors of the callers once the last node is dead."""
    for tick in range(TICKS):
        silent = tick >= FELL_SILENT
        for place, node in enumerate(nodes):
            if node == dead and silent:
                continue
            wave = ((tick * 7 + place * 3) % 5) / 10
            values = {
                "cpu": 30 + wave,
                "latency": 0.05 + wave / 100,
                "errors": 5.0 if silent and dead else wave / 100,
            }
            for signal, value in values.items():
                fields = {
                    "graph": graph,
                    "node": node,
                    "metric": f"{signal}_value",
                    "value": value,
                    "signal": signal,
                }
                yield Sample.model_validate({**fields, "time": T0 + tick * TICK})


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The folder of the run, whose path has a space, and what it printed with --json."""
    folder = tmp_path_factory.mktemp("run command")
    recordings = [
        incident_recording(folder / "incident", seed=7),
        incident_recording(folder / "healthy", seed=11, graph="bank", fault=False, healthy_ticks=120),
        plain(folder / "one", "one", ("alone",)),
        plain(folder / "silent", "silent", ("web", "api", "store"), (("web", "api"), ("api", "store"))),
        write_recording(
            folder / "empty", RecordingMeta(name="empty", graph="empty", interval=TICK, start=T0, end=T0), []
        ),
    ]
    out = folder / "out"
    ran = faultline("run", *(str(each.path) for each in recordings), "--out", str(out), "--json")
    assert ran.returncode == exits.OK, ran.stderr
    assert "Traceback" not in ran.stderr
    return out, json.loads(ran.stdout)


def incidents_of(told: dict[str, Any], graph: str) -> list[dict[str, Any]]:
    return [each for each in told["incidents"] if each["graph"] == graph]


def fault_of(told: dict[str, Any], graph: str) -> dict[str, Any]:
    (fault,) = [each for each in told["judgement"]["faults"] if each["graph"] == graph]
    return dict(fault)


def test_the_injected_cause_is_first(done: tuple[Path, dict[str, Any]]) -> None:
    told = done[1]

    assert fault_of(told, "shop")["rank"] == 1
    assert {each["method"] for each in incidents_of(told, "shop")} == {"model"}


def test_a_node_that_fell_silent_is_named(done: tuple[Path, dict[str, Any]]) -> None:
    fault = fault_of(done[1], "silent")

    assert fault["node"] == "store"
    assert fault["rank"] == 1


def test_healthy_empty_and_single_nodes_stay_quiet(done: tuple[Path, dict[str, Any]]) -> None:
    told = done[1]

    assert [incidents_of(told, graph) for graph in ("bank", "empty", "one")] == [[], [], []]


def test_the_folder_holds_what_the_run_found(done: tuple[Path, dict[str, Any]]) -> None:
    out, told = done
    names = {path.name for path in out.iterdir()}

    assert {"incidents.ndjson", "matches.ndjson", "frames", "run.json", "report.html"} <= names
    assert told["counts"]["samples"] > 10_000
    assert told["counts"]["dead_letters"] == told["counts"]["late"] == 0
    assert told["report"] == str(out / "report.html")
    assert "store" in (out / "report.html").read_text(encoding="utf-8")


def test_every_event_is_derived_anew_from_the_frames_of_the_run(done: tuple[Path, dict[str, Any]]) -> None:
    out = done[0]
    ids = [event.id for event in open_run(out).events()]
    assert len(ids) >= 3
    for each in (*ids, ids[0].partition(":")[0]):
        ran = CliRunner().invoke(app, ["events", "explain", each, str(out), "--json"])
        assert ran.exit_code == exits.OK, ran.output
        told = json.loads(ran.stdout)
        assert (told["same"], told["differences"]) == (True, [])
    shown = CliRunner().invoke(app, ["events", "explain", ids[0], str(out)]).stdout
    assert f"{ids[0]}: the same answer by faultline-gnn-" in shown


def test_what_cannot_be_derived_is_said(done: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    out = done[0]
    first = next(iter(open_run(out).events()))
    (tmp_path / "incidents.ndjson").write_bytes((out / "incidents.ndjson").read_bytes())
    bare = CliRunner().invoke(app, ["events", "explain", first.id, str(tmp_path)])
    assert bare.exit_code == exits.FINDINGS
    assert "no window of the archive is sha256:" in bare.stdout
    older = CliRunner().invoke(app, ["events", "explain", first.id, str(out), "--model", str(released()[0])])
    assert older.exit_code == exits.USAGE
    assert "is not the model in" in older.stderr
    nobody = CliRunner().invoke(app, ["events", "explain", f"{first.incident_id}:99", str(out)])
    assert nobody.exit_code == exits.USAGE


def test_a_second_run_replaces_the_first_and_prints_a_table(done: tuple[Path, dict[str, Any]]) -> None:
    out = done[0]
    again = faultline("run", str(out.parent / "empty"), "--out", str(out))

    assert again.returncode == exits.OK, again.stderr
    assert again.stdout == f"no incident\nreport: {out / 'report.html'}\n"


@pytest.mark.parametrize(
    ("settings", "arguments", "code", "message"),
    [
        ({"FAULTLINE_RESEND_AFTER": "1m"}, (), exits.USAGE, "unknown variable FAULTLINE_RESEND_AFTER"),
        ({"FAULTLINE_JAR": "gone.jar"}, (), exits.ENVIRONMENT, "gone.jar: the jar is missing"),
        ({"JAVA_HOME": "nowhere"}, (), exits.ENVIRONMENT, "install a JDK 17"),
        ({}, ("--model", "nowhere"), exits.ENVIRONMENT, "no manifest.json in the bundle"),
        ({}, ("--patterns", "nowhere"), exits.USAGE, "nowhere: cannot be read"),
        ({}, ("--provider", "tpu"), exits.USAGE, "score.provider"),
    ],
)
def test_what_is_wrong_is_named_with_its_mend(
    settings: dict[str, str], arguments: tuple[str, ...], code: int, message: str, tmp_path: Path
) -> None:
    recording = plain(tmp_path / "recording", "one", ("alone",))
    ran = faultline("run", str(recording.path), "--out", str(tmp_path / "out"), *arguments, **settings)

    assert ran.returncode == code, ran.stderr
    assert message in ran.stderr
    assert "mend: " in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_wrong_hash_of_the_model_is_named(tmp_path: Path) -> None:
    from shutil import copytree

    from onnx_models.bundle import default_bundle

    bundle = copytree(default_bundle(), tmp_path / default_bundle().name)
    (bundle / "model.onnx").write_bytes((bundle / "model.onnx").read_bytes() + b"x")
    recording = plain(tmp_path / "recording", "one", ("alone",))
    ran = faultline("run", str(recording.path), "--out", str(tmp_path / "out"), "--model", str(bundle))

    assert ran.returncode == exits.ENVIRONMENT
    assert "its manifest says" in ran.stderr
    assert "mend: " in ran.stderr


def test_the_demo_finds_its_own_fault(tmp_path: Path) -> None:
    ran = faultline("demo", "--out", str(tmp_path / "demo"), "--json")

    assert ran.returncode == exits.OK, ran.stderr
    assert json.loads(ran.stdout)["judgement"]["summary"]["ac1"] == 1
    assert (tmp_path / "demo" / "run" / "report.html").is_file()
