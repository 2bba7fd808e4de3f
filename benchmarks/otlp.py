"""The load as OTLP: one ExportMetricsServiceRequest per scrape and `chunk` nodes.

A payload is built once as a template with protobuf; each scrape then writes its time and values into a copy,
since building a message per scrape would take longer than what is measured.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_CUMULATIVE, ScopeMetrics

from benchmarks.load import BOUNDS, COUNTERS, GAUGES, HISTOGRAM, PLAIN, SERIES, START_MS, Load, Sent

_TIME_MARK: Final = 0x1122334455667788
_VALUE_MARK: Final = 0x7E37E43C00000000
_WHOLE: Final = [len(PLAIN), *range(len(PLAIN) + 2, SERIES)]
"""Columns that OTLP has as whole numbers: the histogram's count and buckets."""


def payloads(load: Load, scrapes: int) -> Iterator[tuple[int, bytes]]:
    """(time in ms, serialised ExportMetricsServiceRequest), in time order; a scrape is one moment."""
    return _payloads(load, scrapes, 0)


def staggered(load: Load, scrapes: int) -> Iterator[tuple[int, bytes]]:
    """As `payloads`, but spread over the interval, as senders that know nothing of each other do."""
    return _payloads(load, scrapes, load.interval_ms)


def _payloads(load: Load, scrapes: int, spread_ms: int) -> Iterator[tuple[int, bytes]]:
    firsts = [
        graph * load.nodes + node for graph in range(load.graphs) for node in range(0, load.nodes, load.chunk)
    ]
    chunks = [range(first, min(first + load.chunk, _end(load, first))) for first in firsts]
    templates = [_Template([load.names(row) for row in chunk]) for chunk in chunks]
    for time_ms, values in load.scrapes(scrapes):
        bits = values.view(np.uint64).copy()
        bits[:, _WHOLE] = values[:, _WHOLE].astype(np.uint64)
        for place, (chunk, template) in enumerate(zip(chunks, templates, strict=True)):
            at = time_ms + spread_ms * place // len(chunks)
            yield at, template.filled(at, bits[chunk.start : chunk.stop])


def _end(load: Load, row: int) -> int:
    """The row after the last of this row's graph."""
    return (row // load.nodes + 1) * load.nodes


class _Template:
    """One payload's bytes with the places of its times and values."""

    def __init__(self, nodes: list[tuple[str, str]]) -> None:
        request = ExportMetricsServiceRequest()
        marks = iter(range(_VALUE_MARK, _VALUE_MARK + len(nodes) * SERIES))
        for graph, node in nodes:
            resource = request.resource_metrics.add()
            resource.resource.attributes.extend(
                _pairs({"service.name": node, "service.namespace": graph, "service.instance.id": f"{node}-0"})
            )
            _node(resource.scope_metrics.add(), marks)
        self._bytes = request.SerializeToString()
        wanted = range(_VALUE_MARK, _VALUE_MARK + len(nodes) * SERIES)
        self._values = _windows(_places(self._bytes, [struct.pack("<Q", mark) for mark in wanted]))
        points = len(nodes) * (len(PLAIN) + 1)
        self._times = _windows(_places(self._bytes, [struct.pack("<Q", _TIME_MARK)] * points))

    def filled(self, time_ms: int, bits: npt.NDArray[np.uint64]) -> bytes:
        """The payload of one scrape; ``bits`` uint64 [nodes, SERIES]."""
        copy = np.frombuffer(self._bytes, np.uint8).copy()
        copy[self._values] = bits.astype("<u8").reshape(-1, 1).view(np.uint8)
        copy[self._times] = np.frombuffer(struct.pack("<Q", time_ms * 1_000_000), np.uint8)
        return copy.tobytes()


def _node(scope: ScopeMetrics, marks: Iterator[int]) -> None:
    """The metrics of one node, in the order of the load's columns."""
    scope.scope.name = "benchmarks"
    for gauge in GAUGES:
        point = scope.metrics.add(name=gauge.name, unit=gauge.unit).gauge.data_points.add()
        point.attributes.extend(_pairs(gauge.attributes))
        point.time_unix_nano, point.as_double = _TIME_MARK, _real(next(marks))
    for counter in COUNTERS:
        total = scope.metrics.add(name=counter.name, unit=counter.unit).sum
        total.aggregation_temporality, total.is_monotonic = AGGREGATION_TEMPORALITY_CUMULATIVE, True
        point = total.data_points.add()
        point.attributes.extend(_pairs(counter.attributes))
        point.start_time_unix_nano, point.time_unix_nano = START_MS * 1_000_000, _TIME_MARK
        point.as_double = _real(next(marks))
    _histogram(scope, HISTOGRAM, marks)


def _histogram(scope: ScopeMetrics, sent: Sent, marks: Iterator[int]) -> None:
    histogram = scope.metrics.add(name=sent.name, unit=sent.unit).histogram
    histogram.aggregation_temporality = AGGREGATION_TEMPORALITY_CUMULATIVE
    point = histogram.data_points.add()
    point.attributes.extend(_pairs(sent.attributes))
    point.start_time_unix_nano, point.time_unix_nano = START_MS * 1_000_000, _TIME_MARK
    point.count, point.sum = next(marks), _real(next(marks))
    point.bucket_counts.extend(next(marks) for _ in range(len(BOUNDS) + 1))
    point.explicit_bounds.extend(BOUNDS)


def _pairs(attributes: dict[str, str]) -> list[KeyValue]:
    return [KeyValue(key=key, value=AnyValue(string_value=text)) for key, text in attributes.items()]


def _real(bits: int) -> float:
    return float(struct.unpack("<d", struct.pack("<Q", bits))[0])


def _places(data: bytes, marks: list[bytes]) -> npt.NDArray[np.int64]:
    """Offsets of marks that stand in ``data`` in this order."""
    found = []
    at = 0
    for mark in marks:
        at = data.index(mark, at)
        found.append(at)
        at += len(mark)
    return np.array(found, np.int64)


def _windows(places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Indices [n,8] of the eight bytes at each place."""
    return places[:, None] + np.arange(8)
