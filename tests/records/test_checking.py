"""The check of a recording finds each kind of dirt, counts the rest, and lets a good one pass."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import orjson

from records.checking import CheckReport, check_recording
from records.recordings import write_recording
from tests.records.test_recordings import FAULT, META, T0, edge, sample


def check(
    folder: Path, *, samples: Sequence[dict[str, object]] = (), edges: Sequence[object] = ()
) -> CheckReport:
    """Checks a good recording whose files hold these lines, in this order, instead."""
    write_recording(folder, META, [sample()], [edge()], [FAULT])
    base = {"graph": "shop", "node": "cart", "metric": "cpu", "value": 1, "time": T0}
    if samples:
        lines = b"\n".join(orjson.dumps({**base, **each}) for each in samples)
        (folder / "samples.ndjson.gz").write_bytes(gzip.compress(lines))
    if edges:
        lines = b"\n".join(orjson.dumps(each) for each in edges)
        (folder / "edges.ndjson.gz").write_bytes(gzip.compress(lines))
    return check_recording(folder)


def kinds(report: CheckReport) -> list[tuple[str, str]]:
    return [(finding.severity, finding.kind) for finding in report.findings]


def test_a_good_recording_has_no_findings(tmp_path: Path) -> None:
    report = check(tmp_path)
    assert report.ok
    assert kinds(report) == []
    assert (report.samples, report.edges, report.faults, report.series) == (1, 1, 1, 1)
    assert report.nodes == {"cart", "frontend"}


def test_an_empty_recording_is_fit_and_said_to_be_empty(tmp_path: Path) -> None:
    write_recording(tmp_path, META, [])
    report = check_recording(tmp_path)
    assert report.ok
    assert kinds(report) == [("warning", "empty")]


def test_each_kind_of_dirt_in_samples(tmp_path: Path) -> None:
    assert kinds(check(tmp_path, samples=[{"time": T0 + 1}, {"node": "b"}])) == [("error", "order")]
    assert kinds(check(tmp_path, samples=[{}, {}])) == [("error", "duplicate")]
    assert kinds(check(tmp_path, samples=[{"unit": "s"}, {"unit": "ms", "time": T0 + 1}])) == [
        ("error", "unit")
    ]
    assert kinds(check(tmp_path, samples=[{"unit": "furlong"}])) == [("warning", "unknown unit")]
    assert kinds(check(tmp_path, samples=[{"graph": "other"}])) == [("error", "graph")]
    assert kinds(check(tmp_path, samples=[{"time": T0 + 999_999}])) == [("warning", "outside")]


def test_the_same_metric_at_two_peers_or_sides_is_no_duplicate(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {},
        {"peer": "a"},
        {"peer": "a", "side": "client"},
        {"labels": {"i": "1"}},
    ]
    assert kinds(check(tmp_path, samples=rows)) == []


def test_an_unreadable_line_is_a_finding_with_its_place(tmp_path: Path) -> None:
    report = check(tmp_path, samples=[{}, {"value": "x"}])
    assert not report.ok
    assert "samples.ndjson.gz:2" in report.findings[0].message
    assert report.edges == 1


def test_each_kind_of_dirt_in_edges(tmp_path: Path) -> None:
    self_edge = {"graph": "shop", "source": "a", "target": "a", "time": T0}
    assert kinds(check(tmp_path, edges=[self_edge])) == [("warning", "self edge")]
    short = {"graph": "shop", "source": "a", "target": "b", "time": T0, "ttl": 1_000}
    assert kinds(check(tmp_path, edges=[short])) == [("warning", "expires")]
    assert kinds(check(tmp_path, edges=[{**short, "time": T0 + i * 1_000} for i in range(61)])) == []


def test_faults_outside_and_of_unknown_nodes(tmp_path: Path) -> None:
    late = FAULT.model_copy(update={"start": META.end + 1, "end": META.end + 2})
    strange = FAULT.model_copy(update={"node": "nowhere"})
    write_recording(tmp_path, META, [sample()], [], [late, strange])
    assert kinds(check_recording(tmp_path)) == [("error", "outside"), ("warning", "unseen")]


def test_many_findings_of_a_kind_are_counted(tmp_path: Path) -> None:
    report = check(tmp_path, samples=[{"node": f"n{i}", "graph": "other"} for i in range(12)])
    assert len(report.findings) == 5
    assert report.left_out == {"graph": 7}


def test_no_recording_is_a_finding(tmp_path: Path) -> None:
    report = check_recording(tmp_path / "nowhere")
    assert not report.ok
    assert "no such folder" in str(report.findings[0])
