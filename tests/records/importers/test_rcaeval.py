"""The RCAEval importer: small made cases in each published layout, with the known faults of the data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from records.checking import check_recording
from records.errors import RecordingError
from records.importers.rcaeval import import_rcaeval
from records.importers.rcaeval_columns import columns_of
from records.importers.rcaeval_files import milliseconds, read_trace_calls
from records.recordings import Recording
from records.samples import Sample

T0 = 1_705_000_000
SECONDS = 60
INJECTED = T0 + 30
COLUMNS = ("cartservice_cpu", "cartservice_mem", "frontend_latency-50", "frontend_workload", "frontend_error")
TRACES = "time,traceID,spanID,serviceName,methodName,operationName,startTime,duration,statusCode,parentSpanID"


def csv(columns: Sequence[str] = COLUMNS, time: str = "time", factor: int = 1, rows: int = SECONDS) -> str:
    """A table whose column c has row + c/10 in each row."""
    lines = [",".join([time, *columns])]
    for row in range(rows):
        cells = (f"{row}.{index}" for index in range(len(columns)))
        lines.append(",".join([str((T0 + row) * factor), *cells]))
    return "\n".join(lines) + "\n"


def write_case(folder: Path, files: Mapping[str, str]) -> Path:
    """A case's folder: these files, and inject_time.txt where they do not say it."""
    folder.mkdir(parents=True)
    for name, text in {"inject_time.txt": f"{INJECTED}\n", **files}.items():
        (folder / name).write_text(text)
    return folder


def imported(folder: Path, files: Mapping[str, str], name: str = "RE2-OB/cartservice_cpu/1") -> Recording:
    write_case(folder / "in" / name, files)
    (recording,) = import_rcaeval(folder / "in", folder / "out").recordings
    return recording


def series(recording: Recording) -> set[tuple[str, str, str | None, str | None]]:
    return {(s.node, s.metric, s.signal, s.unit) for s in recording.samples()}


def first(recording: Recording, metric: str) -> Sample:
    return next(sample for sample in recording.samples() if sample.metric == metric)


def test_columns_become_declared_series(tmp_path: Path) -> None:
    recording = imported(tmp_path, {"simple_metrics.csv": csv()})

    assert series(recording) == {
        ("cartservice", "cpu", "cpu", None),
        ("cartservice", "mem", "memory", "By"),
        ("frontend", "latency-50", "latency", "s"),
        ("frontend", "workload", "traffic", "1/s"),
        ("frontend", "error", "errors", "1/s"),
    }
    assert (first(recording, "mem").time, first(recording, "mem").value) == (T0 * 1000, 0.1)
    meta = recording.meta
    assert (meta.name, meta.graph) == ("rcaeval-RE2-OB-cartservice_cpu-1", "online-boutique")
    assert (meta.interval, meta.start, meta.end) == (1000, T0 * 1000, (T0 + SECONDS - 1) * 1000)
    assert (meta.licence, meta.source) == ("MIT", "https://github.com/phamquiluan/RCAEval")
    assert check_recording(recording.path).findings == []


def test_the_fault_is_told_by_the_folders_name_and_lasts_to_the_end(tmp_path: Path) -> None:
    name = "RE2-TT/ts-auth-service_delay/3"
    recording = imported(tmp_path, {"simple_metrics.csv": csv(["ts-auth-service_latency-90"])}, name)
    (fault,) = recording.faults()

    assert (fault.node, fault.kind, fault.signal) == ("ts-auth-service", "delay", "latency")
    assert (fault.start, fault.end) == (INJECTED * 1000, recording.meta.end)
    assert recording.meta.graph == "train-ticket"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("RE1-SS/front-end_loss/5", ("RE1-SS-front-end_loss-5", "sock-shop", "front-end", "loss")),
        ("sock-shop-2/carts_disk/1", ("sock-shop-2-carts_disk-1", "sock-shop", "carts", "disk")),
        ("train-ticket/ts-a_mem/2", ("train-ticket-ts-a_mem-2", "train-ticket", "ts-a", "mem")),
        ("re3tt_ts-a-service_f1_2", ("RE3-TT-ts-a-service_f1-2", "train-ticket", "ts-a-service", "f1")),
        ("mine/shop-db_cpu/1", ("in-shop-db_cpu-1", "in", "shop-db", "cpu")),
    ],
)
def test_suites_are_told_by_the_folders(tmp_path: Path, name: str, told: tuple[str, str, str, str]) -> None:
    recording = imported(tmp_path, {"data.csv": csv()}, name)
    (fault,) = recording.faults()

    name = recording.meta.name.removeprefix("rcaeval-")
    assert (name, recording.meta.graph, fault.node, fault.kind) == told


