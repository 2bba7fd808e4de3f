"""OTLP payloads by the million samples: one scrape of many nodes each, the same bytes for the same seed.

A payload is built once as a template with protobuf; each scrape then writes its time and values into a copy,
since building a message per scrape would take longer than what is measured.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

START_MS = 1_767_225_600_000
_TIME_MARK = 0x1122334455667788
_VALUE_MARK = 1e300


@dataclass(frozen=True)
class Load:
    """What is produced: ``graphs`` of ``nodes`` with ``metrics`` gauges each, scraped every ``interval_ms``.

    ``chunk`` nodes share a payload. ``spikes``: share of samples that stand out by 20 standard deviations.
    """

    graphs: int = 5
    nodes: int = 200
    metrics: int = 30
    interval_ms: int = 10_000
    chunk: int = 20
    spikes: float = 0.001
    seed: int = 1

    @property
    def per_scrape(self) -> int:
        """Samples of all graphs at one time."""
        return self.graphs * self.nodes * self.metrics

    def payloads(self, scrapes: int) -> Iterator[tuple[int, bytes]]:
        """(time in ms, serialised ExportMetricsServiceRequest), in time order."""
        templates = [
            _Template(f"graph-{graph}", range(first, min(first + self.chunk, self.nodes)), self.metrics)
            for graph in range(self.graphs)
            for first in range(0, self.nodes, self.chunk)
        ]
        rng = np.random.default_rng(self.seed)
        for scrape in range(scrapes):
            time_ms = START_MS + scrape * self.interval_ms
            for template in templates:
                values = 100 + rng.standard_normal(template.size)
                values += 20 * (rng.random(template.size) < self.spikes)
                yield time_ms, template.filled(time_ms, values)


class _Template:
    """One payload's bytes with the places of its times and values."""

    def __init__(self, graph: str, nodes: range, metrics: int) -> None:
        self.size = len(nodes) * metrics
        request = ExportMetricsServiceRequest()
        for place, node in enumerate(nodes):
            resource = request.resource_metrics.add()
            for key, text in (("service.name", f"node-{node}"), ("service.namespace", graph)):
                resource.resource.attributes.append(KeyValue(key=key, value=AnyValue(string_value=text)))
            scope = resource.scope_metrics.add()
            for metric in range(metrics):
                point = scope.metrics.add(name=f"metric_{metric}", unit="1").gauge.data_points.add()
                point.time_unix_nano = _TIME_MARK
                point.as_double = _VALUE_MARK * (1 + (place * metrics + metric) / 1e6)
        self._bytes = request.SerializeToString()
        marks = [_VALUE_MARK * (1 + index / 1e6) for index in range(self.size)]
        self._values = _windows(_places(self._bytes, [struct.pack("<d", mark) for mark in marks]))
        self._times = _windows(_places(self._bytes, [struct.pack("<Q", _TIME_MARK)] * self.size))

    def filled(self, time_ms: int, values: npt.NDArray[np.float64]) -> bytes:
        """The payload of one scrape; ``values`` float64 [size]."""
        copy = np.frombuffer(self._bytes, np.uint8).copy()
        copy[self._values] = values.astype("<f8").view(np.uint8).reshape(-1, 8)
        copy[self._times] = np.frombuffer(struct.pack("<Q", time_ms * 1_000_000), np.uint8)
        return copy.tobytes()


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
