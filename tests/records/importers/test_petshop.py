"""The PetShop importer: on a small made scenario with the data's known faults, and on the published one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from records.checking import check_recording
from records.errors import RecordingError
from records.importers.petshop import import_petshop
from records.recordings import Recording

T0 = 1_692_608_400
ISSUE = 1_681_866_420
STEP = 300
NODES = ("PetSite", "PetSearch_AWS::ECS::Fargate", "petInfo_AWS::DynamoDB::Table")
SERIES = (("latency", "Average"), ("latency", "p99"), ("requests", "Sum"), ("availability", "Average"))


def metrics(times: Sequence[float], nodes: Sequence[str] = NODES, empty: int = -1, first: int = 0) -> str:
    """A metrics.csv: in row r the latency of node n is r + n/10, from row `first` on; the row `empty` has a
    called node only."""
    columns = [(node, *series) for series in SERIES for node in nodes]
    head = [
        ",".join(["microservice", *(column[0] for column in columns)]),
        ",".join(["metric", *(column[1] for column in columns)]),
        ",".join(["statistic", *(column[2] for column in columns)]),
        ",".join(["unix_timestamp", *("" for _ in columns)]),
    ]
    rows = []
    for index, time in enumerate(times):
        cells = [_cell(first + index, nodes.index(node), metric) for node, metric, _ in columns]
        if index == empty:
            cells = [
                cell if column[0] == "PetSite" else "" for cell, column in zip(cells, columns, strict=True)
            ]
        rows.append(",".join([str(time), *cells]))
    return "\n".join([*head, *rows]) + "\n"


def _cell(row: int, node: int, metric: str) -> str:
    return {"latency": str(row + node / 10), "requests": "600.0", "availability": "100.0"}[metric]


def target(**changes: object) -> dict[str, object]:
    """A target.json as it is published: the cause's metric is null."""
    told: dict[str, object] = {
        "target": {"node": "PetSite", "metric": "latency", "agg": "Average", "timestamp": ISSUE + 573},
        "root_cause": {"node": NODES[1], "metric": None},
        "metadata": {"reproducibility": {"command": "true"}},
    }
    return {**told, **changes}


def write_scenario(
    folder: Path, issues: Mapping[str, dict[str, object]] | None = None, level: int = 200
) -> Path:
    """A scenario of 200 normal rows and issues of five, whose first row goes on at `level`; the last node has
    no metrics in normal operation."""
    graph = [*NODES, "invalid_AWS::DynamoDB::Table"]
    calls = {(0, 1), (1, 2), (1, 1), (1, 3)}
    lines = [",".join(["", *graph])]
    for row, name in enumerate(graph):
        lines.append(",".join([name, *("1.0" if (row, to) in calls else "0.0" for to in range(len(graph)))]))
    folder.mkdir(parents=True)
    (folder / "graph.csv").write_text("\n".join(lines) + "\n")
    (folder / "noissue").mkdir()
    (folder / "noissue" / "metrics.csv").write_text(
        metrics([T0 + row * STEP for row in range(200)], empty=150)
    )
    for name, told in (issues or {"train/issue_0": target()}).items():
        (folder / name).mkdir(parents=True)
        rows = metrics([float(ISSUE + row * STEP) for row in range(5)], [*NODES, graph[3]], first=level)
        (folder / name / "metrics.csv").write_text(rows)
        (folder / name / "target.json").write_text(json.dumps(told))
    return folder


def imported(folder: Path) -> tuple[Recording, Recording]:
    healthy, incident = import_petshop(write_scenario(folder / "low_traffic"), folder / "out").recordings
    return healthy, incident


def test_columns_become_declared_series_at_the_end_of_their_interval(tmp_path: Path) -> None:
    healthy, _ = imported(tmp_path)
    first = [each for each in healthy.samples() if each.time == (T0 + STEP) * 1000]

    told = {(s.metric, s.signal, s.unit, s.side, s.value) for s in first if s.node == NODES[1]}
    assert told == {
        ("latency_average", "latency", "s", "server", 0.1),
        ("latency_p99", "latency", "s", "server", 0.1),
        ("requests", "traffic", "1/s", None, 2.0),
        ("availability", "availability", "%", None, 100.0),
    }
    assert len(first) == len(NODES) * len(SERIES)
    assert healthy.meta.start == first[0].time
    assert healthy.faults() == []


