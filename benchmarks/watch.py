"""What a process and those it started use, from /proc: CPU seconds by role, and how far a group has read.

CPU and not the wall clock is what results rest on: it repeats on a machine that others use too.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kafka import KafkaAdminClient
from kafka.errors import CoordinatorNotAvailableError

_HZ: Final = os.sysconf("SC_CLK_TCK")
ROLES: Final = (
    ("Source Data Fet", "Kafka client"),
    ("kafka-coordinat", "Kafka client"),
    ("Source: ", "source task"),
    ("normalise, dete", "fused operator"),
    ("correlate", "correlate"),
    ("GC ", "garbage collector"),
    ("G1 ", "garbage collector"),
    ("C1 Compiler", "JIT"),
    ("C2 Compiler", "JIT"),
    ("VM ", "garbage collector"),
)
"""Roles of the JVM's threads by the beginning of their name, which Linux cuts at 15 characters."""
JVM: Final = "other threads of the JVM"
DRIVER: Final = "driver (Python)"
WORKER: Final = "workers (Python)"


@dataclass(frozen=True)
class Reading:
    """CPU seconds by role since each process began, records read by the group, at this moment (s)."""

    at: float
    records: int
    cpu: Mapping[str, float]

    def since(self, before: Reading) -> Reading:
        """The difference."""
        roles = {role: used - before.cpu.get(role, 0.0) for role, used in self.cpu.items()}
        return Reading(self.at - before.at, self.records - before.records, roles)


class Watch:
    """Reads this process, its children, and other processes given by role."""

    def __init__(self, bootstrap: str, group: str, topic: str, others: Mapping[str, int]) -> None:
        self._admin = KafkaAdminClient(bootstrap_servers=bootstrap)
        self._group, self._topic, self._others = group, topic, others
        self._threads: dict[tuple[int, int], tuple[str, float]] = {}

    def read(self) -> Reading:
        """Where things stand now."""
        cpu: Counter[str] = Counter()
        for pid in family(os.getpid()):
            cpu.update(self._of_process(pid))
        for role, pid in self._others.items():
            cpu[role] += sum(seconds(each) for each in family(pid))
        return Reading(time.monotonic(), self._offset(), cpu)

    def _of_process(self, pid: int) -> Counter[str]:
        name, total = _seconds(Path(f"/proc/{pid}/stat"))
        if name != "java":
            return Counter({DRIVER if pid == os.getpid() else WORKER: total})
        for task in Path(f"/proc/{pid}/task").iterdir():
            thread, used = _seconds(task / "stat")
            if thread:
                role = next((role for start, role in ROLES if thread.startswith(start)), JVM)
                self._threads[pid, int(task.name)] = role, used
        # What a thread used stays known after its end.
        cpu: Counter[str] = Counter()
        for (of, _), (role, used) in self._threads.items():
            if of == pid:
                cpu[role] += used
        cpu[JVM] += total - sum(cpu.values())
        return cpu

    def _offset(self) -> int:
        try:
            groups = self._admin.list_group_offsets({self._group: None})
        except CoordinatorNotAvailableError:
            return 0  # until the broker's first group has made the topic of offsets
        return sum(
            offset.offset for places in groups.values() for place, offset in places.items()
            if place.topic == self._topic
        )


def seconds(pid: int) -> float:
    """CPU seconds of a process so far; 0 where it has ended."""
    return _seconds(Path(f"/proc/{pid}/stat"))[1]


def family(pid: int) -> Iterator[int]:
    """A process and all that come from it."""
    yield pid
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from family(int(child))
    except OSError:
        return


def _seconds(stat: Path) -> tuple[str, float]:
    """Name and CPU seconds of a /proc stat file; nothing where the process or thread has ended."""
    try:
        text = stat.read_text()
    except OSError:
        return "", 0.0
    name, rest = text[text.index("(") + 1 : text.rindex(")")], text[text.rindex(")") + 2 :].split()
    return name, (int(rest[11]) + int(rest[12])) / _HZ
