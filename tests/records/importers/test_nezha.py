"""The Nezha importer: on a small made day with every known fault of the data, and on the published days."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from records.checking import check_recording
from records.errors import RecordingError
from records.importers.nezha import import_nezha, plan_day
from records.importers.nezha_files import InjectedFault, service_of, utc_ms
from records.recordings import Recording
from records.samples import Edge

START = datetime(2022, 8, 22, 3, 51, 19, tzinfo=UTC)
MINUTE = 60_000
POD = (
    "Time,TimeStamp,PodName,CpuUsage(m),CpuUsageRate(%),"
    "PodServerLatencyP90(s),PodWorkload(Ops),PodSuccessRate(%)"
)


def stamp(minute: int) -> str:
    return f"{START + timedelta(minutes=minute):%Y-%m-%d %H:%M:%S}.607158889 +0000 UTC m=+0.11"


def milliseconds(minute: int) -> int:
    return int(START.timestamp() * 1000) + 607 + minute * MINUTE


def write_day(folder: Path, minutes: int, faults: Sequence[tuple[str, str]]) -> Path:
    """A day of two pods.

    Adservice's TimeStamp lies in 2028, cartservice has an empty cell and a NaN at minute 1.
    """
    metric = folder / "2022-08-22" / "metric"
    metric.mkdir(parents=True)
    for pod in ("adservice-5f6585d649-fnmft", "cartservice-579f59597d-wc2lz"):
        rows = [f"{stamp(m)},1861140279,{pod},1.5,{m}.25,0.012,5,0" for m in range(minutes)]
        if pod.startswith("cart"):
            rows[1] = f"{stamp(1)},1661140339,{pod},1.5,,NaN,5,0"
        (metric / f"{pod}_metric.csv").write_text("\n".join([POD, *rows]))
    head = "time,timestamp,adservice_cartservice,adservice_nowhere"
    calls = [f"{stamp(m)},1661140279,0.004,0.1" for m in range(minutes)]
    (metric / "source_50.csv").write_text("\n".join([head, *calls]))
    (metric / "destination_50.csv").write_text("\n".join([head, *calls]))
    front = [f"{stamp(m)},1661140279,Frontend,100,0.24" for m in range(minutes)]
    (metric / "front_service.csv").write_text(
        "\n".join(["Time,TimeStamp,ServiceName,SuccessRate(%),LatencyP50(s)", *front])
    )
    dependency = (
        "Source,Target,Weight\nadservice,cartservice,1\nadservice,33.33.33.76,1\nloadgenerator,adservice,1\n"
    )
    (metric / "dependency.csv").write_text(dependency)
    entries = [
        {
            "inject_time": time,
            "inject_timestamp": "1",
            "inject_pod": "cartservice-579f59597d-wc2lz",
            "inject_type": kind,
        }
        for time, kind in faults
    ]
    (metric.parent / "2022-08-22-fault_list.json").write_text(json.dumps({"03": entries}))
    return folder


def imported(folder: Path, minutes: int = 200, faults: Sequence[tuple[str, str]] = ()) -> Recording:
    (recording,) = import_nezha(write_day(folder / "in", minutes, faults), folder / "out").recordings
    return recording


def test_columns_become_declared_series(tmp_path: Path) -> None:
    samples = [each for each in imported(tmp_path).samples() if each.time == milliseconds(0)]
    told = {(s.node, s.peer, s.metric, s.signal, s.unit, s.side, s.value) for s in samples}
    assert told == {
        ("adservice", None, "cpu_usage_rate", "cpu", "%", None, 0.25),
        ("adservice", None, "server_latency_p90", "latency", "s", "server", 0.012),
        ("adservice", None, "workload", "traffic", "1/s", None, 5.0),
        ("cartservice", None, "cpu_usage_rate", "cpu", "%", None, 0.25),
        ("cartservice", None, "server_latency_p90", "latency", "s", "server", 0.012),
        ("cartservice", None, "workload", "traffic", "1/s", None, 5.0),
        ("cartservice", "adservice", "call_latency_p50", "latency", "s", "client", 0.004),
        ("cartservice", "adservice", "call_latency_p50", "latency", "s", "server", 0.004),
        ("frontend", None, "front_success_rate", "availability", "%", None, 100.0),
        ("frontend", None, "front_latency_p50", "latency", "s", None, 0.24),
    }


def test_an_availability_that_is_always_zero_is_absent_and_empty_cells_are_no_samples(tmp_path: Path) -> None:
    samples = list(imported(tmp_path).samples())
    assert "success_rate" not in {sample.metric for sample in samples}
    second = [
        (s.node, s.metric)
        for s in samples
        if s.time == milliseconds(1) and s.node == "cartservice" and not s.peer
    ]
    assert second == [("cartservice", "workload")]


def test_edges_are_services_only_and_sent_again_in_time(tmp_path: Path) -> None:
    recording = imported(tmp_path)
    edges = list(recording.edges())
    assert {(edge.source, edge.target) for edge in edges} == {("adservice", "cartservice")}
    times = [edge.time for edge in edges]
    assert times[0] == recording.meta.start
    assert {later - sooner for sooner, later in pairwise(times)} == {20 * MINUTE}
    assert recording.meta.end - times[-1] < 20 * MINUTE
    assert all(isinstance(edge, Edge) and edge.ttl == 60 * MINUTE for edge in edges)


def test_faults_are_at_inject_time_as_utc(tmp_path: Path) -> None:
    kinds = [
        ("2022-08-22 03:53:54", "cpu_contention"),
        ("2022-08-22 04:02:07", "network_delay"),
        ("2022-08-22 04:10:00", "return"),
    ]
    recording = imported(tmp_path, 200, kinds)
    faults = recording.faults()
    assert [(fault.node, fault.signal, fault.kind) for fault in faults] == [
        ("cartservice", "cpu", "cpu_contention"),
        ("cartservice", "latency", "network_delay"),
        ("cartservice", "errors", "return"),
    ]
    assert faults[0].start == utc_ms("2022-08-22 03:53:54", "")
    assert faults[0].end - faults[0].start == 3 * MINUTE


def test_the_healthy_end_of_a_day_goes_before_it(tmp_path: Path) -> None:
    recording = imported(tmp_path, 200, [("2022-08-22 03:53:54", "cpu_contention")])
    rows = [
        (s.time, s.value)
        for s in recording.samples()
        if (s.node, s.metric) == ("adservice", "cpu_usage_rate")
    ]
    assert len(rows) == 200
    assert [time for time, _ in rows] == sorted({time for time, _ in rows})
    assert rows[0][1] == 16.25, "the stretch begins 13 minutes after the fault"
    assert (milliseconds(0), 0.25) in rows
    assert milliseconds(0) - rows[183][0] == MINUTE, "no gap at the seam"
    assert "was moved before it" in recording.meta.description
    (retimed,) = recording.meta.retimed
    assert retimed.shift == rows[0][0] - milliseconds(16)
    assert recording.meta.start == retimed.start <= rows[0][0]
    assert rows[183][0] <= retimed.end < milliseconds(0)
    assert check_recording(recording.path).ok


def test_a_healthy_middle_is_copied_so_that_no_hole_is_left(tmp_path: Path) -> None:
    faults = [("2022-08-22 03:53:54", "cpu_contention"), ("2022-08-22 06:20:00", "return")]
    recording = imported(tmp_path, 200, faults)
    times = [s.time for s in recording.samples() if (s.node, s.metric) == ("adservice", "cpu_usage_rate")]
    assert times[-200:] == [milliseconds(minute) for minute in range(200)]
    assert 120 < len(times) - 200 < 140
    assert len(set(times)) == len(times)
    assert "was copied before it" in recording.meta.description


def test_a_day_that_begins_healthy_or_has_no_healthy_stretch_stays_as_it_is(tmp_path: Path) -> None:
    fault = InjectedFault(100 * MINUTE, "a", "return")
    assert [block.shift for block in plan_day((0, 200 * MINUTE), [fault]).blocks] == [0]
    assert [block.shift for block in plan_day((0, 200 * MINUTE), []).blocks] == [0]
    plan = plan_day((0, 80 * MINUTE), [InjectedFault(MINUTE, "a", "return")])
    assert [block.shift for block in plan.blocks] == [0]
    assert "no fault-free stretch" in plan.words


def test_of_a_long_stretch_the_later_half_is_moved() -> None:
    plan = plan_day((0, 1_000 * MINUTE), [InjectedFault(MINUTE, "a", "return")])
    moved, rest = plan.blocks
    assert (rest.start, rest.end) == (0, moved.start)
    assert moved.end == 1_000 * MINUTE + 1
    assert moved.start == pytest.approx(507 * MINUTE, abs=MINUTE)
    assert moved.end + moved.shift <= 0


def test_importing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    source = write_day(tmp_path / "in", 20, [])
    for name in ("a", "b"):
        import_nezha(source, tmp_path / name)
    files = [sorted((tmp_path / name).rglob("*.*")) for name in ("a", "b")]
    assert len(files[0]) == 4
    assert [file.read_bytes() for file in files[0]] == [file.read_bytes() for file in files[1]]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        (
            "metric/adservice-5f6585d649-fnmft_metric.csv",
            f"{POD}\n{stamp(0)},1,p,1,x,1,1,1",
            "'x' is no number",
        ),
        ("metric/adservice-5f6585d649-fnmft_metric.csv", f"{POD}\nyesterday,1,p,1,1,1,1,1", "is no time"),
        ("metric/adservice-5f6585d649-fnmft_metric.csv", f"{POD}\n{stamp(0)},1", "2 cells under 8 columns"),
        (
            "metric/adservice-5f6585d649-fnmft_metric.csv",
            f"{POD}\n{stamp(1)},1,p,1,1,1,1,1\n{stamp(0)},1,p,1,1,1,1,1",
            "not in time order",
        ),
        ("2022-08-22-fault_list.json", "{", "no fault list"),
        ("2022-08-22-fault_list.json", '{"03": [{}]}', "no fault list"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, name: str, text: str, told: str) -> None:
    source = write_day(tmp_path / "in", 5, [])
    (source / "2022-08-22" / name).write_text(text)
    with pytest.raises(RecordingError, match=name.rsplit("/", 1)[-1][:9]) as caught:
        import_nezha(source, tmp_path / "out")
    assert told in caught.value.message


def test_a_folder_without_days_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no day of Nezha"):
        import_nezha(tmp_path / "nowhere", tmp_path / "out")


def test_one_day_can_be_named(tmp_path: Path) -> None:
    source = write_day(tmp_path / "in", 5, [])
    (recording,) = import_nezha(source / "2022-08-22", tmp_path / "out").recordings
    assert recording.meta.name == "nezha-2022-08-22"


def test_services_of_pods() -> None:
    assert service_of("ts-gateway-service-6f6cfc45b-h5m2n") == "ts-gateway-service"
    assert service_of("cart") == "cart"


@pytest.mark.parametrize(
    ("day", "graph", "nodes", "faults", "shifted", "entry"),
    [
        ("2022-08-22", "online-boutique", 10, 24, "moved", "frontend"),
        ("2023-01-29", "train-ticket", 46, 28, "copied", "ts-ui-dashboard"),
    ],
)
def test_a_published_day(
    data_dir: Path, tmp_path: Path, day: str, graph: str, nodes: int, faults: int, shifted: str, entry: str
) -> None:
    (recording,) = import_nezha(data_dir / "nezha" / day, tmp_path).recordings
    report = check_recording(recording.path)
    assert report.findings == []
    assert (recording.meta.graph, len(report.nodes), report.faults) == (graph, nodes, faults)
    assert f"was {shifted} before it" in recording.meta.description
    found = recording.faults()
    assert all(fault.node in report.nodes for fault in found)
    assert found[0].start - recording.meta.start > 90 * MINUTE
    fronts = [sample for sample in recording.samples() if sample.metric.startswith("front_")]
    assert {sample.node for sample in fronts} == {entry}
