"""A Flink cluster: submits the job with Flink's own client, asks and stops jobs over its REST interface.

Owns the command line of `flink run` and the answers of REST; job.py shows them. Imports records and the
standard library; Flink is found beside the installed package, never imported.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from records.errors import ConfigError, FaultlineError, MachineError, UsageError

DEFAULT_ADDRESS: Final = "localhost:8081"
RUNNING: Final = ("INITIALIZING", "CREATED", "RUNNING", "RESTARTING", "RECONCILING", "FAILING", "CANCELLING")
"""States of a job that has not ended."""
_SUBMITTED: Final = re.compile(r"JobID ([0-9a-f]{32})")
_OURS: Final = re.compile(r"^faultline: (.*(?:\n(?:  mend: .*))?)", re.M)
_CAUSE: Final = re.compile(r"^Caused by: (.*)$", re.M)
_POLL_S: Final = 0.3


@dataclass(frozen=True)
class JobState:
    """One job as the cluster tells it. Times in ms; `checkpoint` is when the newest complete one was
    taken, `checkpoint_path` where it lies.
    """

    id: str
    name: str
    state: str
    start: int
    duration_ms: int
    checkpoint: int | None
    checkpoint_path: str | None
    reason: str | None

    @property
    def ended(self) -> bool:
        """Whether the job has come to its end, one way or another."""
        return self.state not in RUNNING


class Cluster:
    """The cluster at `address` (HOST:PORT of its REST interface)."""

    def __init__(self, address: str) -> None:
        self.address = address

    def jobs(self) -> list[JobState]:
        """Every job the cluster knows, the newest first; MachineError where it does not answer."""
        told = self._rest("/jobs/overview")["jobs"]
        return [self._state(each) for each in sorted(told, key=lambda each: -each["start-time"])]

    def job(self, named: str | None) -> JobState:
        """The job with this id or name; without one the only job that has not ended. UsageError otherwise."""
        jobs = self.jobs()
        found = [each for each in jobs if named in (each.id, each.name)] if named else jobs
        live = [each for each in found if not each.ended] or (found[:1] if named else [])
        if len(live) == 1:
            return live[0]
        told = ", ".join(f"{each.id} ({each.name}, {each.state})" for each in jobs) or "none"
        what = f"no job {named!r}" if named and not live else f"{len(live)} jobs fit"
        raise UsageError(f"{self.address}: {what}", f"name one by its id; there are: {told}")

    def stop(self, job: JobState, savepoints: str | None) -> str:
        """Stops the job with a savepoint (below `savepoints`, else where the cluster keeps them); its
        path.
        """
        body = {"drain": False} | ({} if savepoints is None else {"targetDirectory": savepoints})
        trigger = self._rest(f"/jobs/{job.id}/stop", body)["request-id"]
        while True:
            told = self._rest(f"/jobs/{job.id}/savepoints/{trigger}")
            if told["status"]["id"] == "COMPLETED":
                break
            time.sleep(_POLL_S)
        failure = told["operation"].get("failure-cause")
        if failure:
            reason = str(failure.get("stack-trace", "")).partition("\n")[0]
            mend = (
                "set execution.checkpointing.savepoint-dir, or name --savepoints; --no-savepoint cancels it"
            )
            raise MachineError(f"job {job.id} was not stopped: {reason}", mend)
        return str(told["operation"]["location"])

    def cancel(self, job: JobState) -> None:
        """Ends the job at once; what it had not checkpointed is read again by the next one."""
        self._rest(f"/jobs/{job.id}", method="PATCH")

    def _state(self, told: Mapping[str, Any]) -> JobState:
        newest = self._rest(f"/jobs/{told['jid']}/checkpoints").get("latest", {}).get("completed") or {}
        reason = None
        if told["state"] in ("FAILED", "FAILING", "RESTARTING"):
            entries = (
                self._rest(f"/jobs/{told['jid']}/exceptions").get("exceptionHistory", {}).get("entries", [])
            )
            reason = _root(entries[0]["stacktrace"]) if entries else None
        return JobState(
            told["jid"],
            told["name"],
            told["state"],
            told["start-time"],
            told["duration"],
            newest.get("trigger_timestamp"),
            newest.get("external_path"),
            reason,
        )

    def _rest(self, path: str, body: Mapping[str, Any] | None = None, method: str | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://{self.address}{path}", data, {"Content-Type": "application/json"}, method=method
        )
        mend = "start the cluster, or name its REST interface with --flink HOST:PORT"
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            raise MachineError(f"Flink at {self.address} refused {path}: {_told(text)}") from error
        except (OSError, ValueError) as error:
            raise MachineError(f"no Flink cluster at {self.address}: {error}", mend) from error


def address_of(named: str | None) -> str:
    """HOST:PORT: what was named, else what Flink's configuration says, else the default."""
    if named is not None:
        return named.removeprefix("http://").rstrip("/")
    host = _configured("rest", "address") or DEFAULT_ADDRESS.partition(":")[0]
    return f"{host}:{_configured('rest', 'port') or DEFAULT_ADDRESS.partition(':')[2]}"


