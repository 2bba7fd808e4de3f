"""What topics held in a span, read by the job's own decoders: Kafka's records to the decoder's lines.

Records are read from where their timestamps reach the span (an edge lives for a while, so from a time to
live before it) to the topic's end, or until a partition has gone well beyond the span. Owns the batches that
go through `io.faultline.cli.Decode`, and the counts.
"""

from __future__ import annotations

import sys
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median_low
from typing import Any, Final

from faultline.console import Progress
from faultline.decode import MAIN_CLASS
from faultline.kafka import Record, read_topic
from faultline.kafka_security import Servers
from faultline.words import plural
from records.cutting import Span
from records.java import QUICK_START, run_main

BATCH_BYTES: Final = 24_000_000
BATCH_RECORDS: Final = 20_000
"""A batch is decoded by one start of Java."""
BEYOND_MS: Final = 600_000
"""A partition whose records are so far beyond the span has nothing more of it."""
ENOUGH: Final = 100
"""Records of a partition in a batch from which that is concluded."""
_SERIES: Final = ("node", "metric", "peer", "side")
_SAMPLED: Final = 2_000


@dataclass
class Seen:
    """What was read and decoded so far. `points`: samples and edges of any time. `graphs`: samples of the
    span by graph, whichever is asked for.

    `first`, `last`: times of its samples, ms.
    """

    records: int = 0
    points: int = 0
    graphs: Counter[str] = field(default_factory=Counter)
    dead: Counter[str] = field(default_factory=Counter)
    first_dead: str = ""
    ignored: int = 0
    first: int = sys.maxsize
    last: int = 0
    _gaps: Counter[int] = field(default_factory=Counter)
    _at: dict[tuple[object, ...], int] = field(default_factory=dict)

    def interval(self) -> int | None:
        """The usual distance of two values of a series, ms; None where no series has two."""
        return median_low(self._gaps.elements()) if self._gaps else None

    def take(self, line: Mapping[str, Any]) -> None:
        """Counts a line that is neither sample nor edge."""
        if line["type"] == "dead_letter":
            self.dead[line["reason"]] += 1
            self.first_dead = self.first_dead or f"{line['reason']}: {line.get('detail') or ''}"
        elif line["type"] == "ignored":
            self.ignored += 1

    def take_sample(self, line: Mapping[str, Any]) -> None:
        """Counts a sample that is wanted."""
        time = line["time"]
        self.first, self.last = min(self.first, time), max(self.last, time)
        key = (*(line.get(name) for name in _SERIES), *(line.get("labels") or {}).items())
        before = self._at.get(key)
        if before is not None or len(self._at) < _SAMPLED:
            self._at[key] = time
            if before is not None and time > before:
                self._gaps[time - before] += 1


@dataclass(frozen=True)
class Topics:
    """Where to read and how: brokers, topics, the decoder's settings (format, identity, ...), the graph that
    is wanted, if one is.
    """

    servers: Servers
    names: Sequence[str]
    settings: Mapping[str, Any]
    graph: str | None
    max_future_ms: int
    edge_ttl_ms: int


def decoded(topics: Topics, span: Span, seen: Seen, progress: Progress) -> Iterator[Mapping[str, Any]]:
    """The decoder's lines of samples in the span, and of edges that may hold in it."""
    since = span.start - topics.edge_ttl_ms - topics.max_future_ms
    for name in topics.names:
        done: set[int] = set()
        for batch in _batches(read_topic(topics.servers, name, since, done)):
            seen.records += len(batch)
            progress(f"reading {name}: {plural(seen.records, 'record')}, {seen.graphs.total():,} samples")
            earliest: dict[int, int] = {}
            for line in run_main(MAIN_CLASS, _request(topics, batch), jvm_options=QUICK_START):
                seen.take(line)
                if line["type"] in ("sample", "edge"):
                    seen.points += 1
                    partition = batch[line["record"]].partition
                    earliest[partition] = min(earliest.get(partition, sys.maxsize), line["time"])
                    if _wanted(line, topics, span, seen):
                        yield line
            done |= beyond(batch, earliest, span.end + BEYOND_MS)


def _wanted(line: Mapping[str, Any], topics: Topics, span: Span, seen: Seen) -> bool:
    """Whether a sample lies in the span, or an edge may hold in it; counts the samples."""
    asked = topics.graph is None or line["graph"] == topics.graph
    if line["type"] == "edge":
        holds = (
            line["time"] <= span.end and line["time"] + (line.get("ttl") or topics.edge_ttl_ms) > span.start
        )
        return asked and holds and span.wants(line["source"], line["target"])
    if not span.holds(line["time"]) or not span.wants(line["node"]):
        return False
    seen.graphs[line["graph"]] += 1
    if asked:
        seen.take_sample(line)
    return asked


def beyond(batch: Sequence[Record], earliest: Mapping[int, int], limit: int) -> set[int]:
    """The partitions that gave enough records, all of them beyond the limit (ms)."""
    counts = Counter(record.partition for record in batch)
    return {each for each, first in earliest.items() if first > limit and counts[each] >= ENOUGH}


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    batch: list[Record] = []
    size = 0
    for record in records:
        batch.append(record)
        size += len(record.value or b"")
        if size >= BATCH_BYTES or len(batch) >= BATCH_RECORDS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _request(topics: Topics, batch: Sequence[Record]) -> dict[str, Any]:
    sent = [
        {
            "value_base64": _base64(record.value),
            "key_base64": _base64(record.key),
            "timestamp": record.timestamp,
            "partition": record.partition,
            "headers": record.headers,
        }
        for record in batch
    ]
    return {**topics.settings, "normalised": False, "records": sent}


def _base64(value: bytes | None) -> str | None:
    return None if value is None else b64encode(value).decode()
