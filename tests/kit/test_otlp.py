"""The OTLP of the kit: it has the recording's values, and its service graph counts as a collector does."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric, ResourceMetrics

from records.recordings import Recording, RecordingMeta, write_recording
from records.samples import Edge, Sample
from tests.kit.otlp import BOUNDS, requests

START = 1_767_225_600_000
TICK = 15_000


def sample(node: str, metric: str, value: float, time: int, **more: object) -> Sample:
    return Sample.model_validate(
        {"graph": "shop", "node": node, "metric": metric, "value": value, "time": time, **more}
    )


def edge_samples(time: int, traffic: float, errors: float) -> list[Sample]:
    between = {"peer": "web", "side": "client"}
    return [
        sample("cart", "call_latency_client", 0.25, time, signal="latency", unit="s", **between),
        sample("cart", "call_latency_server", 200, time, signal="latency", unit="ms", peer="web"),
        sample("cart", "call_traffic_client", traffic, time, signal="traffic", unit="1/s", **between),
        sample("cart", "call_errors_client", errors, time, signal="errors", unit="1", **between),
    ]


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    first, second = START, START + TICK
    samples = [
        sample("cart", "cpu_value", 12.5, first, unit="%"),
        sample("cart", "cpu_value", 80.0, first, unit="%", labels={"part": "1"}),
        sample("web", "served_value", 7, first, kind="counter", unit="1"),
        *edge_samples(first + 400, traffic=2, errors=0.1),
        sample("cart", "cpu_value", 13.5, second, unit="%"),
        *edge_samples(second, traffic=4, errors=0.0),
    ]
    meta = RecordingMeta(name="r", graph="shop", interval=TICK, start=first, end=second)
    edges = [Edge(graph="shop", source="cart", target="redis", time=second, ttl=TICK)]
    return write_recording(tmp_path / "r", meta, samples, edges)


def parsed(recording: Recording) -> list[list[ResourceMetrics]]:
    return [
        list(ExportMetricsServiceRequest.FromString(payload).resource_metrics)
        for _, payload in requests(recording)
    ]


def attributes(of: object) -> dict[str, object]:
    return {
        pair.key: getattr(pair.value, pair.value.WhichOneof("value"))
        for pair in of.attributes  # type: ignore[attr-defined]
    }


def graph_metrics(resources: list[ResourceMetrics]) -> dict[str, Metric]:
    return {metric.name: metric for metric in resources[-1].scope_metrics[0].metrics}


def test_one_request_per_interval_with_the_time_of_its_last_sample(recording: Recording) -> None:
    assert [time for time, _ in requests(recording)] == [START + 400, START + TICK]


def test_a_nodes_series_are_metrics_of_its_resource(recording: Recording) -> None:
    cart, web, _ = parsed(recording)[0]
    assert attributes(cart.resource) == {"service.name": "cart", "service.namespace": "shop"}
    assert attributes(web.resource) == {"service.name": "web", "service.namespace": "shop"}
    (cpu,) = cart.scope_metrics[0].metrics
    assert (cpu.name, cpu.unit) == ("cpu_value", "%")
    points = [(p.as_double, attributes(p), p.time_unix_nano) for p in cpu.gauge.data_points]
    assert points == [(12.5, {}, START * 1_000_000), (80.0, {"part": "1"}, START * 1_000_000)]
    (served,) = web.scope_metrics[0].metrics
    assert served.sum.is_monotonic
    assert served.sum.aggregation_temporality == 2
    assert [p.as_double for p in served.sum.data_points] == [7]


def test_calls_are_counted_cumulatively_with_the_failed_ones_apart(recording: Recording) -> None:
    counts = [
        {
            (str(attributes(p)["server"]), bool(attributes(p)["failed"])): p.as_int
            for p in graph_metrics(resources)["traces_service_graph_request_total"].sum.data_points
        }
        for resources in parsed(recording)
    ]
    assert counts[0] == {("cart", False): 27, ("cart", True): 3}
    assert counts[1] == {("cart", False): 87, ("cart", True): 3, ("redis", False): 15, ("redis", True): 0}
    failed = graph_metrics(parsed(recording)[1])["traces_service_graph_request_failed_total"]
    assert [p.as_int for p in failed.sum.data_points] == [0, 3]


def test_latency_is_a_histogram_of_seconds_per_side(recording: Recording) -> None:
    metrics = graph_metrics(parsed(recording)[1])
    client, server = (metrics[f"traces_service_graph_request_{side}"] for side in ("client", "server"))
    assert client.unit == server.unit == "s"
    (point,) = client.histogram.data_points
    assert point.count == 90
    assert point.sum == pytest.approx(22.5)
    below = [sum(point.bucket_counts[: index + 1]) / 90 for index in range(len(BOUNDS))]
    assert below == pytest.approx([1 - math.exp(-bound / 0.25) for bound in BOUNDS], abs=0.02)
    assert sum(point.bucket_counts) == point.count
    assert len(point.bucket_counts) == len(point.explicit_bounds) + 1
    assert server.histogram.data_points[0].sum == pytest.approx(18.0)


def test_the_bytes_are_the_same_each_time(recording: Recording) -> None:
    assert list(requests(recording)) == list(requests(recording))
