"""Cuts of a recording: what lies in the span, and what still holds in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from records.checking import check_recording
from records.cutting import Span, cut_recording, edges_within, faults_within
from records.errors import RecordingError
from records.recordings import Recording, RecordingMeta, Retimed, write_recording
from records.samples import Edge, Fault, Sample

MINUTE = 60_000
T0 = 1_700_000_040_000


def at(minute: float) -> int:
    return T0 + int(minute * MINUTE)


def edge(minute: float, target: str = "cart", ttl: int | None = None) -> Edge:
    return Edge(graph="shop", source="frontend", target=target, time=at(minute), ttl=ttl)


def fault(start: float, end: float, node: str = "cart") -> Fault:
    return Fault(graph="shop", node=node, start=at(start), end=at(end), kind="cpu")


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    """Two nodes over two hours, a value per minute; edges each 20 minutes; a fault from minute 50 to 70."""
    meta = RecordingMeta(
        name="day",
        graph="shop",
        interval=MINUTE,
        start=at(0),
        end=at(119),
        description="A day.",
        licence="MIT",
        retimed=[Retimed(start=at(0), end=at(30), shift=-5 * MINUTE, reason="healthy")],
    )
    samples = [
        Sample(graph="shop", node=node, metric="cpu", value=minute, time=at(minute), peer=peer)
        for minute in range(120)
        for node, peer in (("cart", None), ("cart", "frontend"), ("frontend", None))
    ]
    edges = [edge(minute, ttl=60 * MINUTE) for minute in range(0, 120, 20)]
    return write_recording(
        tmp_path / "day", meta, samples, edges, [fault(50, 70), fault(100, 110, "frontend")]
    )


def test_a_cut_is_a_fit_recording_of_the_span(recording: Recording, tmp_path: Path) -> None:
    done = cut_recording(recording, tmp_path / "cut", Span(at(45), at(75)))
    meta = done.recording.meta

    assert [sample.time for sample in done.recording.samples()] == [
        at(minute) for minute in range(45, 76) for _ in range(3)
    ]
    assert (done.samples, done.edges, done.faults) == (93, 2, 1)
    assert (meta.name, meta.graph, meta.licence, meta.interval) == ("cut", "shop", "MIT", MINUTE)
    assert (meta.start, meta.end, meta.retimed) == (at(45), at(75), [])
    assert meta.description == "Cut of day, 2023-11-14 22:59:00 to 2023-11-14 23:29:00 UTC. A day."
    assert check_recording(done.recording.path).findings == []


def test_an_edge_that_lives_at_the_beginning_is_stated_there_with_the_time_it_has_left() -> None:
    edges = [
        edge(0, "old", ttl=5 * MINUTE),
        edge(1, ttl=60 * MINUTE),
        edge(9, ttl=5 * MINUTE),
        edge(12),
        edge(30),
    ]
    told = list(edges_within(edges, Span(at(10), at(20)), 15 * MINUTE))

    assert [(each.target, each.time, each.ttl) for each in told] == [
        ("cart", at(10), 51 * MINUTE),
        ("cart", at(12), None),
    ]
    unsaid = list(edges_within([edge(1), edge(2, "db")], Span(at(16), at(20)), 15 * MINUTE))
    assert [(each.target, each.ttl) for each in unsaid] == [("db", MINUTE)]


def test_faults_that_overlap_are_clipped() -> None:
    faults = [fault(0, 9), fault(5, 12), fault(15, 18), fault(19, 40), fault(21, 22)]
    told = faults_within(faults, Span(at(10), at(20)))

    assert [(each.start, each.end) for each in told] == [
        (at(10), at(12)), (at(15), at(18)), (at(19), at(20)),
    ]  # fmt: skip


def test_nodes_are_chosen_with_their_edges_and_faults(recording: Recording, tmp_path: Path) -> None:
    done = cut_recording(recording, tmp_path / "cut", Span(at(40), at(119), frozenset({"frontend"})))

    assert {sample.node for sample in done.recording.samples()} == {"frontend"}
    assert {(each.source, each.target) for each in done.recording.edges()} == {("frontend", "cart")}
    assert [each.node for each in done.recording.faults()] == ["frontend"]
    assert "UTC of frontend. A day." in done.recording.meta.description


def test_what_was_retimed_stays_told(recording: Recording, tmp_path: Path) -> None:
    (told,) = cut_recording(recording, tmp_path / "cut", Span(at(20), at(75))).recording.meta.retimed

    assert (told.start, told.end, told.shift) == (at(20), at(30), -5 * MINUTE)


def test_a_span_is_clamped_to_the_recording(recording: Recording, tmp_path: Path) -> None:
    meta = cut_recording(recording, tmp_path / "cut", Span(0, at(5)), name="early").recording.meta

    assert (meta.name, meta.start, meta.end) == ("early", at(0), at(5))


@pytest.mark.parametrize(
    ("span", "told"),
    [
        (Span(at(200), at(300)), "lies outside"),
        (Span(at(1), at(2), frozenset({"db"})), "of db holds no sample"),
        (Span(at(1) + 1, at(1) + 2), "22:15:00.001 to 2023-11-14 22:15:00.002 UTC holds no sample"),
    ],
)
def test_an_empty_cut_is_an_error_and_leaves_nothing(
    recording: Recording, tmp_path: Path, span: Span, told: str
) -> None:
    with pytest.raises(RecordingError, match=told):
        cut_recording(recording, tmp_path / "cut", span)
    assert not (tmp_path / "cut").exists()


def test_a_folder_that_holds_something_is_left_alone(recording: Recording) -> None:
    with pytest.raises(RecordingError, match="is not empty"):
        cut_recording(recording, recording.path, Span(at(0), at(1)))
    assert len(list(recording.path.iterdir())) == 4


def test_cutting_twice_gives_the_same_bytes_and_the_whole_gives_the_samples(
    recording: Recording, tmp_path: Path
) -> None:
    cuts = [
        cut_recording(recording, tmp_path / name, Span(at(0), at(119)), "whole").recording
        for name in ("a", "b")
    ]

    assert list(cuts[0].samples()) == list(recording.samples())
    files = [sorted(each.path.iterdir()) for each in cuts]
    assert [file.read_bytes() for file in files[0]] == [file.read_bytes() for file in files[1]]
