"""A span of topics as a recording: the decoder's lines, sorted, with what a recording says of itself."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from faultline.console import Progress
from faultline.topic import Seen, Topics, decoded
from faultline.words import plural
from records.cutting import Cut, Span, write_cut
from records.errors import DataError, UsageError
from records.gathering import SampleLines, ThinEdges, sample_line
from records.recordings import RecordingMeta
from records.samples import LAST_MS
from records.sorting import by_time

DEFAULT_INTERVAL_MS: Final = 60_000
"""Where no series has two values."""


@dataclass(frozen=True)
class TopicCut:
    """What was written, and what was not: values that came twice, and points that could not be decoded by
    reason.
    """

    cut: Cut
    records: int
    duplicates: int
    dead: dict[str, int]


def cut_topics(topics: Topics, out: Path, span: Span, name: str, progress: Progress) -> TopicCut:
    """The span of the topics, written into the new folder `out`.

    DataError where nothing could be decoded or the span holds no sample, UsageError where several graphs are
    in it and none is chosen.
    """
    seen, edges, lines = Seen(), ThinEdges(topics.edge_ttl_ms), SampleLines()
    with tempfile.TemporaryDirectory(prefix="faultline-cut-") as folder:
        ordered = by_time(_sample_lines(topics, span, seen, edges, progress), Path(folder))
        first = next(ordered, None)
        _check(topics, span, seen)
        progress(f"writing {plural(seen.graphs.total(), 'sample')}")
        meta = _meta(topics, span, seen, name)
        samples = lines.samples(ordered if first is None else chain([first], ordered))
        span = Span(meta.start, meta.end, span.nodes)
        written = write_cut(out, meta, span, samples, edges.in_order(), ttl=topics.edge_ttl_ms)
    return TopicCut(written, seen.records, lines.duplicates, dict(seen.dead))


def _sample_lines(
    topics: Topics, span: Span, seen: Seen, edges: ThinEdges, progress: Progress
) -> Iterator[tuple[int, bytes]]:
    for line in decoded(topics, span, seen, progress):
        if line["type"] == "edge":
            edges.add(line)
        else:
            yield line["time"], sample_line(line)


def _check(topics: Topics, span: Span, seen: Seen) -> None:
    """Whether what was read makes one recording."""
    names = ", ".join(topics.names)
    if not seen.points and seen.dead:
        raise DataError(
            f"{names}: nothing of {plural(seen.records, 'record')} could be decoded as"
            f" {topics.settings['format']}, at first {seen.first_dead}",
            "correct --format, or the identity in --config; `faultline decode` shows single payloads",
        )
    if not seen.graphs:
        raise DataError(
            f"{names}: no sample at {span} in {plural(seen.records, 'record')}",
            "choose another span, or other nodes",
        )
    if topics.graph is not None and topics.graph not in seen.graphs:
        raise UsageError(f"{names}: no sample of graph {topics.graph!r}", f"it has {_named(seen)}")
    if topics.graph is None and len(seen.graphs) > 1:
        raise UsageError(f"{names}: {len(seen.graphs)} graphs, {_named(seen)}", "choose one with --graph")


def _named(seen: Seen) -> str:
    shown = [name for name, _ in seen.graphs.most_common(10)]
    return ", ".join(shown) + (", ..." if len(seen.graphs) > len(shown) else "")


def _meta(topics: Topics, span: Span, seen: Seen, name: str) -> RecordingMeta:
    """The span is what was asked for, and where that is open what was seen."""
    held = Span(span.start or seen.first, seen.last if span.end == LAST_MS else span.end, span.nodes)
    names = ", ".join(topics.names)
    return RecordingMeta(
        name=name,
        graph=topics.graph or next(iter(seen.graphs)),
        interval=seen.interval() or DEFAULT_INTERVAL_MS,
        start=held.start,
        end=held.end,
        description=f"Cut of {names}, {held}.",
        source=f"Kafka {topics.servers}, {names}",
    )
