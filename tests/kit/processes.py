"""Processes and ports of the kit: output into a file, stopped by their id and never by name."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self


class NotReadyError(RuntimeError):
    """A part did not come up in time or ended early; the message has the end of its log."""


class Part(ABC):
    """Something that is started and stopped; up while a ``with`` lasts, and ended where its start fails."""

    @abstractmethod
    def start(self) -> Self:
        """Starts it and waits until it is ready."""

    @abstractmethod
    def stop(self) -> None:
        """Ends what of it runs."""

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.stop()


def free_ports(count: int) -> list[int]:
    """Distinct TCP ports of the loopback interface that nothing listens on now."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for bound in sockets:
            bound.bind(("127.0.0.1", 0))
        return [int(bound.getsockname()[1]) for bound in sockets]


def inherited() -> dict[str, str]:
    """This process's environment without what PyFlink leaves in it.

    A job that ran embedded here marks the environment as a worker's, where no new job may start, and names
    this process as the one in which Python operators run: those of a cluster would do so too.
    """
    marks = ("FLINK_", "PYFLINK_", "_PYFLINK_", "_PYTHON_", "PYTHON_LOOPBACK_")
    return {name: value for name, value in os.environ.items() if not name.upper().startswith(marks)}


def start(
    command: Sequence[str], log: Path, *, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> subprocess.Popen[bytes]:
    """Start a process in its own session with stdout and stderr appended to ``log``."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as out:
        return subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**inherited(), **(env or {})},
            cwd=cwd,
            start_new_session=True,
        )


def stop(process: subprocess.Popen[bytes], timeout_s: float = 60.0) -> int:
    """End a process: TERM, then after ``timeout_s`` KILL to its whole session. Returns its exit status."""
    if process.poll() is None:
        process.terminate()
    try:
        status = process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        kill(process)
        status = process.wait(timeout_s)
    return status


def kill(process: subprocess.Popen[bytes]) -> None:
    """KILL a process and what it started (its session); waits for it."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(60)


def wait_until(
    ready: Callable[[], bool], what: str, log: Path, process: subprocess.Popen[bytes] | None, timeout_s: float
) -> None:
    """Poll ``ready`` five times a second; NotReadyError when time is up or the process has ended."""
    end = time.monotonic() + timeout_s
    while not ready():
        if process is not None and process.poll() is not None:
            raise NotReadyError(f"{what} ended with {process.returncode}:\n{tail(log)}")
        if time.monotonic() > end:
            raise NotReadyError(f"{what} was not ready after {timeout_s:g} s:\n{tail(log)}")
        time.sleep(0.2)


def until_interrupted(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process to end, or for Ctrl-C or TERM to this one."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        process.wait()


def read(log: Path) -> str:
    """A log file so far; empty where there is none."""
    return log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""


def tail(log: Path, characters: int = 3_000) -> str:
    """The end of a log file."""
    return read(log)[-characters:]
