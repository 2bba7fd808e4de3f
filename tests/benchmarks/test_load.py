"""The benchmarks' load is what it says, in each form in which it is sent."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime

import numpy as np
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from benchmarks import lines, otlp
from benchmarks.load import BOUNDS, COUNTERS, GAUGES, PLAIN, SERIES, START_MS, Load

SMALL = Load(graphs=2, nodes=5, chunk=2, spikes=0.05, fault_every=5, fault_for=1)
Sample = tuple[str, str, str, str, int]


def of_payload(payload: bytes) -> Iterable[tuple[Sample, float]]:
    """Graph, node, metric, attributes and time in ms of each sample, with its value; buckets cumulative."""
    for resource in ExportMetricsServiceRequest.FromString(payload).resource_metrics:
        names = {pair.key: pair.value.string_value for pair in resource.resource.attributes}
        who = names["service.namespace"], names["service.name"]
        for metric in resource.scope_metrics[0].metrics:
            kind = metric.WhichOneof("data")
            for point in getattr(metric, kind).data_points:
                own = {pair.key: pair.value.string_value for pair in point.attributes}
                time_ms = point.time_unix_nano // 1_000_000
                if kind != "histogram":
                    yield (*who, metric.name, str(own), time_ms), point.as_double
                    continue
                yield (*who, f"{metric.name}_count", str(own), time_ms), point.count
                yield (*who, f"{metric.name}_sum", str(own), time_ms), point.sum
                bounds = [*(f"{bound:g}" for bound in BOUNDS), "+Inf"]
                for bound, upto in zip(bounds, np.cumsum(point.bucket_counts), strict=True):
                    yield (*who, f"{metric.name}_bucket", str({**own, "le": bound}), time_ms), float(upto)


def of_line(line: str) -> tuple[Sample, float]:
    told = json.loads(line)
    own = told["graph"], told["node"], told["metric"], str(told.get("labels", {})), told["time"]
    return own, told["value"]


def of_prometheus(record: bytes) -> tuple[Sample, float]:
    told = json.loads(record)
    labels = dict(told["labels"])
    who = labels.pop("cluster"), labels.pop("service"), labels.pop("__name__")
    labels.pop("instance")
    assert who[2] == told["name"]
    time_ms = round(datetime.fromisoformat(told["timestamp"]).timestamp() * 1_000)
    return (*who, str(labels), time_ms), float(told["value"])


def test_every_form_has_the_same_samples() -> None:
    sent = dict(sample for _, payload in otlp.payloads(SMALL, 8) for sample in of_payload(payload))
    assert len(sent) == 8 * SMALL.per_scrape == 8 * 2 * 5 * 30
    alone = dict(of_line(record.decode()) for _, record in lines.records(SMALL, 8))
    many = dict(
        of_line(line) for _, record in lines.records(SMALL, 8, 7) for line in record.decode().split("\n")
    )
    adapter = dict(of_prometheus(record) for _, record in lines.prometheus(SMALL, 8))
    assert alone.keys() == many.keys() == sent.keys()
    assert alone == many
    np.testing.assert_allclose([alone[key] for key in sent], list(sent.values()), rtol=1e-9)
    spelt = {tuple(str(part).replace(".", "_") for part in key[:4]) for key in sent}
    assert {tuple(str(part) for part in key[:4]) for key in adapter} == {
        (*key[:3], own.replace("le': '0_", "le': '0.")) for *key, own in spelt
    }
    assert len(adapter) == len(sent)


def test_records_have_as_many_samples_as_asked() -> None:
    assert [len(record.split(b"\n")) for _, record in lines.records(SMALL, 1, 70)] == [70] * 4 + [20]
    assert len(list(otlp.payloads(SMALL, 1))) == 2 * 3


def test_times_are_those_of_the_scrapes_or_spread_over_the_interval() -> None:
    together = [time_ms for time_ms, _ in otlp.payloads(SMALL, 2)]
    assert together == [START_MS] * 6 + [START_MS + 10_000] * 6
    apart = list(otlp.staggered(SMALL, 2))
    times = [time_ms for time_ms, _ in apart]
    assert times == sorted(set(times))
    assert times[5] < START_MS + 10_000 == times[6]
    assert {key[4] for key, _ in of_payload(apart[3][1])} == {times[3]}


def test_scattered_samples_are_late_but_never_too_late() -> None:
    records = [(arrival, *of_line(record.decode())) for arrival, record in lines.scattered(SMALL, 6)]
    assert len({sample for _, sample, _ in records}) == 6 * SMALL.per_scrape
    arrivals = [arrival for arrival, _, _ in records]
    assert arrivals == sorted(arrivals)
    assert all(0 <= arrival - sample[4] < 5_000 for arrival, sample, _ in records)
    times = [sample[4] for _, sample, _ in records]
    assert times != sorted(times)


def test_counters_grow_and_faults_stand_out() -> None:
    values = np.array([scrape for _, scrape in SMALL.scrapes(10)])
    assert values.shape == (10, 10, SERIES)
    totals = values[:, :, len(GAUGES) :]
    assert len(PLAIN) == len(GAUGES) + len(COUNTERS)
    assert (np.diff(totals, axis=0) > 0).all()
    quiet, faulty = values[4, :, 0], values[5:, :, 0].max(axis=0)
    assert (quiet < 0.7).all()
    assert sum(faulty > 0.75) >= 1


def test_the_same_seed_gives_the_same_bytes() -> None:
    assert list(otlp.payloads(SMALL, 2)) == list(otlp.payloads(SMALL, 2))
