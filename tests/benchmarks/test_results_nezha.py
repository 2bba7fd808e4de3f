"""What decides the published table: windows, places, accuracy, and where the text goes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.results_nezha import MARKS, Place, accuracy, markdown, place_text, places_of, put
from faultline.history import histories
from faultline.judge import judge
from records.frames import read_frame_file
from records.recordings import open_recording
from tests.faultline.run_folder_kit import at, event, run_folder


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> list[Place]:
    """The windows of the small fixed run: one fault on cart from minute 60, found at minute 62."""
    folder = run_folder(tmp_path_factory.mktemp("results") / "run")
    recording = open_recording(folder.parent / "recording")
    incidents = histories([event(1), event(2)])
    judgement = judge(incidents, recording.faults(), {"shop": (recording.meta.start, recording.meta.end)})
    rows = list(read_frame_file(folder / "frames" / "frames.bin"))
    return list(places_of(recording, rows, incidents, judgement))


def test_a_window_ends_with_the_answer(places: list[Place]) -> None:
    (place,) = places

    assert place.snapshot.time == at(65)
    assert place.snapshot.nodes[place.truth] == "cart"


def test_the_raw_window_is_healthy_before_and_faulty_during(places: list[Place]) -> None:
    window = places[0].window
    cart = np.flatnonzero(window.node == places[0].truth)

    assert np.nanmax(window.before[:, cart[0]]) < 50
    assert np.nanmin(window.during[:, cart[0]]) > 80


def test_accuracy_counts_ties_as_drawn_at_random(places: list[Place]) -> None:
    nodes = len(places[0].snapshot.nodes)

    assert accuracy(places, lambda place: np.eye(nodes)[place.truth], 1) == 1
    assert accuracy(places, lambda place: np.zeros(nodes), 1) == pytest.approx(1 / nodes)
    assert accuracy([], lambda place: np.zeros(nodes), 1) is None


def test_a_shared_place_is_told_as_a_range() -> None:
    assert place_text(np.array([3.0, 1.0, 2.0]), 2) == "2"
    assert place_text(np.array([3.0, 1.0, 1.0, 1.0]), 1) == "2-4"


def test_what_was_measured_replaces_what_stood_between_the_marks(tmp_path: Path) -> None:
    page = tmp_path / "results.md"
    page.write_text(f"before\n{MARKS[0]}\nold\n{MARKS[1]}\nafter\n")
    put(page, "new\n")
    put(page, "newer\n")

    assert page.read_text() == f"before\n{MARKS[0]}\n\nnewer\n\n{MARKS[1]}\nafter\n"


def test_a_table_is_markdown() -> None:
    assert markdown(("a", "b"), [("1", "2")]) == ["| a | b |", "| --- | --- |", "| 1 | 2 |"]


def test_the_page_has_the_marks() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "results.md"

    assert [page.read_text(encoding="utf-8").count(mark) for mark in MARKS] == [1, 1]
