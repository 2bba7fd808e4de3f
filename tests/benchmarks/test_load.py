"""The benchmarks' load is what it says: it parses, and counts, times and values are as asked."""

from __future__ import annotations

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from benchmarks.load import START_MS, Load

SMALL = Load(graphs=2, nodes=5, metrics=3, chunk=2, spikes=0.1)


def points(payload: bytes) -> list[tuple[str, str, str, int, float]]:
    found = []
    for resource in ExportMetricsServiceRequest.FromString(payload).resource_metrics:
        names = {pair.key: pair.value.string_value for pair in resource.resource.attributes}
        for metric in resource.scope_metrics[0].metrics:
            for point in metric.gauge.data_points:
                who = (names["service.namespace"], names["service.name"], metric.name)
                found.append((*who, point.time_unix_nano, point.as_double))
    return found


def test_every_series_has_one_sample_per_scrape() -> None:
    payloads = list(SMALL.payloads(2))
    assert len(payloads) == 2 * 2 * 3
    samples = [point for _, payload in payloads for point in points(payload)]
    assert len(samples) == 2 * SMALL.per_scrape == 60
    assert len({sample[:4] for sample in samples}) == 60
    times = [START_MS * 1_000_000, (START_MS + 10_000) * 1_000_000]
    assert sorted({sample[3] for sample in samples}) == times


def test_values_differ_and_some_stand_out() -> None:
    values = [point[4] for _, payload in SMALL.payloads(20) for point in points(payload)]
    assert len(set(values)) == len(values) == 600
    assert 30 <= sum(value > 110 for value in values) <= 90
    assert all(90 < value < 130 for value in values)


def test_the_same_seed_gives_the_same_bytes() -> None:
    assert list(SMALL.payloads(2)) == list(SMALL.payloads(2))
