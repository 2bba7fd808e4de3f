"""A standalone Flink cluster from the pip package, for tests and ``make cluster``.

Its configuration is flink-conf/ with free ports, the running interpreter and folders of its own put in. Its
processes are stopped by their ids. Run as a program it stays up until Ctrl-C.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Self

import yaml

from records.java import find_java
from tests.kit.processes import (
    NotReadyError,
    Part,
    free_ports,
    inherited,
    kill,
    start,
    stop,
    until_interrupted,
    wait_until,
)

ROOT = Path(__file__).resolve().parent.parent.parent
CONF = ROOT / "flink-conf"


def flink_home() -> Path:
    """The folder of the installed apache-flink; it is not imported."""
    spec = importlib.util.find_spec("pyflink")
    if spec is None or not spec.submodule_search_locations:
        raise NotReadyError("apache-flink is not installed: pip install -c constraints.txt -e '.[job]'")
    return Path(spec.submodule_search_locations[0])


def merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """``base`` with the leaves of ``over`` put in, neither changed."""
    result = dict(base)
    for key, value in over.items():
        below = result.get(key)
        result[key] = merged(below, value) if isinstance(value, dict) and isinstance(below, dict) else value
    return result


class Cluster(Part):
    """A JobManager and ``taskmanagers`` TaskManagers while the ``with`` lasts.

    ``address`` is host:port of the REST interface, ``conf`` the folder for FLINK_CONF_DIR, ``logs`` the
    folder with the output of each process.
    """

    def __init__(
        self,
        folder: Path,
        *,
        taskmanagers: int = 1,
        slots: int = 2,
        rest_port: int = 0,
        settings: dict[str, Any] | None = None,
    ) -> None:
        """``folder`` takes everything it writes; ``settings`` is a nested part of config.yaml that wins."""
        ports = free_ports(3)
        self.folder, self.conf, self.logs = folder, folder / "conf", folder / "logs"
        self.address = f"localhost:{rest_port or ports[0]}"
        self.jobmanager: subprocess.Popen[bytes] | None = None
        self.taskmanagers: list[subprocess.Popen[bytes]] = []
        self._count, self._slots = taskmanagers, slots
        self._own: dict[str, Any] = {
            "rest": {"port": rest_port or ports[0]},
            "jobmanager": {"rpc": {"port": ports[1]}},
            "blob": {"server": {"port": ports[2]}},
            "taskmanager": {"numberOfTaskSlots": slots},
            "python": {"executable": sys.executable, "client": {"executable": sys.executable}},
            "io": {"tmp": {"dirs": str(folder / "tmp")}},
            "execution": {
                "checkpointing": {
                    "dir": (folder / "checkpoints").as_uri(),
                    "savepoint-dir": (folder / "savepoints").as_uri(),
                }
            },
            "metrics": {"reporter": {"prom": {"port": "0"}}},
        }
        self._settings = settings or {}

    def start(self, timeout_s: float = 600.0) -> Self:
        """Write the configuration, start all processes, wait until every slot is offered."""
        if " " in sys.executable:
            raise NotReadyError(
                f"Flink's scripts do not quote {sys.executable}: use a virtual environment elsewhere"
            )
        self._configure()
        self.start_jobmanager(timeout_s)
        for _ in range(self._count):
            self.add_taskmanager(timeout_s)
        return self

    def start_jobmanager(self, timeout_s: float = 600.0) -> subprocess.Popen[bytes]:
        """Start the JobManager, at the place of one that was lost too, and wait until it answers.

        With high availability that is once the lost one's session has ended.
        """
        log = self.logs / "jobmanager.out"
        process = self.jobmanager = self._run("jobmanager.sh", log)
        wait_until(lambda: self.rest("/overview") is not None, "the JobManager", log, process, timeout_s)
        return process

    def add_taskmanager(self, timeout_s: float = 600.0) -> subprocess.Popen[bytes]:
        """Start one more TaskManager and wait until its slots are offered."""
        log = self.logs / f"taskmanager-{len(self.taskmanagers)}.out"
        process = self._run("taskmanager.sh", log)
        self.taskmanagers.append(process)
        alive = sum(manager.poll() is None for manager in self.taskmanagers)

        def offered() -> bool:
            overview = self.rest("/overview") or {}
            return int(overview.get("slots-total", 0)) >= alive * self._slots

        wait_until(offered, "the TaskManager", log, process, timeout_s)
        return process

    def stop(self) -> None:
        """End all processes, TaskManagers first; a TaskManager's Python workers end with it."""
        for process in [*self.taskmanagers, *([self.jobmanager] if self.jobmanager else [])]:
            stop(process)
        self.taskmanagers, self.jobmanager = [], None

    def kill_taskmanager(self, index: int = 0) -> None:
        """KILL one TaskManager with its Python workers, as a machine that is lost."""
        kill(self.taskmanagers[index])

    def kill_jobmanager(self) -> None:
        """KILL the JobManager, as a machine that is lost; TaskManagers go on."""
        assert self.jobmanager is not None
        kill(self.jobmanager)

    def rest(self, path: str) -> Any:
        """The JSON that the REST interface answers for ``path``; None where nothing answers."""
        try:
            with urllib.request.urlopen(f"http://{self.address}{path}", timeout=10) as answer:
                return json.load(answer)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return None

    def wait_until_running(self, job: str, timeout_s: float = 600.0) -> None:
        """Wait until all tasks of a job run: after a lost JobManager the slots are free only once the
        TaskManagers miss it, and until then they go on with the job that they had."""

        def running() -> bool:
            vertices = (self.rest(f"/jobs/{job}") or {}).get("vertices", [])
            return bool(vertices) and all(each["status"] == "RUNNING" for each in vertices)

        wait_until(running, f"job {job}", self.logs / "jobmanager.out", self.jobmanager, timeout_s)

    def wait_until_checkpointed(self, job: str, timeout_s: float = 600.0) -> None:
        """Wait until a checkpoint is complete that began after this call: all that was seen is in it."""
        now = time.time_ns() // 1_000_000

        def complete() -> bool:
            newest = ((self.rest(f"/jobs/{job}/checkpoints") or {}).get("latest") or {}).get("completed")
            return newest is not None and newest["trigger_timestamp"] > now

        wait_until(
            complete, f"a checkpoint of {job}", self.logs / "jobmanager.out", self.jobmanager, timeout_s
        )

    def flink(self, *arguments: str, timeout_s: float = 900.0) -> subprocess.CompletedProcess[str]:
        """Run the ``flink`` client against this cluster; the caller looks at its status."""
        return self._client([str(flink_home() / "bin" / "flink"), *arguments], timeout_s)

    def faultline(self, *arguments: str, timeout_s: float = 1200.0) -> subprocess.CompletedProcess[str]:
        """Run the command against this cluster as a person would; the caller looks at its status."""
        return self._client([sys.executable, "-m", "faultline", *arguments], timeout_s)

    def _client(self, command: list[str], timeout_s: float) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=timeout_s, env=self.env(), check=False
        )

    def env(self) -> dict[str, str]:
        """The environment of the cluster's processes and of clients that are to find it."""
        java_home = find_java().resolve().parent.parent
        return {
            **inherited(),
            "FLINK_CONF_DIR": str(self.conf),
            "FLINK_LOG_DIR": str(self.logs),
            "FLINK_PID_DIR": str(self.folder),
            "JAVA_HOME": str(java_home),
            "PYTHONPATH": str(ROOT),
        }

    def _configure(self) -> None:
        for folder in (self.conf, self.logs, self.folder / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        for file in CONF.glob("log4j*.properties"):
            shutil.copy(file, self.conf)
        base = yaml.safe_load((CONF / "config.yaml").read_text(encoding="utf-8"))
        config = merged(merged(base, self._own), self._settings)
        (self.conf / "config.yaml").write_text(yaml.safe_dump(config, width=10_000), encoding="utf-8")

    def _run(self, script: str, log: Path) -> subprocess.Popen[bytes]:
        return start(
            [str(flink_home() / "bin" / script), "start-foreground"], log, env=self.env(), cwd=self.folder
        )


def main() -> None:
    """A cluster on this machine until Ctrl-C or TERM."""
    parser = argparse.ArgumentParser(prog="tests.kit.cluster", description=main.__doc__)
    parser.add_argument("--rest-port", type=int, default=8081)
    parser.add_argument("--slots", type=int, default=2)
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="faultline-flink-") as folder,
        Cluster(Path(folder), rest_port=given.rest_port, slots=given.slots) as cluster,
    ):
        assert cluster.jobmanager is not None
        sys.stderr.write(
            f"Flink is ready at http://{cluster.address} (logs: {cluster.logs}); Ctrl-C ends it\n"
        )
        until_interrupted(cluster.jobmanager)


if __name__ == "__main__":
    main()