def checkpoints_folder() -> str | None:
    """The folder for checkpoints that Flink's configuration names; None where it names none."""
    found = _configured("execution", "checkpointing", "dir")
    return None if found is None else str(found)


def _configured(*keys: str) -> Any:
    """What Flink's configuration says of a key, nested or dotted; None where it says nothing."""
    file = configuration_folder() / "config.yaml"
    if not file.is_file():
        return None
    import yaml

    read = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    nested = read
    for key in keys:
        nested = nested.get(key) if isinstance(nested, dict) else None
    return read.get(".".join(keys)) if nested is None else nested


def configuration_folder() -> Path:
    """FLINK_CONF_DIR, else the project's own flink-conf."""
    named = os.environ.get("FLINK_CONF_DIR")
    return Path(named) if named else Path(__file__).resolve().parents[1] / "flink-conf"


def submit(
    address: str,
    config: Path,
    settings: Sequence[str],
    state: str | None,
    *,
    claim: bool = False,
    partly: bool = False,
) -> str:
    """Submits the job of `config` with KEY=VALUE `settings` and returns its id.

    `state`: the savepoint or checkpoint to go on from. `claim`: it becomes the job's own, which deletes it
    once it has a newer one. `partly`: leave out state that no operator of this configuration takes.

    The program is `jobs.main`, run by this interpreter here and on the cluster: an environment with the
    dependencies of faultline[job] must be at the same path on every TaskManager. The project's own packages
    are shipped. FaultlineError with Flink's own words where it is refused.
    """
    from jobs.shipping import stage

    if " " in sys.executable:
        raise MachineError(
            f"{sys.executable} has a space in it, which Flink's scripts do not quote",
            "make the virtual environment in a folder without a space",
        )
    Cluster(address).jobs()
    with tempfile.TemporaryDirectory(prefix="faultline-") as scratch:
        packages = stage(Path(scratch) / "packages")
        command = _command(address, config, settings, _from(state, claim, partly), packages)
        env = _environment(Path(scratch), packages)
        done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    found = _SUBMITTED.search(done.stdout)
    if found is None or done.returncode != 0:
        raise refusal(done.stdout + done.stderr)
    return found[1]


def _from(state: str | None, claim: bool, partly: bool) -> list[str]:
    if state is None:
        return []
    left_out = ["--allowNonRestoredState"] if partly else []
    return ["--fromSavepoint", state, "--claimMode", "CLAIM" if claim else "NO_CLAIM", *left_out]


def _command(
    address: str, config: Path, settings: Sequence[str], state: Sequence[str], packages: Path
) -> list[str]:
    from records.java import find_jar, flink_libraries

    flink = flink_libraries()[0].parent.parent / "bin" / "flink"
    python = ["-pyexec", sys.executable, "-pyclientexec", sys.executable]
    files = ["-j", str(find_jar().resolve()), "-pyfs", str(packages), "-pym", "jobs.main"]
    options = ["--detached", "-m", address, *state, *python, *files]
    return [str(flink), "run", *options, str(config.resolve()), *settings]


def _environment(logs: Path, packages: Path) -> dict[str, str]:
    from records.java import find_java

    paths = [str(packages), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        "FLINK_LOG_DIR": str(logs),
        **os.environ,
        "FLINK_CONF_DIR": str(configuration_folder()),
        "JAVA_HOME": str(find_java().resolve().parents[1]),
        "PYTHONPATH": os.pathsep.join(paths),
    }


def refusal(output: str) -> FaultlineError:
    """What `flink run` said, as an error: our own message where there is one, else the root cause."""
    ours = _OURS.findall(output)
    if ours:
        message, _, mend = ours[-1].partition("\n  mend: ")
        return ConfigError(message, mend)
    return MachineError(f"flink run failed: {_root(output)}", "`faultline doctor` names what is missing")


def _root(stacktrace: str) -> str:
    """The first line of the innermost cause of a Java stack trace."""
    causes = _CAUSE.findall(stacktrace)
    lines = [line for line in stacktrace.strip().splitlines() if line.strip()]
    return str(causes[-1]) if causes else (lines[-1 if len(lines) < 3 else 0] if lines else "it said nothing")


def _told(text: str) -> str:
    """The first line of what REST says is wrong."""
    try:
        errors = json.loads(text)["errors"]
    except (ValueError, KeyError, TypeError):
        return text[:200]
    lines = [line for error in errors for line in str(error).splitlines() if line.strip()]
    return next((line for line in reversed(lines) if line.startswith("Caused by")), lines[0] if lines else "")
