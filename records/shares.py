"""Which graphs a share covers: the same in Python as in the JVM (io.faultline.cep.Share). Imports nothing."""

from __future__ import annotations

import hashlib
from typing import Final

_BITS: Final = 53


def place(name: str, graph: str) -> float:
    """Where the pair lies, from 0 to below 1: the first 53 bits of the SHA-256 of name, newline and graph."""
    digest = hashlib.sha256(f"{name}\n{graph}".encode()).digest()
    return (int.from_bytes(digest[:8]) >> (64 - _BITS)) / (1 << _BITS)


def covers(name: str, graph: str, share: float) -> bool:
    """Whether the share (above 0, at most 1) of `name` applies to the graph; a larger one covers it too."""
    return share >= 1 or place(name, graph) < share