def test_healthy_data_goes_before_the_incident_and_is_told(tmp_path: Path) -> None:
    _, incident = imported(tmp_path)
    times = [s.time for s in incident.samples() if (s.node, s.metric) == ("PetSite", "latency_average")]

    assert times == [(ISSUE + (row + 1) * STEP) * 1000 for row in range(-144, 5)]
    (retimed,) = incident.meta.retimed
    assert (retimed.start, retimed.end) == (times[0], times[143])
    assert retimed.shift == (ISSUE - (T0 + 200 * STEP)) * 1000
    assert "12 hours of their normal operation were placed before it" in incident.meta.description
    assert "nearest in level to the issue's values from before its fault" in incident.meta.description
    assert (incident.meta.start, incident.meta.end) == (times[0], times[-1])
    assert (incident.meta.licence, incident.meta.interval) == ("CC-BY-4.0", STEP * 1000)


@pytest.mark.parametrize(("level", "first"), [(0, 2), (90, 20), (102, 32), (900, 56)])
def test_the_hours_nearest_in_level_go_before_the_incident(tmp_path: Path, level: int, first: int) -> None:
    """Rows 2, 8, ... 56 of the normal operation may be the first; their level rises by 1 a row."""
    folder = write_scenario(tmp_path / "s", level=level)
    _, incident = import_petshop(folder, tmp_path / "out").recordings
    values = [s.value for s in incident.samples() if (s.node, s.metric) == ("PetSite", "latency_average")]

    assert values == [*range(first, first + 144), *range(level, level + 5)]
    (retimed,) = incident.meta.retimed
    assert retimed.shift == (ISSUE - (T0 + (first + 144) * STEP)) * 1000


def test_what_comes_after_the_fault_does_not_choose_the_hours(tmp_path: Path) -> None:
    folder = write_scenario(tmp_path / "s", level=90)
    rows = (folder / "train" / "issue_0" / "metrics.csv").read_text().splitlines()
    changed = [*rows[:5], *(row.replace("9", "1") for row in rows[5:])]
    other = write_scenario(tmp_path / "t", level=90)
    (other / "train" / "issue_0" / "metrics.csv").write_text("\n".join(changed) + "\n")
    shifts = [import_petshop(one, tmp_path / one.name / "out").recordings[1].meta for one in (folder, other)]

    assert shifts[0].retimed == shifts[1].retimed
    assert shifts[0].description.split(".", 1)[1] == shifts[1].description.split(".", 1)[1]


def test_an_empty_cell_is_no_sample(tmp_path: Path) -> None:
    healthy, _ = imported(tmp_path)
    row = [s.node for s in healthy.samples() if s.time == (T0 + 151 * STEP) * 1000]

    assert row == ["PetSite"] * len(SERIES)


def test_the_fault_is_the_root_cause_from_the_alarm_on(tmp_path: Path) -> None:
    _, incident = imported(tmp_path)
    (fault,) = incident.faults()

    assert (fault.node, fault.signal, fault.kind) == (NODES[1], None, "latency_issue")
    assert (fault.start, fault.end) == ((ISSUE + 573) * 1000, (ISSUE + 573 + 600) * 1000)


def test_a_metric_that_is_told_is_the_faults_signal(tmp_path: Path) -> None:
    told = target(root_cause={"node": NODES[1], "metric": "availability"})
    folder = write_scenario(tmp_path / "s", {"test/issue_3": told})
    _, incident = import_petshop(folder, tmp_path / "out").recordings

    assert [fault.signal for fault in incident.faults()] == ["availability"]
    assert incident.meta.name == "petshop-s-test-issue_3"


def test_edges_last_and_no_node_calls_itself(tmp_path: Path) -> None:
    _, incident = imported(tmp_path)
    edges = list(incident.edges())

    assert {(e.source, e.target) for e in edges} == {
        (NODES[0], NODES[1]),
        (NODES[1], NODES[2]),
        (NODES[1], "invalid_AWS::DynamoDB::Table"),
    }
    times = sorted({edge.time for edge in edges})
    assert times[0] == incident.meta.start
    assert all(later - sooner <= 20 * 60_000 for sooner, later in pairwise([*times, incident.meta.end]))
    report = check_recording(incident.path)
    assert (report.findings, report.faults) == ([], 1)


