"""The load as native JSON objects, one per sample: one object per record, or many lines per record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from benchmarks.load import BOUNDS, COUNTERS, GAUGES, HISTOGRAM, START_MS, Load, Sent

_PREFIX: Final = '{{"graph":"{}","node":"{}",'


def records(load: Load, scrapes: int, lines: int = 1) -> Iterator[tuple[int, bytes]]:
    """(time in ms, record of so many lines); the lines of a record are of one time."""
    prefixes = [_PREFIX.format(*load.names(row)) for row in range(load.graphs * load.nodes)]
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


def _text(name: str, sent: Sent, kind: str, labels: dict[str, str], unit: str | None = None) -> str:
    fields: dict[str, object] = {"metric": name, "unit": sent.unit if unit is None else unit, "kind": kind}
    if labels:
        fields["labels"] = labels
    return json.dumps(fields, separators=(",", ":"))[1:-1] + ","


def _texts() -> Iterator[str]:
    for gauge in GAUGES:
        yield _text(gauge.name, gauge, "gauge", gauge.attributes)
    for counter in COUNTERS:
        yield _text(counter.name, counter, "counter", counter.attributes)
    own = HISTOGRAM.attributes
    yield _text(f"{HISTOGRAM.name}_count", HISTOGRAM, "counter", own, unit="1")
    yield _text(f"{HISTOGRAM.name}_sum", HISTOGRAM, "counter", own)
    for bound in [*(f"{bound:g}" for bound in BOUNDS), "+Inf"]:
        yield _text(f"{HISTOGRAM.name}_bucket", HISTOGRAM, "counter", {**own, "le": bound})


_TEXTS: Final = tuple(_texts())
