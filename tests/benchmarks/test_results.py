"""What decides the published tables: windows, places, accuracy, what counts once, and where the text goes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.results import IMPORTERS, SIMULATED, studies
from benchmarks.results_study import Place, Study, callers, places_of, published, published_spans, union
from benchmarks.results_tables import (
    accuracies,
    alarm_lines,
    detection_table,
    fault_table,
    markdown,
    marks,
    place_text,
    put,
    ranking_table,
    told,
)
from faultline.history import histories
from faultline.judge import judge
from faultline.run_folder import open_run
from gnn.baselines import F64
from records.recordings import Recording, RecordingMeta, Retimed
from tests.faultline.run_folder_kit import MINUTE, at, event, run_folder


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The small fixed run: one fault on cart from minute 60, found at minute 62; a false alarm at 20."""
    run = open_run(run_folder(tmp_path_factory.mktemp("results") / "run"))
    early = {"incident_id": "inc-early", "detected_at": at(20), "time": at(20), "onset": at(19)}
    incidents = histories([event(1), event(2), event(1, **early)])
    judgement = judge(incidents, run.faults(), run.spans())
    return Study("small", run, tuple(incidents), judgement, tuple(places_of(run, incidents, judgement)))


def test_a_window_ends_with_the_answer(study: Study) -> None:
    (place,) = study.places

    assert place.snapshot.time == at(65)
    assert place.snapshot.nodes[place.truth] == "cart"


def test_an_alarm_counts_as_near_at_the_node_and_its_callers(study: Study) -> None:
    (place,) = study.places

    assert callers(place.snapshot, place.truth) == {"cart", "checkout", "frontend"}
    assert place.near
    assert replace(place, raised=(("cpu-deviation", "frontend"),)).near
    assert not replace(place, raised=(("cpu-deviation", "redis"),)).near
    assert not replace(place, raised=()).near


def test_the_raw_window_ends_with_the_snapshots_last_tick(study: Study) -> None:
    window = study.places[0].window
    cart = int(np.flatnonzero(window.node == study.places[0].truth)[0])

    assert len(window.during) == 3
    assert np.nanmax(window.before[:, cart]) < 50
    assert np.nanmin(window.during[:, cart]) > 80
    assert (window.recent[:, cart] > 80).tolist() == [False] * 5 + [True] * 5, "minutes 55 to 64"


def test_the_window_of_a_missed_fault_ends_with_the_tick_of_its_end(study: Study) -> None:
    judgement = judge([], study.run.faults(), study.run.spans())
    (place,) = places_of(study.run, [], judgement)

    assert place.snapshot.time == at(70)


def test_false_alarms_count_once_for_each_published_moment(study: Study) -> None:
    assert [each.incident_id for each in study.false_alarms] == ["inc-early"]
    assert study.alarms.distinct == 1
    assert study.alarms.hours == pytest.approx((89 - 15) / 60)


def test_retimed_data_is_counted_at_its_published_time() -> None:
    placed = Retimed(start=at(0), end=at(50), shift=-1000 * MINUTE, reason="healthy data placed before")
    meta = RecordingMeta(name="r", graph="g", interval=MINUTE, start=at(0), end=at(60), retimed=[placed])

    assert (published(at(10), meta), published(at(55), meta)) == (at(1010), at(55))
    assert published_spans(meta) == [(at(1000), at(1050)), (at(50), at(60))]
    assert published_spans(meta.model_copy(update={"retimed": []})) == [(at(0), at(60))]


def test_what_spans_share_counts_once() -> None:
    assert union([(0, 10), (5, 12), (20, 21), (6, 7)]) == 13
    assert union([]) == 0


def test_accuracies_count_ties_as_drawn_at_random(study: Study) -> None:
    nodes = len(study.places[0].snapshot.nodes)

    def sure(place: Place) -> F64:
        return np.where(np.arange(nodes) == place.truth, 1.0, 0.0)

    assert accuracies(study.places, sure) == (1, 1, 1)
    first, third, mean = accuracies(study.places, lambda place: np.zeros(nodes))
    assert (first, third, mean) == pytest.approx((1 / nodes, 3 / nodes, 3 / nodes))
    assert accuracies([], sure) == (None, None, None)


def test_ranks_that_were_told() -> None:
    assert told([1, 2, None, 4]) == pytest.approx((0.25, 0.5, (0.25 + 0.5 + 0.5 + 0.75 + 0.75) / 5))
    assert told([]) == (None, None, None)


def test_a_shared_place_is_told_as_a_range() -> None:
    assert place_text(np.array([3.0, 1.0, 2.0]), 2) == "2"
    assert place_text(np.array([3.0, 1.0, 1.0, 1.0]), 1) == "2-4"


def test_the_tables_tell_what_was_found(study: Study) -> None:
    ranks = {name: (lambda place: np.arange(11.0)) for name in ("N-sigma", "BARO's scorer", "traversal")}

    assert "| 1 of 1 | 1 | 0 | 2 min | 1; 1 distinct in 1.2 h (0.81/h) | 0 |" in detection_table(study)[-1]
    assert len(ranking_table(study.places, ranks)) == 2 + len(ranks)
    assert fault_table(study, ranks)[-1].startswith(
        "| 01:00:00 | cart | cpu_contention | 2 min | cpu-deviation on cart | 1 |"
    )
    assert alarm_lines(study)[2].startswith("- 2026-01-01 00:20:00: cart: cpu of cart rose to 97.4 %")


def test_an_alarm_that_the_same_data_raised_again_is_listed_once(study: Study) -> None:
    (early,) = study.false_alarms
    (told,) = alarm_lines(replace(study, incidents=(early, early)))[2:]

    assert told.startswith("- 2 times: cart: cpu of cart rose to 97.4 %")


def test_what_was_measured_replaces_what_stood_between_the_marks(tmp_path: Path) -> None:
    page = tmp_path / "results.md"
    begin, end = marks("nezha")
    page.write_text(f"before\n{begin}\nold\n{end}\nafter\n")
    put(page, "nezha", "new\n")
    put(page, "nezha", "newer\n")

    assert page.read_text() == f"before\n{begin}\n\nnewer\n\n{end}\nafter\n"
    with pytest.raises(ValueError, match="measured: petshop"):
        put(page, "petshop", "x")


def test_a_table_is_markdown() -> None:
    assert markdown(("a", "b"), [("1", "2")]) == ["| a | b |", "| --- | --- |", "| 1 | 2 |"]


def test_a_day_and_a_scenario_are_a_run_each() -> None:
    def named(*names: str) -> list[Recording]:
        metas = [RecordingMeta(name=name, graph="g", interval=1, start=0, end=1) for name in names]
        return [Recording(Path(meta.name), meta) for meta in metas]

    days = studies("nezha", named("nezha-2022-08-22", "nezha-2023-01-29"))
    assert [(name, len(group)) for name, group in days] == [("nezha-2022-08-22", 1), ("nezha-2023-01-29", 1)]
    shop = studies("petshop", named("petshop-low_traffic-noissue", "petshop-low_traffic-test-issue_1"))
    assert [(name, len(group)) for name, group in shop] == [("petshop-low_traffic", 2)]


def test_the_page_has_the_marks_of_each_data_set() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "results.md").read_text(encoding="utf-8")

    counts = [page.count(mark) for name in (*IMPORTERS, SIMULATED) for mark in marks(name)]
    assert counts == [1] * 2 * (len(IMPORTERS) + 1)