def test_the_collectors_own_columns_are_understood(tmp_path: Path) -> None:
    columns = [
        "carts_container-cpu-usage-seconds-total",
        "carts_container-memory-working-set-bytes",
        "carts_container-fs-writes-bytes-total",
        "carts_container-network-receive-bytes-total",
        "carts_container-threads",
        "carts_istio-latency-95",
        "carts_istio-request-total",
        "carts_istio-error-total",
        "192-168-25-221-9100_node-cpu-seconds-total",
        "istio-proxy_container-cpu-usage-seconds-total",
        "PassthroughCluster_istio-request-total",
        "front-end-external_istio-latency-95",
    ]
    recording = imported(tmp_path, {"metrics.csv": csv(columns)}, "RE2-SS/carts_socket/1")

    assert {(node, metric, signal) for node, metric, signal, _ in series(recording)} == {
        ("carts", "container-cpu-usage-seconds-total", "cpu"),
        ("carts", "container-memory-working-set-bytes", "memory"),
        ("carts", "container-fs-writes-bytes-total", "disk"),
        ("carts", "container-network-receive-bytes-total", "network"),
        ("carts", "container-threads", "other"),
        ("carts", "istio-latency-95", "latency"),
        ("carts", "istio-request-total", "traffic"),
        ("carts", "istio-error-total", "errors"),
        ("front-end", "external_istio-latency-95", "latency"),
    }


def test_older_sock_shop_percentiles_keep_their_underscore() -> None:
    (column,) = columns_of(["time", "carts_lat_90"])

    assert (column.node, column.measure.metric, column.measure.unit) == ("carts", "lat_90", None)


def test_the_aggregated_table_goes_before_the_collectors(tmp_path: Path) -> None:
    files = {"data.csv": csv(["carts_istio-latency-50"]), "simple_data.csv": csv(["carts_latency-50"])}
    recording = imported(tmp_path, files, "RE1-SS/carts_cpu/1")

    assert {metric for _, metric, _, _ in series(recording)} == {"latency-50"}
    assert "from simple_data.csv" in recording.meta.description


def test_columns_that_come_twice_or_never_change_are_left_out(tmp_path: Path) -> None:
    text = csv(["cart_cpu", "cart_cpu.1", "cart_mem", "cart_mem", "time.1", "cart_limit", "cart_empty"])
    lines = text.splitlines()
    lines[1:] = [line.rsplit(",", 2)[0] + ",7," for line in lines[1:]]
    recording = imported(tmp_path, {"data.csv": "\n".join(lines)}, "RE1-OB/cart_cpu/1")

    assert {metric for _, metric, _, _ in series(recording)} == {"cpu", "mem"}
    assert first(recording, "mem").value == 0.2
    assert check_recording(recording.path).findings == []


