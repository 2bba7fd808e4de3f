"""`faultline decode` on OTLP as the OpenTelemetry library writes it, and on a case from the field."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToJson
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue
from opentelemetry.proto.metrics.v1 import metrics_pb2 as otlp
from typer.testing import CliRunner

from faultline import exits
from faultline.main import app

TO_JSON: Callable[..., str] = MessageToJson
CASES = Path(__file__).resolve().parents[2] / "jvm/src/test/resources/cases"
T0 = 1_767_225_600_000
TIME = {"start_time_unix_nano": T0 * 1_000_000, "time_unix_nano": (T0 + 60_000) * 1_000_000}
DELTA = otlp.AGGREGATION_TEMPORALITY_DELTA
CUMULATIVE = otlp.AGGREGATION_TEMPORALITY_CUMULATIVE


def decoded(*arguments: str) -> tuple[int, list[dict[str, Any]]]:
    """Exit code and lines."""
    done = CliRunner().invoke(app, ["decode", "--json", *arguments])
    return done.exit_code, [json.loads(line) for line in done.stdout.splitlines()]


def request() -> ExportMetricsServiceRequest:
    """One metric of each shape, all fields set."""
    sent = ExportMetricsServiceRequest()
    resource = sent.resource_metrics.add()
    resource.resource.attributes.append(KeyValue(key="service.name", value=AnyValue(string_value="cart")))
    resource.resource.attributes.append(KeyValue(key="service.instance.id", value=AnyValue(int_value=7)))
    scope = resource.scope_metrics.add()
    scope.scope.name = "lib"
    zones = AnyValue(
        array_value=ArrayValue(values=[AnyValue(bytes_value=b"\1\2"), AnyValue(bool_value=True)])
    )
    attributes = [KeyValue(key="zones", value=zones), KeyValue(key="share", value=AnyValue(double_value=0.5))]
    exemplar = otlp.Exemplar(
        as_double=3.5, time_unix_nano=T0 * 1_000_000, trace_id=b"\x0a" * 16, span_id=b"\1" * 8
    )
    gauge = otlp.NumberDataPoint(as_int=-5, attributes=attributes, exemplars=[exemplar], **TIME)
    scope.metrics.add(name="depth", unit="1").gauge.data_points.append(gauge)
    scope.metrics[-1].gauge.data_points.add(flags=otlp.DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK, **TIME)
    total = scope.metrics.add(name="calls").sum
    total.aggregation_temporality, total.is_monotonic = CUMULATIVE, True
    total.data_points.add(as_double=12.5, **TIME)
    histogram = scope.metrics.add(name="size", unit="By").histogram
    histogram.aggregation_temporality = DELTA
    histogram.data_points.add(
        count=6, sum=21.5, bucket_counts=[1, 2, 3], explicit_bounds=[1, 5], min=0.5, max=9, **TIME
    )
    exponential = scope.metrics.add(name="wait", unit="s").exponential_histogram
    exponential.aggregation_temporality = DELTA
    point = exponential.data_points.add(
        count=10, sum=20, scale=0, zero_count=1, zero_threshold=0.25, min=-3, max=7, **TIME
    )
    point.positive.offset, point.negative.offset = -1, 1
    point.positive.bucket_counts.extend([2, 0, 4])
    point.negative.bucket_counts.append(3)
    summary = scope.metrics.add(name="rpc", unit="s").summary.data_points.add(count=4, sum=2, **TIME)
    summary.quantile_values.add(quantile=0.99, value=0.75)
    return sent


WANTED = {
    ("depth", None): -5.0,
    ("calls", None): 12.5,
    ("size_count", None): 6.0,
    ("size_sum", None): 21.5,
    ("size_min", None): 0.5,
    ("size_max", None): 9.0,
    ("size_bucket", "1"): 1.0,
    ("size_bucket", "5"): 3.0,
    ("size_bucket", "+Inf"): 6.0,
    ("wait_count", None): 10.0,
    ("wait_sum", None): 20.0,
    ("wait_min", None): -3.0,
    ("wait_max", None): 7.0,
    ("wait_bucket", "-4"): 0.0,
    ("wait_bucket", "-2"): 3.0,
    ("wait_bucket", "0.25"): 4.0,
    ("wait_bucket", "0.5"): 4.0,
    ("wait_bucket", "1"): 6.0,
    ("wait_bucket", "2"): 6.0,
    ("wait_bucket", "4"): 10.0,
    ("wait_bucket", "+Inf"): 10.0,
    ("rpc_count", None): 4.0,
    ("rpc_sum", None): 2.0,
    ("rpc", "0.99"): 0.75,
}


def test_every_shape_as_the_library_encodes_it(tmp_path: Path) -> None:
    (tmp_path / "scrape.pb").write_bytes(request().SerializeToString())
    code, lines = decoded("--format", "otlp_proto", str(tmp_path / "scrape.pb"))

    samples = [each for each in lines if each["type"] == "sample"]
    found = {(each["metric"], _bound(each["labels"])): each["value"] for each in samples}
    assert found == WANTED
    assert len(samples) == len(WANTED)
    assert code == exits.OK
    assert [each["reason"] for each in lines if each["type"] != "sample"] == ["no_recorded_value"]
    assert {each["time"] for each in samples} == {T0 + 60_000}
    assert samples[0]["labels"] == {
        "otel.scope.name": "lib",
        "service.instance.id": "7",
        "share": "0.5",
        "zones": '["AQI=",true]',
    }
    assert samples[0]["exemplars"] == [{"trace_id": "0a" * 16, "span_id": "01" * 8, "value": 3.5, "time": T0}]
    kinds = {each["metric"]: each["kind"] for each in samples}
    assert (kinds["calls"], kinds["size_sum"], kinds["rpc_count"]) == ("counter", "delta", "counter")


def _bound(labels: dict[str, str]) -> str | None:
    return labels.get("le", labels.get("quantile"))


def test_the_library_s_json_gives_the_same(tmp_path: Path) -> None:
    """But for the identifiers of traces, which the library writes as base64 and OTLP does not."""
    sent = request()
    (tmp_path / "scrape.pb").write_bytes(sent.SerializeToString())
    _, wanted = decoded("--format", "otlp_proto", str(tmp_path / "scrape.pb"))
    for names in (False, True):
        text = TO_JSON(sent, preserving_proto_field_name=names)
        (tmp_path / "scrape.json").write_text(text)
        _, found = decoded("--format", "otlp_json", str(tmp_path / "scrape.json"))
        assert found == [{k: v for k, v in each.items() if k != "exemplars"} for each in wanted]


def test_integers_as_text_and_as_numbers(tmp_path: Path) -> None:
    """Nanoseconds are cut to milliseconds exactly; no value and NaN are no dead letters."""
    case = json.loads((CASES / "decode-otlp-json-int-forms.json").read_text())
    (tmp_path / "records.yaml").write_text(json.dumps(case["records"]))
    (tmp_path / "job.yaml").write_text(
        "sources: [{type: kafka, bootstrap_servers: k:9092, topic: t, format: otlp_json,"
        " identity: {graph: {value: shop}}}]\nsinks: {files: {dir: out}}\n"
    )
    arguments = ("--records", str(tmp_path / "records.yaml"), "--config", str(tmp_path / "job.yaml"))
    code, lines = decoded("--format", "otlp_json", *arguments)

    def sample(value: float, time: int, **labels: str) -> dict[str, Any]:
        line = {"type": "sample", "record": 0, "graph": "shop", "node": "cart", "metric": "queue.depth"}
        line |= {"kind": "gauge", "unit": "{item}", "signal": None, "peer": None, "side": None}
        return line | {"labels": {"otel.scope.name": "demo", **labels}, "value": value, "time": time}

    assert lines == [
        sample(42.0, T0, shard="7"),
        sample(43.0, T0 + 10_000, shard="8"),
        {"type": "ignored", "record": 0, "reason": "not_finite"},
        {"type": "ignored", "record": 0, "reason": "no_recorded_value"},
        sample(0.5, T0 + 10_999, primary="true"),
    ]
    assert code == exits.OK
