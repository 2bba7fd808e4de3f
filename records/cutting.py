"""A span of samples, edges and faults as a recording of its own.

Owns what still holds in a span: an edge that lives at its beginning is stated again there, with the time it
has left; a fault that overlaps it is kept, clipped to it. Imports this package only.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Generic, TypeVar

from records.errors import RecordingError
from records.recordings import Recording, RecordingMeta, Retimed, write_recording
from records.samples import DEFAULT_TTL_MS, Edge, Fault, Sample

_EdgeKey = tuple[str, str, str | None]
_Kind = TypeVar("_Kind")


@dataclass(frozen=True)
class Span:
    """From `start` to `end`, ms, both included; of `nodes` only, or of all where it is empty."""

    start: int
    end: int
    nodes: frozenset[str] = frozenset()

    def holds(self, time: int) -> bool:
        """Whether the time lies within."""
        return self.start <= time <= self.end

    def wants(self, *nodes: str) -> bool:
        """Whether one of the nodes is asked for."""
        return not self.nodes or not self.nodes.isdisjoint(nodes)

    def __str__(self) -> str:
        """In words, UTC."""
        of = f" of {', '.join(sorted(self.nodes))}" if self.nodes else ""
        return f"{_clock(self.start)} to {_clock(self.end)} UTC{of}"


@dataclass(frozen=True)
class Cut:
    """The recording that was written, and how much is in it."""

    recording: Recording
    samples: int
    edges: int
    faults: int


def cut_recording(source: Recording, out: Path, span: Span, name: str | None = None) -> Cut:
    """The span of a recording, clamped to it, written into the new folder `out`.

    RecordingError where the span lies outside the recording or holds no sample.
    """
    meta = source.meta
    if span.end < meta.start or span.start > meta.end:
        held = Span(meta.start, meta.end)
        raise RecordingError(
            f"{span} lies outside {source.path}, which holds {held}", "choose --from and --to within that"
        )
    span = Span(max(span.start, meta.start), min(span.end, meta.end), span.nodes)
    samples = (s for s in source.samples() if span.holds(s.time) and span.wants(s.node))
    described = f"Cut of {meta.name}, {span}. {meta.description}".strip()
    told = {"start": span.start, "end": span.end, "name": name or out.name, "description": described}
    changed = meta.model_copy(update={**told, "retimed": _retimed(meta.retimed, span)})
    return write_cut(out, changed, span, samples, source.edges(), source.faults())


def write_cut(
    out: Path,
    meta: RecordingMeta,
    span: Span,
    samples: Iterable[Sample],
    edges: Iterable[Edge],
    faults: Sequence[Fault] = (),
    ttl: int = DEFAULT_TTL_MS,
) -> Cut:
    """Samples of the span, with the edges and faults that hold in it, as a recording; all in time order.

    `edges` may begin before the span. RecordingError, and nothing left behind, where there is no sample;
    RecordingError where the folder holds something already.
    """
    if out.exists() and any(out.iterdir()):
        raise RecordingError(f"{out}: the folder is not empty", "name a new or an empty folder")
    counted = _Counted(samples), _Counted(edges_within(edges, span, ttl))
    kept = faults_within(faults, span)
    try:
        recording = write_recording(out, meta, counted[0], counted[1], kept)
        if not counted[0].count:
            raise RecordingError(
                f"{span} holds no sample",
                "choose another span, or other nodes; `recording check` counts them",
            )
    except BaseException:
        shutil.rmtree(out, ignore_errors=True)
        raise
    return Cut(recording, counted[0].count, counted[1].count, len(kept))


def edges_within(edges: Iterable[Edge], span: Span, ttl: int = DEFAULT_TTL_MS) -> Iterator[Edge]:
    """The edges of the span, before them those that live at its beginning, stated there with the time left.

    `edges` in time order; `ttl` of those that say none, ms.
    """
    alive: dict[_EdgeKey, Edge] = {}
    begun = False
    for edge in edges:
        if not span.wants(edge.source, edge.target) or edge.time > span.end:
            continue
        if edge.time < span.start:
            key = (edge.source, edge.target, edge.kind)
            if key not in alive or _expires(alive[key], ttl) <= _expires(edge, ttl):
                alive[key] = edge
            continue
        if not begun:
            begun = True
            yield from _stated(alive, span.start, ttl)
        yield edge
    if not begun:
        yield from _stated(alive, span.start, ttl)


def _stated(alive: dict[_EdgeKey, Edge], time: int, ttl: int) -> Iterator[Edge]:
    for edge in alive.values():
        left = _expires(edge, ttl) - time
        if left > 0:
            yield edge.model_copy(update={"time": time, "ttl": left})


def _expires(edge: Edge, ttl: int) -> int:
    return edge.time + (edge.ttl or ttl)


def faults_within(faults: Iterable[Fault], span: Span) -> list[Fault]:
    """The faults that overlap the span, clipped to it."""
    return [
        fault.model_copy(update={"start": max(fault.start, span.start), "end": min(fault.end, span.end)})
        for fault in faults
        if fault.start <= span.end and fault.end >= span.start and span.wants(fault.node)
    ]


def _retimed(stretches: Iterable[Retimed], span: Span) -> list[Retimed]:
    return [
        each.model_copy(update={"start": max(each.start, span.start), "end": min(each.end, span.end)})
        for each in stretches
        if each.start <= span.end and each.end >= span.start
    ]


def _clock(time: int) -> str:
    moment = datetime.fromtimestamp(time / 1000, tz=UTC)
    return moment.strftime("%Y-%m-%d %H:%M:%S") + (f".{time % 1000:03}" if time % 1000 else "")


class _Counted(Generic[_Kind]):
    """Passes records on and counts them."""

    def __init__(self, records: Iterable[_Kind]) -> None:
        self._records = records
        self.count = 0

    def __iter__(self) -> Iterator[_Kind]:
        for record in self._records:
            self.count += 1
            yield record