def test_cells_without_a_finite_number_are_no_samples(tmp_path: Path) -> None:
    lines = csv(["cart_cpu", "cart_mem"]).splitlines()
    for row, cell in ((3, ""), (4, "NaN"), (5, "inf"), (6, "-inf")):
        lines[row] = f"{T0 + row - 1},{cell},{row}"
    recording = imported(tmp_path, {"data.csv": "\n".join(lines)})
    times = {(s.time // 1000 - T0) for s in recording.samples() if s.metric == "cpu"}

    assert times == set(range(SECONDS)) - {2, 3, 4, 5}


@pytest.mark.parametrize("time", ["time", "Time", "timestamp", "imte"])
@pytest.mark.parametrize("factor", [1, 1_000, 1_000_000, 1_000_000_000])
def test_the_time_is_found_in_any_name_and_unit(tmp_path: Path, time: str, factor: int) -> None:
    recording = imported(tmp_path, {"data.csv": csv(time=time, factor=factor)})

    assert (recording.meta.start, recording.meta.interval) == (T0 * 1000, 1000)


def test_rows_out_of_order_and_repeated_come_once_in_order(tmp_path: Path) -> None:
    head, *rows = csv().splitlines()
    recording = imported(tmp_path, {"data.csv": "\n".join([head, *reversed(rows), rows[3]])})

    assert check_recording(recording.path).findings == []
    assert len(list(recording.samples())) == SECONDS * len(COLUMNS)


def test_json_of_the_second_edition_is_read_like_csv(tmp_path: Path) -> None:
    told = {
        name: [[T0 + row, row + index / 10] for row in range(SECONDS)] for index, name in enumerate(COLUMNS)
    }
    told["frontend_error"][7][1] = None  # type: ignore[call-overload]
    of_json = imported(tmp_path / "a", {"metrics.json": json.dumps(told)}, "re2ob_cartservice_cpu_1")
    of_csv = imported(tmp_path / "b", {"data.csv": csv()}, "re2ob_cartservice_cpu_1")

    assert [s for s in of_csv.samples() if (s.metric, s.time) != ("error", (T0 + 7) * 1000)] == list(
        of_json.samples()
    )


def test_calls_come_from_traces_in_whatever_order_the_spans_are(tmp_path: Path) -> None:
    spans = [
        "0,t,c,currencyservice,m,o,1,1,0,b",
        "0,t,a,frontendservice,m,o,1,1,0,",
        "0,t,b,checkoutservice,m,o,1,1,0,a",
        "0,t,b2,checkoutservice,m,o,1,1,0,b",
        "0,t,x,cartservice,m,o,1,1,0,never",
        "0,t,,cartservice,m,o,1,1,0,a",
    ]
    files = {"simple_metrics.csv": csv(), "traces.csv": "\n".join([TRACES, *spans])}
    edges = {(e.source, e.target) for e in imported(tmp_path, files).edges()}

    assert edges == {("frontend", "checkoutservice"), ("checkoutservice", "currencyservice")}


def test_a_case_without_traces_gets_the_given_calls(tmp_path: Path) -> None:
    write_case(tmp_path / "RE1-SS" / "carts_cpu" / "1", {"data.csv": csv(["carts_cpu"])})
    (tmp_path / "calls.csv").write_text("source, target\nfront-end, carts\ncarts, carts-db\ncarts, carts\n")
    (recording,) = import_rcaeval(
        tmp_path / "RE1-SS", tmp_path / "out", edges=tmp_path / "calls.csv"
    ).recordings

    assert {(e.source, e.target) for e in recording.edges()} == {
        ("front-end", "carts"),
        ("carts", "carts-db"),
    }
    assert "2 calls between services" in recording.meta.description


@pytest.mark.parametrize(
    ("text", "told"),
    [("a,b\n", "no columns source and target"), ("source,target\nx,\n", "calls.csv:2: a call needs")],
)
def test_a_broken_file_of_calls_is_named(tmp_path: Path, text: str, told: str) -> None:
    write_case(tmp_path / "RE1-SS" / "carts_cpu" / "1", {"data.csv": csv()})
    (tmp_path / "calls.csv").write_text(text)

    with pytest.raises(RecordingError, match=told):
        import_rcaeval(tmp_path / "RE1-SS", tmp_path / "out", edges=tmp_path / "calls.csv")


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"data.csv": csv(), "inject_time.txt": str(T0)}, "lies outside"),
        ({"data.csv": csv(), "inject_time.txt": str(INJECTED // 100)}, "lies outside"),
        ({"data.csv": csv(), "inject_time.txt": "\n"}, "is empty"),
        ({"data.csv": csv(), "inject_time.txt": "noon"}, "'noon' is no number"),
        ({"metrics.parquet": "PAR1"}, "no simple_data.csv, no simple_metrics.csv"),
        ({"data.csv": "a,b\n1,2\n"}, "no column time, Time, timestamp, imte"),
        ({"data.csv": "time,cart_cpu\n"}, "no metrics of any service"),
        ({"data.csv": "time,cart_cpu\n1705000000\n"}, "1 cells under 2 columns"),
        ({"data.csv": "time,cart_cpu\n-5,1\n"}, "is no time"),
        ({"metrics.json": "[1]"}, "no series of times and values"),
        ({"data.csv": csv(), "traces.csv": "time,traceID\n"}, "no column spanID, parentSpanID, serviceName"),
    ],
)
def test_an_unfit_case_is_left_out_with_its_reason(
    tmp_path: Path, files: Mapping[str, str], told: str
) -> None:
    write_case(tmp_path / "RE2-OB" / "cartservice_cpu" / "1", files)
    write_case(tmp_path / "RE2-OB" / "cartservice_cpu" / "2", {"data.csv": csv()})
    got = import_rcaeval(tmp_path / "RE2-OB", tmp_path / "out")

    assert [each.meta.name for each in got.recordings] == ["rcaeval-RE2-OB-cartservice_cpu-2"]
    assert [each.case for each in got.left_out] == ["RE2-OB/cartservice_cpu/1"]
    assert told in got.left_out[0].reason


def test_no_case_and_no_fit_case_are_errors_that_tell_the_layout(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no case of RCAEval") as caught:
        import_rcaeval(tmp_path, tmp_path / "out")
    assert "<service>_<fault>/<n>" in caught.value.mend
    write_case(tmp_path / "strange" / "1", {"data.csv": csv()})
    with pytest.raises(RecordingError, match="does not say which service"):
        import_rcaeval(tmp_path, tmp_path / "out")


def test_importing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    spans = [f"0,t{n},{n},s{n % 7},m,o,1,1,0,{n * 5 % 40}" for n in range(40)]
    write_case(
        tmp_path / "RE2-OB" / "a_cpu" / "1", {"data.csv": csv(), "traces.csv": "\n".join([TRACES, *spans])}
    )
    for name in ("a", "b"):
        import_rcaeval(tmp_path / "RE2-OB", tmp_path / name)
    files = [sorted((tmp_path / name).rglob("*.*")) for name in ("a", "b")]

    assert len(files[0]) == 4
    assert [file.read_bytes() for file in files[0]] == [file.read_bytes() for file in files[1]]


def test_times_of_any_unit_are_milliseconds() -> None:
    assert [milliseconds(T0 * 10.0**power, "") for power in (0, 3, 6, 9)] == [T0 * 1000] * 4


def test_a_case_without_traces_has_no_calls(tmp_path: Path) -> None:
    assert read_trace_calls(tmp_path) == set()
