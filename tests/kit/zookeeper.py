"""ZooKeeper as Flink brings it along, one server, for clusters whose JobManager may be lost."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path
from typing import Any, Self

from records.java import find_java
from tests.kit.cluster import CONF, flink_home
from tests.kit.processes import Part, free_ports, start, stop, wait_until

CONFIG = """\
tickTime=500
initLimit=10
syncLimit=5
dataDir={data}
clientPort={port}
clientPortAddress=localhost
admin.enableServer=false
server.1=localhost:{peers}
"""
MAIN = "org.apache.flink.runtime.zookeeper.FlinkZooKeeperQuorumPeer"


class ZooKeeper(Part):
    """A server while the ``with`` lasts; ``address`` is host:port."""

    def __init__(self, folder: Path) -> None:
        """``folder`` takes its data, configuration and log."""
        self._port, peer, election = free_ports(3)
        self.folder, self.log = folder, folder / "zookeeper.log"
        self.address = f"localhost:{self._port}"
        self.process: subprocess.Popen[bytes] | None = None
        self._config = CONFIG.format(data=folder / "data", port=self._port, peers=f"{peer}:{election}")

    def settings(self) -> dict[str, Any]:
        """What a cluster's configuration gets, so that a new JobManager takes up the jobs of a lost one."""
        return {
            "high-availability": {
                "type": "zookeeper",
                "storageDir": (self.folder / "jobs").as_uri(),
                # A lost leader is missed after so long, 20 of the server's ticks at most. A machine that is
                # merely busy must not lose it: that would end TaskManagers too.
                "zookeeper": {
                    "quorum": self.address,
                    "client": {"session-timeout": "10s", "tolerate-suspended-connections": True},
                },
            }
        }

    def start(self, timeout_s: float = 600.0) -> Self:
        """Start the server and wait until it takes connections."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / "zoo.cfg"
        file.write_text(self._config, encoding="utf-8")
        classes = f"{flink_home() / 'lib'}/*"
        logging = f"-Dlog4j2.configurationFile={CONF / 'log4j-console.properties'}"
        options = ["-Xmx128m", "-Dzookeeper.jmx.log4j.disable=true", logging, "-cp", classes]
        command = [str(find_java()), *options, MAIN, "--zkConfigFile", str(file), "--peerId", "1"]
        self.process = start(command, self.log, cwd=self.folder)
        wait_until(self._answers, f"ZooKeeper at {self.address}", self.log, self.process, timeout_s)
        return self

    def stop(self) -> None:
        """End the server."""
        if self.process is not None:
            stop(self.process)
            self.process = None

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("localhost", self._port)) == 0