def test_scenarios_are_found_below_a_folder_and_issues_come_in_order(tmp_path: Path) -> None:
    issues = {"train/issue_10": target(), "train/issue_2": target(), "test/issue_0": target()}
    write_scenario(tmp_path / "set" / "dataset" / "low_traffic", issues)
    write_scenario(tmp_path / "set" / "dataset" / "temporal_traffic1")
    told: list[str] = []
    got = import_petshop(tmp_path / "set", tmp_path / "out", told.append).recordings

    assert [each.meta.name.removeprefix("petshop-") for each in got] == [
        "low_traffic-noissue",
        "low_traffic-train-issue_2",
        "low_traffic-train-issue_10",
        "low_traffic-test-issue_0",
        "temporal_traffic1-noissue",
        "temporal_traffic1-train-issue_0",
    ]
    assert "low_traffic: train issue_2" in told


def test_importing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    source = write_scenario(tmp_path / "s")
    for name in ("a", "b"):
        import_petshop(source, tmp_path / name)
    files = [sorted((tmp_path / name).rglob("*.*")) for name in ("a", "b")]

    assert len(files[0]) == 8
    assert [file.read_bytes() for file in files[0]] == [file.read_bytes() for file in files[1]]


@pytest.mark.parametrize(
    ("gone", "told"),
    [
        ("graph.csv", "no graph.csv"),
        ("noissue/metrics.csv", "no noissue/metrics.csv"),
        ("train/issue_0/target.json", "target.json: cannot be read"),
        ("train/issue_0/metrics.csv", "metrics.csv: cannot be read"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, gone: str, told: str) -> None:
    source = write_scenario(tmp_path / "s")
    (source / gone).unlink()

    with pytest.raises(RecordingError, match=told):
        import_petshop(source, tmp_path / "out")


def test_a_folder_that_is_no_scenario_is_told_the_layout(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no scenario of PetShop") as caught:
        import_petshop(tmp_path, tmp_path / "out")
    assert "noissue/metrics.csv" in caught.value.mend


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("noissue/metrics.csv", "time,a\n1,2\n", "the header is not three rows"),
        ("noissue/metrics.csv", metrics([T0]), "fewer than two rows"),
        ("noissue/metrics.csv", metrics([T0, T0 + STEP]).replace("600.0", "many"), "'many' is no number"),
        ("noissue/metrics.csv", metrics([T0, T0 + STEP]) + "1692609000\n", "1 cells under 13 columns"),
        ("noissue/metrics.csv", metrics([T0, T0 + STEP, float("nan")]), "'nan' is no time"),
        ("graph.csv", ",a,b\na,0\n", "2 cells under 3 columns"),
        ("train/issue_0/target.json", "{", "no target of an issue"),
        ("train/issue_0/target.json", '{"target": {}}', "no key 'root_cause'"),
        ("train/issue_0/target.json", json.dumps(target(root_cause={})), "no key 'node'"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, name: str, text: str, told: str) -> None:
    source = write_scenario(tmp_path / "s")
    (source / name).write_text(text)

    with pytest.raises(RecordingError, match=told) as caught:
        import_petshop(source, tmp_path / "out")
    assert name.rsplit("/", 1)[-1] in caught.value.message


def test_an_issue_outside_its_metrics_is_refused(tmp_path: Path) -> None:
    told = target(target={"node": "PetSite", "metric": "latency", "timestamp": ISSUE + 10 * STEP})
    with pytest.raises(RecordingError, match="outside the times"):
        import_petshop(write_scenario(tmp_path / "s", {"train/issue_0": told}), tmp_path / "out")


def test_the_published_scenario(data_dir: Path, tmp_path: Path) -> None:
    got = import_petshop(data_dir / "petshop" / "low_traffic", tmp_path).recordings

    assert len(got) == 27
    assert [len(each.faults()) for each in got] == [0] + [1] * 26
    assert len({fault.node for each in got for fault in each.faults()}) == 5
    for each in (got[0], got[1], got[-1]):
        report = check_recording(each.path)
        assert (report.findings, len(report.nodes)) == ([], 42)
    first = got[1].faults()[0]
    assert first.start - got[1].meta.start > 12 * 3_600_000
