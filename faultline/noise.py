"""Keeps what Flink, the JVM and the Python workers print out of the command's own output.

They inherit this process's stdout and stderr, and at their end they print what looks like failures and is
none. Imports the standard library only.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Final

_STREAMS: Final = (("stdout", 1), ("stderr", 2))


@contextmanager
def apart(log: Path) -> Iterator[None]:
    """While it lasts, file descriptors 1 and 2 lead into `log`; Python's own stdout and stderr stay where
    they were. A log that stayed empty is removed. Started processes keep writing there after the end.
    """
    with ExitStack() as stack, log.open("ab") as file:
        for name, descriptor in _STREAMS:
            stack.enter_context(_moved(name, descriptor, file))
        yield
    if not log.stat().st_size:
        log.unlink()


@contextmanager
def _moved(name: str, descriptor: int, file: IO[bytes]) -> Iterator[None]:
    stream: IO[str] = getattr(sys, name)
    stream.flush()
    kept = os.dup(descriptor)
    os.dup2(file.fileno(), descriptor)
    own = _number(stream) == descriptor
    stand_in = os.fdopen(os.dup(kept), "w", buffering=1, encoding="utf-8", errors="replace")
    if own:
        setattr(sys, name, stand_in)
    try:
        yield
    finally:
        stand_in.flush()
        os.dup2(kept, descriptor)
        if own:
            setattr(sys, name, stream)
        stand_in.close()
        os.close(kept)


def _number(stream: IO[str]) -> int | None:
    """The stream's file descriptor; None for one that is no file, as under a test runner."""
    try:
        return stream.fileno()
    except (OSError, ValueError, AttributeError):
        return None
