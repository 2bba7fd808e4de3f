"""What the importers have in common: what they return, and edges that last. Imports this package only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from records.recordings import Recording
from records.samples import DEFAULT_TTL_MS, Edge

Progress = Callable[[str], None]
"""Told in words what an importer is doing."""


def silent(text: str) -> None:
    """A Progress that tells nobody."""


@dataclass(frozen=True)
class LeftOut:
    """A part of a data set that became no recording, and why."""

    case: str
    reason: str


@dataclass(frozen=True)
class Imported:
    """What an import gave: recordings in order of their names, and what was left out."""

    recordings: tuple[Recording, ...]
    left_out: tuple[LeftOut, ...] = ()


def lasting_edges(graph: str, calls: Sequence[tuple[str, str]], start: int, end: int) -> Iterator[Edge]:
    """Every (caller, callee) from `start` to `end` (ms), sent again each third of its time to live."""
    for time in range(start, end, DEFAULT_TTL_MS // 3):
        for source, target in calls:
            yield Edge(graph=graph, source=source, target=target, time=time, kind="call", ttl=DEFAULT_TTL_MS)
