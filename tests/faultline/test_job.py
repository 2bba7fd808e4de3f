"""The job commands against a small server that answers as Flink's REST interface does.

The real cluster is in tests/e2e; here are the answers it seldom gives: no savepoint folder, two jobs.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from faultline import exits
from faultline.cluster import address_of, refusal
from faultline.main import app
from records.errors import ConfigError, MachineError

ID, OTHER = "a" * 32, "b" * 32
TRACE = "org.apache.flink.JobException: gone\n\tat x\nCaused by: java.io.IOException: disk is full\n\tat y\n"


@dataclass
class Flink:
    """Answers by method and path; keeps what it was asked."""

    address: str = ""
    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def job(self, job_id: str, state: str, **more: Any) -> None:
        """Adds a job, newest last."""
        jobs = self.answers.setdefault("GET /jobs/overview", {"jobs": []})["jobs"]
        start = 1_767_225_600_000 + len(jobs)
        jobs.append(
            {"jid": job_id, "name": "faultline", "state": state, "start-time": start, "duration": 61_000}
        )
        self.answers[f"GET /jobs/{job_id}/checkpoints"] = {"latest": {"completed": more.get("checkpoint")}}
        entries = [{"stacktrace": TRACE}] if state == "RESTARTING" else []
        self.answers[f"GET /jobs/{job_id}/exceptions"] = {"exceptionHistory": {"entries": entries}}

    def savepoint(self, operation: dict[str, Any]) -> None:
        """Stopping the job ends so."""
        self.answers[f"POST /jobs/{ID}/stop"] = {"request-id": "t1"}
        told = {"status": {"id": "COMPLETED"}, "operation": operation}
        self.answers[f"GET /jobs/{ID}/savepoints/t1"] = told


@pytest.fixture
def flink() -> Iterator[Flink]:
    """A server with no jobs yet."""
    state = Flink(answers={"GET /jobs/overview": {"jobs": []}})

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length).decode()
            state.asked.append(f"{self.command} {self.path} {body}".strip())
            found = state.answers.get(f"{self.command} {self.path}")
            text = json.dumps(found if found is not None else {"errors": ["no such path"]}).encode()
            self.send_response(200 if found is not None else 404)
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PATCH = answer

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    state.address = f"127.0.0.1:{server.server_port}"
    yield state
    server.shutdown()


def run(flink: Flink, *arguments: str) -> Any:
    """A job command against the server."""
    return CliRunner().invoke(app, ["job", *arguments, "--flink", flink.address])


def test_jobs_are_listed_newest_first(flink: Flink) -> None:
    flink.job(OTHER, "FINISHED")
    flink.job(ID, "RUNNING", checkpoint={"trigger_timestamp": 1_767_225_660_000})
    done = run(flink, "status")

    lines = done.stdout.splitlines()
    assert done.exit_code == exits.OK
    assert lines[1].split() == [
        ID,
        *["faultline", "RUNNING", "2026-01-01", "00:00:00", "1", "min", "1", "s", "2026-01-01", "00:01:00"],
    ]
    assert lines[2].startswith(f"{OTHER}  faultline  FINISHED")


def test_a_named_job_that_does_not_run_is_a_finding(flink: Flink) -> None:
    flink.job(ID, "RESTARTING")
    done = run(flink, "status", "faultline", "--json")

    told = json.loads(done.stdout)
    assert done.exit_code == exits.FINDINGS
    assert (told["state"], told["reason"]) == ("RESTARTING", "java.io.IOException: disk is full")


def test_the_only_running_job_is_stopped_with_a_savepoint(flink: Flink) -> None:
    flink.job(OTHER, "FAILED")
    flink.job(ID, "RUNNING")
    flink.savepoint({"location": "file:/s/1"})
    done = run(flink, "stop", "--savepoints", "file:///s", "--json")

    assert json.loads(done.stdout) == {"id": ID, "savepoint": "file:/s/1"}
    assert f'POST /jobs/{ID}/stop {{"drain": false, "targetDirectory": "file:///s"}}' in flink.asked


def test_a_savepoint_that_fails_is_told_with_its_mend(flink: Flink) -> None:
    flink.job(ID, "RUNNING")
    flink.savepoint({"failure-cause": {"stack-trace": "no default savepoint directory\n\tat x"}})
    done = run(flink, "stop")

    assert done.exit_code == exits.ENVIRONMENT
    assert "was not stopped: no default savepoint directory" in done.stderr
    assert "--no-savepoint" in done.stderr


def test_a_job_can_be_cancelled(flink: Flink) -> None:
    flink.job(ID, "RUNNING")
    flink.answers[f"PATCH /jobs/{ID}"] = {}
    done = run(flink, "stop", ID, "--no-savepoint")

    assert (done.exit_code, done.stdout) == (exits.OK, f"{ID} cancelled\n")


def test_of_two_jobs_one_must_be_named(flink: Flink) -> None:
    flink.job(ID, "RUNNING")
    flink.job(OTHER, "RUNNING")
    done = run(flink, "stop")

    assert done.exit_code == exits.USAGE
    assert "2 jobs fit" in done.stderr
    assert OTHER in done.stderr


def test_a_job_that_is_not_there_is_wrong_use(flink: Flink) -> None:
    done = run(flink, "status", "other")

    assert done.exit_code == exits.USAGE
    assert "no job 'other'" in done.stderr


def test_no_jobs(flink: Flink) -> None:
    assert run(flink, "status").stdout == "no job\n"


def test_a_cluster_that_is_not_there_is_named() -> None:
    done = CliRunner().invoke(app, ["job", "status", "--flink", "localhost:1"])

    assert done.exit_code == exits.ENVIRONMENT
    assert "no Flink cluster at localhost:1" in done.stderr
    assert "--flink HOST:PORT" in done.stderr


def test_a_wrong_configuration_is_refused_before_anything_is_submitted(flink: Flink, tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text("sources: []\nsink: {}\n")
    done = run(flink, "submit", "--config", str(file))

    assert done.exit_code == exits.USAGE
    assert "unknown key 'sink'" in done.stderr
    assert "did you mean 'sinks'?" in done.stderr
    assert flink.asked == []


def write_job(folder: Path, name: str) -> Path:
    """A configuration that can be submitted."""
    kafka = "bootstrap_servers: 'b:1'"
    file = folder / "job.yaml"
    file.write_text(
        f"name: {name}\nsources: [{{type: kafka, {kafka}, topic: t}}]\nsinks: {{kafka: {{{kafka}}}}}\n"
    )
    return file


def test_a_job_that_lives_is_not_resumed(
    flink: Flink, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLINK_CONF_DIR", str(tmp_path))
    flink.job(ID, "RESTARTING")
    named = ["resume", "--config", str(write_job(tmp_path, "faultline"))]
    nowhere = run(flink, *named)
    assert nowhere.exit_code == exits.USAGE
    assert "checkpoint.dir is unsaid" in nowhere.stderr
    alive = run(flink, *named, "--checkpoints", str(tmp_path))
    assert alive.exit_code == exits.USAGE
    assert f"'faultline' is not lost: it is {ID}" in alive.stderr


def test_a_lost_job_without_a_checkpoint_is_told_with_its_folder(
    flink: Flink, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLINK_CONF_DIR", str(tmp_path))
    checkpoints = (tmp_path / "checkpoints").as_uri()
    (tmp_path / "config.yaml").write_text(f"execution.checkpointing.dir: {checkpoints}\n")
    flink.job(ID, "RUNNING")
    done = run(flink, "resume", "--config", str(write_job(tmp_path, "shop")))

    assert done.exit_code == exits.USAGE
    assert f"{checkpoints}/shop: no complete checkpoint" in done.stderr


def test_the_address_comes_from_flinks_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLINK_CONF_DIR", str(tmp_path))
    assert address_of(None) == "localhost:8081"
    (tmp_path / "config.yaml").write_text("rest: {address: flink.example, port: 9000}\n")
    assert address_of(None) == "flink.example:9000"
    (tmp_path / "config.yaml").write_text("rest.address: flat.example\n")
    assert address_of(None) == "flat.example:8081"
    assert address_of("http://x:1/") == "x:1"


def test_our_own_refusal_is_told_in_our_words() -> None:
    error = refusal("noise\nfaultline: job.yaml: unknown key 'x'\n  mend: correct it\nException in thread\n")

    assert isinstance(error, ConfigError)
    assert (error.message, error.mend) == ("job.yaml: unknown key 'x'", "correct it")


def test_flinks_refusal_is_told_by_its_root_cause() -> None:
    error = refusal(f"The program finished with:\n{TRACE}")

    assert isinstance(error, MachineError)
    assert error.message == "flink run failed: java.io.IOException: disk is full"
