"""What a process and those it started use, from /proc: CPU seconds by role, and how far a group has read.

CPU and not the wall clock is what results rest on: it repeats on a machine that others use too.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kafka import KafkaAdminClient
from kafka.errors import CoordinatorLoadInProgressError, CoordinatorNotAvailableError, NotCoordinatorError

_HZ: Final = os.sysconf("SC_CLK_TCK")
ROLES: Final = (
    ("Source Data Fet", "Kafka client"),
    ("kafka-coordinat", "Kafka client"),
    ("Source: ", "source task"),
    ("normalise, dete", "fused operator"),
    ("correlate", "correlate"),
    ("GC ", "garbage collector"),
    ("G1 ", "garbage collector"),
    ("VM ", "garbage collector"),
    ("C1 Compiler", "JIT"),
    ("C2 Compiler", "JIT"),
)
"""Roles of the JVM's threads by the beginning of their name, which Linux cuts at 15 characters."""
JVM: Final = "other threads of the JVM"
_NOT_YET: Final = (CoordinatorLoadInProgressError, CoordinatorNotAvailableError, NotCoordinatorError)
"""Until the broker's first group has made the topic of offsets."""
PYTHON: Final = "Python"
JAVA: Final = "JVM"


@dataclass(frozen=True)
class Reading:
    """CPU seconds by role since each process began, records read by the group, at this moment (s).

    `peak_mb`: memory resident at most until now, by kind of process.
    """

    at: float
    records: int
    cpu: Mapping[str, float]
    peak_mb: Mapping[str, int] = field(default_factory=dict)

    def since(self, before: Reading) -> Reading:
        """The difference."""
        roles = {role: used - before.cpu.get(role, 0.0) for role, used in self.cpu.items()}
        return Reading(self.at - before.at, self.records - before.records, roles)


class Watch:
    """Reads a process with all that come from it, and other processes, which are one role each."""

    def __init__(self, pid: int, others: Mapping[str, int], progress: Offsets | Told) -> None:
        self._pid, self._others, self._progress = pid, others, progress
        self._threads: dict[tuple[int, int], tuple[str, float]] = {}
        self._family: dict[int, None] = {}

    def read(self) -> Reading:
        """Where things stand now."""
        cpu: dict[str, float] = defaultdict(float)
        peak: dict[str, int] = defaultdict(int)
        # While others come and go the system may leave out a child; one that was seen stays known.
        self._family.update(dict.fromkeys(family(self._pid)))
        for pid in self._family:
            kind, mb = _peak(pid)
            peak[kind] += mb
            for role, used in self._of_process(pid).items():
                cpu[role] += used
        for role, pid in self._others.items():
            cpu[role] += sum(cpu_seconds(each) for each in family(pid))
        return Reading(time.monotonic(), self._progress.read(), cpu, peak)

    def _of_process(self, pid: int) -> dict[str, float]:
        name, total = _stat(Path(f"/proc/{pid}/stat"))
        if name != "java":
            return {PYTHON: total}
        for task in _entries(Path(f"/proc/{pid}/task")):
            thread, used = _stat(task / "stat")
            if thread:
                role = next((role for start, role in ROLES if thread.startswith(start)), JVM)
                self._threads[pid, int(task.name)] = role, used
        cpu: dict[str, float] = defaultdict(float)  # what a thread used stays known after its end
        for (of, _), (role, used) in self._threads.items():
            if of == pid:
                cpu[role] += used
        cpu[JVM] += total - sum(cpu.values())
        return cpu


class Offsets:
    """How many records of a topic a consumer group has read, as it commits them."""

    def __init__(self, bootstrap: str, group: str, topic: str) -> None:
        self._admin = KafkaAdminClient(bootstrap_servers=bootstrap)
        self._group, self._topic = group, topic

    def read(self) -> int:
        """The sum over the partitions."""
        try:
            groups = self._admin.list_group_offsets({self._group: None})
        except _NOT_YET:
            return 0
        return sum(
            offset.offset
            for places in groups.values()
            for place, offset in places.items()
            if place.topic == self._topic
        )

    def close(self) -> None:
        """Ends the connection."""
        self._admin.close()


class Told:
    """How many records were processed, as the process itself tells in a file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def read(self) -> int:
        """The number told last; 0 before the first."""
        return int(self._file.read_text() or "0") if self._file.is_file() else 0

    def close(self) -> None:
        """Nothing is open."""


def cpu_seconds(pid: int) -> float:
    """CPU seconds of a process so far; 0 where it has ended."""
    return _stat(Path(f"/proc/{pid}/stat"))[1]


def family(pid: int) -> Iterator[int]:
    """A process and all that come from it."""
    yield pid
    for task in _entries(Path(f"/proc/{pid}/task")):
        try:
            children = (task / "children").read_text().split()
        except OSError:
            continue  # the thread has ended
        for child in children:
            yield from family(int(child))


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []  # the process has ended


def _peak(pid: int) -> tuple[str, int]:
    """Kind of process, and MB of memory that it had resident at most."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return "", 0  # it has ended
    fields = dict(line.split(":", 1) for line in status.splitlines())
    kind = JAVA if fields["Name"].strip() == "java" else PYTHON
    return kind, int(fields.get("VmHWM", "0").split()[0]) // 1024


def _stat(stat: Path) -> tuple[str, float]:
    """Name and CPU seconds of a /proc stat file; nothing where the process or thread has ended."""
    try:
        text = stat.read_text()
    except OSError:
        return "", 0.0
    name, rest = text[text.index("(") + 1 : text.rindex(")")], text[text.rindex(")") + 2 :].split()
    return name, (int(rest[11]) + int(rest[12])) / _HZ
