"""A single Kafka broker (KRaft, no ZooKeeper) from Kafka's Maven artifacts, for tests and ``make kafka``.

``make`` fetches the artifacts once into .cache/kafka (FAULTLINE_TEST_KAFKA names another folder); nothing is
downloaded here. Run as a program it is a broker in the foreground, which keeps nothing once it ends.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from records.java import find_java
from tests.kit.processes import (
    NotReadyError,
    Part,
    free_ports,
    kill,
    read,
    start,
    stop,
    tail,
    until_interrupted,
    wait_until,
)

ROOT = Path(__file__).resolve().parent.parent.parent

PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@{host}:{controller}
listeners=CLIENT://{host}:{port},CONTROLLER://{host}:{controller}
advertised.listeners=CLIENT://{host}:{port}
listener.security.protocol.map=CLIENT:{protocol},CONTROLLER:PLAINTEXT
inter.broker.listener.name=CLIENT
controller.listener.names=CONTROLLER
log.dirs={data}
num.partitions={partitions}
auto.create.topics.enable=true
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
group.initial.rebalance.delay.ms=0
log.retention.ms=-1
message.max.bytes=16777216
"""

LOGGING = """\
rootLogger.level = INFO
rootLogger.appenderRef.console.ref = out
appender.out.name = out
appender.out.type = CONSOLE
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d %-5p %c{1} %m%n
"""


def kafka_jars() -> Path:
    """The folder of Kafka's jars; NotReadyError with the mend where they have not been fetched."""
    folder = Path(os.environ.get("FAULTLINE_TEST_KAFKA") or ROOT / ".cache" / "kafka")
    if not list(folder.glob("kafka_2.13-*.jar")):
        raise NotReadyError(f"no Kafka in {folder}: fetch it with `make .cache/kafka/.done`")
    return folder


class Broker(Part):
    """A broker while the ``with`` lasts. Topics are made on first use; data goes with the folder.

    ``bootstrap`` is its address, ``log`` the file with what it said, ``process`` its JVM.
    """

    def __init__(
        self,
        folder: Path,
        *,
        host: str = "localhost",
        port: int = 0,
        partitions: int = 1,
        protocol: str = "PLAINTEXT",
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """``folder`` takes its data, configuration and log; ``port`` 0 means any free one.

        ``protocol``: how clients speak to it; ``settings``: more of its properties, such as what that needs.
        """
        free = free_ports(2)
        self.folder = folder
        self.port = port or free[0]
        self.bootstrap = f"{host}:{self.port}"
        self.log = folder / "broker.log"
        self.process: subprocess.Popen[bytes] | None = None
        self._properties = PROPERTIES.format(
            host=host,
            port=self.port,
            controller=free[1],
            data=folder / "data",
            partitions=partitions,
            protocol=protocol,
        )
        for name, value in (settings or {}).items():
            self._properties += f"{name}={value}\n"

    def start(self, timeout_s: float = 600.0) -> Self:
        """Format the storage where it is new, start the broker, wait until it says it has started."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "server.properties").write_text(self._properties, encoding="utf-8")
        (self.folder / "log4j2.properties").write_text(LOGGING, encoding="utf-8")
        if not (self.folder / "data" / "meta.properties").exists():
            self._format(timeout_s)
        before = len(read(self.log))
        self.process = start(self._java("kafka.Kafka", "server.properties"), self.log, cwd=self.folder)

        def started() -> bool:
            # A connection proves little: it may be another broker that took the port.
            return "Kafka Server started" in read(self.log)[before:]

        try:
            wait_until(started, f"Kafka at {self.bootstrap}", self.log, self.process, timeout_s)
        except BaseException:
            self.kill()  # what did not come up is told once, and does not stay
            raise
        return self

    def stop(self) -> None:
        """End the broker; its data stay in the folder, so that ``start`` goes on with them.

        NotReadyError, with the end of its log, where it has ended by itself: tests may have failed by that.
        """
        if self.process is not None:
            ended = self.process.poll()
            stop(self.process)
            self.process = None
            if ended is not None:
                raise NotReadyError(f"Kafka has ended by itself with {ended}:\n{tail(self.log)}")

    def kill(self) -> None:
        """KILL the broker, as a machine that is lost; ``start`` goes on with what lies in the folder."""
        assert self.process is not None
        kill(self.process)
        self.process = None

    def _format(self, timeout_s: float) -> None:
        cluster = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        # With "=" an id that begins with "-" is no option.
        command = self._java(
            "kafka.tools.StorageTool", "format", f"--cluster-id={cluster}", "--config=server.properties"
        )
        process = start(command, self.log, cwd=self.folder)
        if process.wait(timeout_s) != 0:
            raise NotReadyError(f"Kafka's storage could not be formatted:\n{tail(self.log)}")

    def _java(self, main: str, *arguments: str) -> list[str]:
        options = ["-Xmx512m", "-XX:+UseG1GC", "-Dlog4j2.configurationFile=log4j2.properties"]
        return [str(find_java()), *options, "-cp", f"{kafka_jars()}/*", main, *arguments]


def main() -> None:
    """A broker in the foreground until Ctrl-C or TERM."""
    parser = argparse.ArgumentParser(prog="tests.kit.kafka", description=main.__doc__)
    parser.add_argument("--bootstrap", default="localhost:9092", help="HOST:PORT to listen on")
    host, _, port = parser.parse_args().bootstrap.rpartition(":")
    with (
        tempfile.TemporaryDirectory(prefix="faultline-kafka-") as folder,
        Broker(Path(folder), host=host, port=int(port)) as broker,
    ):
        assert broker.process is not None
        sys.stderr.write(f"Kafka is ready at {broker.bootstrap} (log: {broker.log}); Ctrl-C ends it\n")
        until_interrupted(broker.process)


if __name__ == "__main__":
    main()
