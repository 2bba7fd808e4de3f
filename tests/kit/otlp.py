"""A native recording as OTLP: what an OpenTelemetry collector would export for the same system.

Each interval becomes one ExportMetricsServiceRequest. A node's own series become metrics of its resource
(``service.name`` the node, ``service.namespace`` the graph); names and units stay. Signals are not carried:
OTLP has no place for them, so the reader needs rules. Edges and the series between peer and node become the
metrics of the collector's service graph connector: cumulative counters and histograms per (client, server).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from math import expm1
from typing import Final

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    AGGREGATION_TEMPORALITY_CUMULATIVE,
    HistogramDataPoint,
    Metric,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
)

from records.recordings import Recording
from records.samples import DEFAULT_TTL_MS, Edge, Sample

BOUNDS: Final = (0.002, 0.004, 0.006, 0.008, 0.01, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0, 1.4, 2.0, 5.0, 10.0, 15.0)
"""Upper bounds (s) of the connector's default latency buckets; one more bucket has what is above."""

GRAPH_SCOPE: Final = "traces_service_graph"
SECONDS: Final = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
NANOS_PER_MS: Final = 1_000_000

Attributes = dict[str, str | bool]
Told = dict[tuple[str | None, str], Sample]


@dataclass
class Latency:
    """A cumulative histogram of seconds."""

    count: int = 0
    total: float = 0.0
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))

    def add(self, mean: float, times: int) -> None:
        """Observe ``times`` durations of this mean, spread exponentially: all in one bucket, the percentiles
        would jump whenever the mean crosses a bound.
        """
        self.count += times
        self.total += mean * times
        below = [0, *(round(times * -expm1(-bound / mean)) for bound in BOUNDS), times]
        for bucket, (low, high) in enumerate(pairwise(below)):
            self.buckets[bucket] += high - low


@dataclass
class Calls:
    """What one caller did to one callee since the start; ``sides`` has the latency at each side."""

    good: int = 0
    failed: int = 0
    sides: dict[str, Latency] = field(default_factory=dict)

    def scrape(self, samples: Iterable[Sample], interval_s: float) -> None:
        """Count an interval's calls from the edge's samples at its end; one call per second if unsaid."""
        told: Told = {(sample.signal, sample.side or "server"): sample for sample in samples}
        rate = _value(told, "traffic", 1.0)
        calls = max(round(rate * interval_s), 1)
        failed = min(round(_value(told, "errors", 0.0) * calls), calls)
        self.good += calls - failed
        self.failed += failed
        for (signal, side), sample in told.items():
            if signal == "latency":
                scale = SECONDS[sample.unit or "s"]
                self.sides.setdefault(side, Latency()).add(max(sample.value * scale, 1e-6), calls)


