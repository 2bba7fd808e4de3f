"""Makes what comes from topics fit for a recording: each value once, growth added up, edges no more often
than they need. Imports this package only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import orjson

from records.samples import Edge, Sample

_SAMPLE: Final = tuple(Sample.model_fields)
_EDGE: Final = tuple(Edge.model_fields)
_SERIES: Final = ("node", "metric", "peer", "side")


def sample_line(fields: Mapping[str, Any]) -> bytes:
    """The fields of a sample as one line; what is null, empty or no field of a sample is left out."""
    return orjson.dumps({name: fields[name] for name in _SAMPLE if fields.get(name) not in (None, {})})


class SampleLines:
    """Lines in order of time to samples; counts the values that came twice.

    A second value of a series at the same time is the same point sent again: the first counts. A `delta`
    point is growth since the one before it; a recording knows cumulative counters, so they are added up.
    """

    def __init__(self) -> None:
        self.duplicates = 0
        self._totals: dict[tuple[object, ...], float] = {}

    def samples(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[Sample]:
        """The samples of (time, line), in their order."""
        now, seen = -1, set[tuple[object, ...]]()
        for time, line in lines:
            fields = orjson.loads(line)
            key = (*(fields.get(name) for name in _SERIES), *sorted((fields.get("labels") or {}).items()))
            if time != now:
                now, seen = time, set()
            if key in seen:
                self.duplicates += 1
                continue
            seen.add(key)
            if fields.get("kind") == "delta":
                self._totals[key] = self._totals.get(key, 0.0) + fields["value"]
                fields |= {"kind": "counter", "value": self._totals[key]}
            yield Sample.model_validate(fields | {"value": float(fields["value"])})


class ThinEdges:
    """Edges that come with every payload, kept as often as they need: in each third of a time to live the
    first and the last sighting, so that none expires between two.
    """

    def __init__(self, ttl: int) -> None:
        """`ttl`: of edges that say none, ms."""
        self._ttl = ttl
        self._first: dict[tuple[object, ...], Edge] = {}
        self._last: dict[tuple[object, ...], Edge] = {}

    def add(self, fields: Mapping[str, Any]) -> None:
        """Takes an edge; fields that are null or no field of an edge are left out."""
        edge = Edge.model_validate({name: fields[name] for name in _EDGE if fields.get(name) is not None})
        third = max(1, (edge.ttl or self._ttl) // 3)
        key = (edge.graph, edge.source, edge.target, edge.kind, edge.time // third)
        if key not in self._first or edge.time < self._first[key].time:
            self._first[key] = edge
        if key not in self._last or edge.time > self._last[key].time:
            self._last[key] = edge

    def in_order(self) -> list[Edge]:
        """The edges kept so far, in order of time."""
        kept = {(edge.source, edge.target, edge.kind, edge.time): edge for edge in self._first.values()}
        kept |= {(edge.source, edge.target, edge.kind, edge.time): edge for edge in self._last.values()}
        return sorted(kept.values(), key=lambda edge: (edge.time, edge.source, edge.target, edge.kind or ""))
