"""Runs something that reads a topic in a process of its own and says what it used per sample.

The start is left out: what counts begins once `warm` records were read. The JIT still works then, and is a
cost of a start and not of a sample: it is told apart. The clock stops with the last record read, the CPU
with the end of the process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from benchmarks.feed import classpath
from benchmarks.watch import Offsets, Reading, Told, Watch
from records.java import find_java
from tests.kit.cluster import CONF
from tests.kit.processes import kill

BROKER: Final = "broker"
JIT: Final = "JIT"
_POLL_S: Final = 0.2
_COMMITS: Final = {"enable.auto.commit": "true", "auto.commit.interval.ms": "200"}
"""Without checkpoints the Kafka client itself tells how far it has read."""
_FLINK: Final = yaml.safe_load((CONF / "config.yaml").read_text(encoding="utf-8"))
HEAP: Final = f"-Xmx2g {_FLINK['env']['java']['opts']['taskmanager']}"
"""What flink-conf/config.yaml tells a TaskManager's JVM, and a heap that holds what is measured."""
_OPENED: Final = ("lang", "util", "net", "time")
JAVA_OPTIONS: Final = (*HEAP.split(), *(f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in _OPENED))


@dataclass(frozen=True)
class Topic:
    """A filled topic. `per_record`: samples in a record, all alike."""

    name: str
    format: str
    records: int
    per_record: int
    identity: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Used:
    """From the first reading to the last: seconds, samples, CPU seconds by role; what came out.

    `peak_mb`: memory that was resident at most, by kind of process.
    """

    seconds: float
    samples: int
    cpu: Mapping[str, float]
    counts: Mapping[str, int] = field(default_factory=dict)
    peak_mb: Mapping[str, int] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Samples per second of the clock."""
        return self.samples / self.seconds

    def nanoseconds(self, role: str | None = None) -> float:
        """CPU ns per sample, of one role or of all but the broker and the JIT."""
        if role is not None:
            return self.cpu.get(role, 0.0) / self.samples * 1e9
        used = sum(seconds for of, seconds in self.cpu.items() if of not in (BROKER, JIT))
        return used / self.samples * 1e9

    @property
    def capacity(self) -> float:
        """Samples per second that two cores give, broker included."""
        return 2e9 / (self.nanoseconds() + self.nanoseconds(BROKER))


def job_config(
    bootstrap: str, group: str, topic: Topic, patterns: Sequence[str], out: Path
) -> dict[str, Any]:
    """The configuration of a bounded run over the topic and the edges."""
    common = {"type": "kafka", "bootstrap_servers": bootstrap, "start": "earliest", "bounded": True}
    samples = {"topic": topic.name, "format": topic.format, "group": group, "properties": _COMMITS}
    if topic.identity is not None:
        samples["identity"] = dict(topic.identity)
    return {
        "sources": [
            {**common, **samples},
            {**common, "topic": "edges", "format": "native", "group": f"{group}-edges", "edges_only": True},
        ],
        "sinks": {"files": {"dir": str(out)}},
        "patterns": list(patterns),
        "tick": "60s",
        "publish_frames": False,
    }


def job_command(config: Mapping[str, Any], file: Path) -> list[str]:
    """Runs the whole job, embedded in a Python process; its configuration goes into the file."""
    file.write_text(yaml.safe_dump(dict(config)), encoding="utf-8")
    return [sys.executable, "-m", "benchmarks.run_once", str(file)]


def java_command(main: str, arguments: Sequence[str]) -> list[str]:
    """Runs a Java main of the benchmarks."""
    return [str(find_java()), *JAVA_OPTIONS, "-cp", classpath(), main, *arguments]


@dataclass(frozen=True)
class Watched:
    """Watches a process that reads `topic` as `group`, and the broker.

    `told`: where the process itself tells what it has processed; otherwise the group's offsets do.
    """

    bootstrap: str
    broker: int
    group: str
    topic: Topic
    warm: float = 0.4
    log: Path = Path(os.devnull)
    told: Path | None = None
    timeout_s: float = 1_800

    def run(self, command: Sequence[str]) -> Used:
        """Runs to the end. RuntimeError with the end of the log where the process fails."""
        environment = {**os.environ, "JVM_ARGS": HEAP}
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, env=environment, start_new_session=True
            )
        progress: Offsets | Told = (
            Offsets(self.bootstrap, self.group, self.topic.name) if self.told is None else Told(self.told)
        )
        try:
            readings = _Readings(int(self.topic.records * self.warm))
            watch = Watch(process.pid, {BROKER: self.broker}, progress)
            self._follow(process, lambda: readings.add(watch.read()))
        finally:
            progress.close()
            kill(process)
        out, _ = process.communicate()
        if process.returncode != 0:
            raise RuntimeError(self.log.read_text(errors="replace")[-3_000:])
        return readings.used(self.topic, _counts(out))

    def _follow(self, process: subprocess.Popen[bytes], step: Callable[[], None]) -> None:
        end = time.monotonic() + self.timeout_s
        while process.poll() is None:
            if time.monotonic() > end:
                raise RuntimeError(f"{self.group} was not done after {self.timeout_s:g} s")
            step()
            time.sleep(_POLL_S)


class _Readings:
    """The readings that count: the first that is warm, the last that has read more, the last of all."""

    def __init__(self, warm: int) -> None:
        self._warm = warm
        self._first: Reading | None = None
        self._grown: Reading | None = None
        self._last: Reading | None = None

    def add(self, reading: Reading) -> None:
        if self._first is None:
            self._first = reading if reading.records >= self._warm > 0 else None
        elif self._grown is None or reading.records > self._grown.records:
            self._grown = reading
        if reading.cpu and sum(reading.cpu.values()) >= (sum(self._last.cpu.values()) if self._last else 0):
            self._last = reading

    def used(self, topic: Topic, counts: Mapping[str, int]) -> Used:
        first, grown, last = self._first, self._grown, self._last
        if first is None or grown is None or last is None:
            raise RuntimeError(f"{topic.name} was read before it was warm: give it more records")
        samples = (topic.records - first.records) * topic.per_record
        used = dict(last.since(first).cpu)
        return Used(grown.at - first.at, samples, used, counts, dict(last.peak_mb))


def _counts(out: bytes) -> dict[str, int]:
    """The last line that the process printed, where it is a JSON object."""
    lines = out.splitlines()
    found: dict[str, int] = json.loads(lines[-1]) if lines and lines[-1].startswith(b"{") else {}
    return found