def requests(recording: Recording) -> Iterator[tuple[int, bytes]]:
    """(time in ms, serialised request) of each interval with samples, in time order.

    Points keep the times of their samples; the request's time and that of the calls is the latest of them.
    """
    calls: dict[tuple[str, str], Calls] = {}
    alive: dict[tuple[str, str], int] = {}
    edges = _Queue(recording.edges())
    start_ms, interval_s = recording.meta.start, recording.meta.interval / 1000
    for _, group in groupby(recording.samples(), lambda s: (s.time - start_ms) // recording.meta.interval):
        samples = list(group)
        time_ms = samples[-1].time
        for edge in edges.until(time_ms):
            alive[edge.source, edge.target] = edge.time + (edge.ttl or DEFAULT_TTL_MS)
        between = _by_edge(samples)
        live = {pair for pair, end in alive.items() if end >= time_ms} | set(between)
        for pair in sorted(live):
            calls.setdefault(pair, Calls()).scrape(between.get(pair, ()), interval_s)
        request = ExportMetricsServiceRequest()
        request.resource_metrics.extend(_resources(recording.meta.graph, samples, start_ms))
        if calls:
            request.resource_metrics.append(_service_graph(recording.meta.graph, calls, start_ms, time_ms))
        yield time_ms, request.SerializeToString(deterministic=True)


class _Queue:
    """Edges in time order, taken as their time comes."""

    def __init__(self, edges: Iterator[Edge]) -> None:
        self._edges = edges
        self._next = next(edges, None)

    def until(self, time_ms: int) -> Iterator[Edge]:
        """The edges not yet taken whose time is not after ``time_ms``."""
        while self._next is not None and self._next.time <= time_ms:
            yield self._next
            self._next = next(self._edges, None)


def _value(told: Told, signal: str, default: float) -> float:
    found = [sample.value for (name, _), sample in told.items() if name == signal]
    return found[0] if found else default


def _by_edge(samples: Iterable[Sample]) -> dict[tuple[str, str], list[Sample]]:
    found: dict[tuple[str, str], list[Sample]] = {}
    for sample in samples:
        if sample.peer is not None:
            found.setdefault((sample.peer, sample.node), []).append(sample)
    return found


def _resources(graph: str, samples: Iterable[Sample], start_ms: int) -> Iterator[ResourceMetrics]:
    own = sorted((sample for sample in samples if sample.peer is None), key=lambda s: (s.node, s.metric))
    for node, group in groupby(own, key=lambda sample: sample.node):
        resource = _resource({"service.name": node, "service.namespace": graph}, "faultline.simulator")
        for (name, unit, kind), points in groupby(group, key=lambda s: (s.metric, s.unit, s.kind)):
            resource.scope_metrics[0].metrics.append(_numbers(name, unit or "", kind, points, start_ms))
        yield resource


def _resource(attributes: Attributes, scope: str) -> ResourceMetrics:
    metrics = ScopeMetrics()
    metrics.scope.name = scope
    resource = ResourceMetrics(scope_metrics=[metrics])
    resource.resource.attributes.extend(_attributes(attributes))
    return resource


def _attributes(attributes: Attributes) -> list[KeyValue]:
    return [
        KeyValue(
            key=key,
            value=AnyValue(bool_value=value) if isinstance(value, bool) else AnyValue(string_value=value),
        )
        for key, value in attributes.items()
    ]


def _numbers(name: str, unit: str, kind: str | None, samples: Iterable[Sample], start_ms: int) -> Metric:
    metric = Metric(name=name, unit=unit)
    points = [_point(dict(s.labels or {}), s.value, s.time) for s in samples]
    if kind == "counter":
        _cumulate(metric, points, start_ms)
    else:
        metric.gauge.data_points.extend(points)
    return metric


def _point(attributes: Attributes, value: float, time_ms: int) -> NumberDataPoint:
    number = {"as_int": value} if isinstance(value, int) else {"as_double": value}
    return NumberDataPoint(
        attributes=_attributes(attributes), time_unix_nano=time_ms * NANOS_PER_MS, **number
    )


def _cumulate(metric: Metric, points: list[NumberDataPoint], start_ms: int) -> None:
    for point in points:
        point.start_time_unix_nano = start_ms * NANOS_PER_MS
    metric.sum.data_points.extend(points)
    metric.sum.is_monotonic = True
    metric.sum.aggregation_temporality = AGGREGATION_TEMPORALITY_CUMULATIVE


def _service_graph(
    graph: str, calls: dict[tuple[str, str], Calls], start_ms: int, time_ms: int
) -> ResourceMetrics:
    resource = _resource({"service.namespace": graph}, GRAPH_SCOPE)
    metrics = resource.scope_metrics[0].metrics
    total = [
        _point(_call(pair, failed), number, time_ms)
        for pair, call in sorted(calls.items())
        for failed, number in ((False, call.good), (True, call.failed))
    ]
    _cumulate(metrics.add(name=f"{GRAPH_SCOPE}_request_total"), total, start_ms)
    failed = [_point(_call(pair, True), call.failed, time_ms) for pair, call in sorted(calls.items())]
    _cumulate(metrics.add(name=f"{GRAPH_SCOPE}_request_failed_total"), failed, start_ms)
    for side in ("server", "client"):
        metric = metrics.add(name=f"{GRAPH_SCOPE}_request_{side}", unit="s")
        metric.histogram.aggregation_temporality = AGGREGATION_TEMPORALITY_CUMULATIVE
        for pair, call in sorted(calls.items()):
            if side in call.sides:
                metric.histogram.data_points.append(_histogram(pair, call.sides[side], start_ms, time_ms))
    return resource


def _call(pair: tuple[str, str], failed: bool) -> Attributes:
    return {"client": pair[0], "server": pair[1], "connection_type": "", "failed": failed}


def _histogram(pair: tuple[str, str], latency: Latency, start_ms: int, time_ms: int) -> HistogramDataPoint:
    return HistogramDataPoint(
        attributes=_attributes(_call(pair, False)),
        start_time_unix_nano=start_ms * NANOS_PER_MS,
        time_unix_nano=time_ms * NANOS_PER_MS,
        count=latency.count,
        sum=latency.total,
        bucket_counts=latency.buckets,
        explicit_bounds=BOUNDS,
    )
