"""Tables of simulated systems: what is made, what counts as showing, what the job is said to have told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.results import main
from benchmarks.results_simulated import (
    DEVELOPMENT_SEED,
    FIRST_SEED,
    PAIRS_SEED,
    simulated,
    simulated_tables,
    told_rankers,
)
from benchmarks.results_study import Study, places_of, shows_in
from benchmarks.results_tables import accuracies
from faultline.history import histories
from faultline.judge import judge
from faultline.run_folder import open_run
from gnn.config import DEFAULT_CONFIG, load_config
from onnx_models.bundle import default_bundle, load_bundle
from onnx_models.scorer import Scorer
from records.frames import SILENT, FrameRow
from tests.faultline.run_folder_kit import at, event, run_folder


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    """The released model."""
    return Scorer(load_bundle(default_bundle()))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The small fixed run, its graph named as a simulated one: a fault found, a repeat, a false alarm."""
    run = open_run(run_folder(tmp_path_factory.mktemp("simulated") / "run"))
    early = {"incident_id": "inc-early", "detected_at": at(20), "time": at(20), "onset": at(19)}
    again = {"incident_id": "inc-again", "detected_at": at(66), "time": at(66), "onset": at(65)}
    incidents = histories([event(1), event(2), event(1, **early), event(1, **again)])
    judgement = judge(incidents, run.faults(), run.spans())
    sources = tuple(replace(each, graph=each.graph) for each in run.sources)
    places = tuple(places_of(run, incidents, judgement))
    return Study("simulated", replace(run, sources=sources), tuple(incidents), judgement, places)


def test_the_same_arguments_give_the_same_recordings(tmp_path: Path) -> None:
    (one,) = simulated(tmp_path / "one", 1, 1, DEVELOPMENT_SEED)
    (other,) = simulated(tmp_path / "other", 1, 1, DEVELOPMENT_SEED)

    files = sorted(each.name for each in one.path.iterdir())
    assert [(one.path / name).read_bytes() == (other.path / name).read_bytes() for name in files] == [
        True
    ] * 4
    assert len(one.faults()) == 1


def test_no_training_draws_these_seeds() -> None:
    config = load_config(DEFAULT_CONFIG)
    first = config.data.seed * 1_000_000

    for seed in (FIRST_SEED, PAIRS_SEED):
        assert not first <= seed < first + config.data.systems
        assert abs(seed - DEVELOPMENT_SEED) > 100_000


def test_a_fault_shows_where_two_ticks_in_a_row_are_over_a_threshold(study: Study) -> None:
    rows = [risen(row) for row in study.run.frames() if at(60) < row.time <= at(70)]
    silent = replace(rows[0], age=np.where(rows[0].presence == SILENT, 1, rows[0].age))

    assert shows_in(rows, {"cart"}, "cart")
    assert not shows_in(rows[:1], {"cart"}, "cart"), "one tick is none"
    assert not shows_in(rows, {"email"}, "email")
    assert not shows_in(list(study.run.frames()), {"cart"}, "cart"), "far out, and risen by nothing"
    assert shows_in([silent], {"ad"}, "ad")
    assert not shows_in(rows, {"ad"}, "ad"), "silent since long"


def risen(row: FrameRow) -> FrameRow:
    """The row with everything half as high again as usual."""
    frames = row.frames.copy()
    frames[..., 1] = 0.5
    return replace(row, frames=frames)


def test_the_job_is_ranked_by_what_it_told(study: Study, scorer: Scorer) -> None:
    (place,) = study.places
    by_the_job = told_rankers(scorer)["the job"]

    for rank, expected in ((1, (1.0, 1.0, 1.0)), (2, (0.0, 1.0, 0.8)), (None, (0.0, 0.0, 0.0))):
        told = replace(place, verdict=replace(place.verdict, rank=rank))
        assert accuracies([told], by_the_job) == pytest.approx(expected)


def test_the_tables_tell_faults_incidents_and_kinds(study: Study, scorer: Scorer) -> None:
    tables = simulated_tables(study, scorer)

    assert "| all | 1 of 1 | 1 | 2 min | 0 | 1.00 / 1.00 / 1.00 | 1.00 / 1.00 / 1.00 |" in tables
    assert any(line.startswith("| 1 in 1 h (0.81/h) | 2.00 | 0 of 1 |") for line in tables)
    assert "| cpu_contention | 1 | 0 | 0 | 1 | 1 |" in tables
    assert any(line.startswith("| PageRank from the same alarms |") for line in tables)


def test_a_data_set_needs_its_folder() -> None:
    with pytest.raises(SystemExit, match="nezha: name the folder"):
        main(["nezha"])


def test_page_rank_starts_at_the_alarms(study: Study, scorer: Scorer) -> None:
    (place,) = study.places
    ranks = told_rankers(scorer)
    plain = ranks["personalised PageRank"](place)
    from_alarms = ranks["PageRank from the same alarms"](place)
    without = ranks["PageRank from the same alarms"](replace(place, raised=()))

    assert np.array_equal(plain, without)
    assert from_alarms[place.truth] > plain[place.truth]
