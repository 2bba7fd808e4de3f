"""The load as JSON objects, one per sample: native, one or many of them per record, and Prometheus' own."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime
from operator import itemgetter
from typing import Final

import numpy as np

from benchmarks.load import BOUNDS, HISTOGRAM, PLAIN, START_MS, Load, Sent


def records(load: Load, scrapes: int, lines: int = 1) -> Iterator[tuple[int, bytes]]:
    """(time in ms, record of so many lines); the lines of a record are of one time."""
    rows = range(load.graphs * load.nodes)
    prefixes = ['{{"graph":"{}","node":"{}",'.format(*load.names(row)) for row in rows]
    for time_ms, values in load.scrapes(scrapes):
        held: list[str] = []
        for prefix, row in zip(prefixes, values.tolist(), strict=True):
            for text, value in zip(_TEXTS, _cumulative(row), strict=True):
                held.append(f'{prefix}{text}"value":{value:.12g},"time":{time_ms}}}')
                if len(held) == lines:
                    yield time_ms, "\n".join(held).encode()
                    held = []
        if held:
            yield time_ms, "\n".join(held).encode()


def scattered(load: Load, scrapes: int, late_ms: int = 5_000) -> Iterator[tuple[int, bytes]]:
    """(time in ms, record of one sample): the samples of a node come apart, and up to `late_ms` late."""
    rng = np.random.default_rng(load.seed)
    waiting: list[tuple[int, bytes]] = []
    for number, (time_ms, record) in enumerate(_spread(load, scrapes)):
        waiting.append((time_ms + int(rng.integers(late_ms)), record))
        if number % load.per_scrape == load.per_scrape - 1:
            waiting.sort(key=itemgetter(0))
            ready = bisect_right(waiting, time_ms - late_ms, key=itemgetter(0))
            yield from waiting[:ready]
            del waiting[:ready]
    yield from sorted(waiting, key=itemgetter(0))


def _spread(load: Load, scrapes: int) -> Iterator[tuple[int, bytes]]:
    """Each node is scraped at a moment of its own within the interval."""
    rows = range(load.graphs * load.nodes)
    prefixes = ['{{"graph":"{}","node":"{}",'.format(*load.names(row)) for row in rows]
    offsets = [load.interval_ms * row // len(rows) for row in rows]
    for time_ms, values in load.scrapes(scrapes):
        for prefix, offset, row in zip(prefixes, offsets, values.tolist(), strict=True):
            for text, value in zip(_TEXTS, _cumulative(row), strict=True):
                at = time_ms + offset
                yield at, f'{prefix}{text}"value":{value:.12g},"time":{at}}}'.encode()


def prometheus(load: Load, scrapes: int) -> Iterator[tuple[int, bytes]]:
    """(time in ms, record) as prometheus-kafka-adapter writes them, one sample each."""
    rows = range(load.graphs * load.nodes)
    prefixes = ['{{"labels":{{"cluster":"{}","service":"{}",'.format(*load.names(row)) for row in rows]
    for time_ms, values in load.scrapes(scrapes):
        stamp = datetime.fromtimestamp(time_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        for prefix, row in zip(prefixes, values.tolist(), strict=True):
            for text, value in zip(_LABELS, _cumulative(row), strict=True):
                yield time_ms, f'{prefix}{text}"timestamp":"{stamp}","value":"{value:.12g}"}}'.encode()


def edges(load: Load) -> Iterator[tuple[int, bytes]]:
    """(time in ms, record): the topology, which lives as long as the load."""
    for graph, source, target in load.edges():
        edge = {"graph": graph, "source": source, "target": target, "time": START_MS, "ttl": 7 * 86_400_000}
        yield START_MS, json.dumps(edge, separators=(",", ":")).encode()


def _cumulative(row: list[float]) -> list[float]:
    """OTLP has each bucket alone, native series have what is up to a bound."""
    buckets = len(BOUNDS) + 1
    upto = 0.0
    out = row[:-buckets]
    for count in row[-buckets:]:
        upto += count
        out.append(upto)
    return out


def _text(name: str, sent: Sent, more: dict[str, str]) -> str:
    """What a native object says of its series."""
    unit = "1" if name.endswith("_count") else sent.unit
    fields: dict[str, object] = {"metric": name, "unit": unit, "kind": "counter" if sent.counter else "gauge"}
    if sent.attributes or more:
        fields["labels"] = {**sent.attributes, **more}
    return json.dumps(fields, separators=(",", ":"))[1:-1] + ","


def _labels(name: str, sent: Sent, more: dict[str, str]) -> str:
    """The rest of the labels, and the name, in Prometheus' spelling."""
    name = name.replace(".", "_")
    own = {key.replace(".", "_"): text for key, text in {**sent.attributes, **more}.items()}
    labels = json.dumps({"__name__": name, "instance": "10.0.0.7:8080", **own}, separators=(",", ":"))
    return f'{labels[1:]},"name":"{name}",'


def _series() -> Iterator[tuple[str, Sent, dict[str, str]]]:
    """Name, what is sent, and further labels of each column."""
    for sent in PLAIN:
        yield sent.name, sent, {}
    yield f"{HISTOGRAM.name}_count", HISTOGRAM, {}
    yield f"{HISTOGRAM.name}_sum", HISTOGRAM, {}
    for bound in [*(f"{bound:g}" for bound in BOUNDS), "+Inf"]:
        yield f"{HISTOGRAM.name}_bucket", HISTOGRAM, {"le": bound}


_TEXTS: Final = tuple(_text(*column) for column in _series())
_LABELS: Final = tuple(_labels(*column) for column in _series())
