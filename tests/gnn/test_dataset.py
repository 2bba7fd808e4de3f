"""From simulated systems through the JVM's normaliser to labelled snapshots, and to a bundle that scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gnn.cases import recording_cases, recording_rows, simulated_cases
from gnn.config import DataConfig, ReleaseConfig, TrainConfig
from gnn.dataset import build, examples_of, path_labels
from gnn.evaluate import judge
from gnn.evaluation.contenders import scored
from gnn.examples import Example, load
from gnn.matrix import frames_of
from gnn.release import Plan, release
from gnn.simulator import incident_recording, simulate
from onnx_models.bundle import default_bundle, load_bundle
from onnx_models.errors import BundleError
from onnx_models.fallback import rank_by_deviation
from onnx_models.scorer import Scorer
from records.recordings import Recording
from records.signals import SIGNAL_INDEX
from tests.onnx_models.builders import deviating


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Example]:
    """Snapshots of five systems."""
    folder = tmp_path_factory.mktemp("frames")
    systems = [one for one in (simulate(seed, 5, f"sim-{seed}") for seed in range(8, 13)) if one.series]
    return [
        example
        for simulation, rows in frames_of(systems, folder)
        for example in examples_of(simulation, rows, 2)
    ]


def test_examples_are_labelled_finite_and_of_both_classes(made: list[Example]) -> None:
    assert {example.truth >= 0 for example in made} == {True, False}
    for example in made:
        snapshot = example.snapshot
        assert all(np.isfinite(array).all() for array in snapshot.inputs().values())
        assert example.truth < len(snapshot.nodes)
        assert example.truth < 0 or snapshot.mask[example.truth]
        assert (example.signal >= 0) == (example.truth >= 0)
        assert example.path.shape == (snapshot.edge_index.shape[1],)
        assert snapshot.present.any()


def test_the_frames_show_most_faults_and_the_fallback_beats_chance(made: list[Example]) -> None:
    faulty = [example for example in made if example.truth >= 0]
    right = [rank_by_deviation(one.snapshot).ranking()[0] == one.truth for one in faulty]
    chance = np.mean([1 / len(one.snapshot.nodes) for one in faulty])
    assert np.mean([one.delay >= 0 for one in faulty]) > 0.5
    assert np.mean(right) > 2 * chance


def test_shards_are_kept_and_the_same_for_the_same_seed(tmp_path: Path) -> None:
    config = DataConfig(seed=3, systems=4, episodes=2, shard_systems=2)
    first = build(config, tmp_path / "a")
    stamps = [path.stat().st_mtime_ns for path in first]
    assert build(config, tmp_path / "a") == first
    assert [path.stat().st_mtime_ns for path in first] == stamps
    one, other = load(first), load(build(config, tmp_path / "b"))
    assert set(one["system"].tolist()) <= set(range(3_000_000, 3_000_004))
    for name, array in one.items():
        assert np.array_equal(array, other[name]), name


def test_edges_towards_the_cause_are_labelled_from_deviating_callers_only() -> None:
    snapshot = deviating(1, "latency", 50.0, 1.0)
    assert path_labels(snapshot, truth=2).tolist() == [False, True]
    assert path_labels(snapshot, truth=1).tolist() == [False, False]


@pytest.fixture(scope="module")
def incident(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """A recorded incident: a slow service among eight."""
    folder = tmp_path_factory.mktemp("incident")
    return incident_recording(folder, 11, kind="slow_code", nodes=8, healthy_ticks=60)


def test_a_recorded_incident_is_ranked_right_by_model_and_fallback(incident: Recording) -> None:
    scorer = Scorer(load_bundle(default_bundle()))
    (case,) = recording_cases(incident, recording_rows(incident), delay=2)
    scores = scorer.score(case.example.snapshot)
    assert scores.ranking()[0] == case.example.truth
    assert scores.signal_of(case.example.truth) == SIGNAL_INDEX["latency"]
    assert case.example.truth in rank_by_deviation(case.example.snapshot).ranking()[:3]
    assert case.window.before.shape[0] > 20


def test_a_release_from_nothing_in_small(tmp_path: Path, incident: Recording) -> None:
    config = ReleaseConfig(
        name="tiny",
        data=DataConfig(seed=2, systems=10, episodes=4, shard_systems=5),
        train=TrainConfig(epochs=2.0, batch=16, evaluate_every=5, validation_share=0.2, test_share=0.1),
    )
    plan = Plan(config, tmp_path / "work", tmp_path / "out", fresh=2, recordings=(incident.path,))
    bundle = release(plan)
    assert bundle.path.name == "tiny-1"
    assert Scorer(bundle).check_golden() < 1e-4
    assert (tmp_path / "work" / "run" / "curve.csv").read_text().startswith("step,")
    card = (bundle.path / "card.md").read_text()
    assert "BARO's scorer" in card
    assert "## Scores on shop, never trained on" in card
    scorer = Scorer(bundle)
    cases = list(simulated_cases(range(40, 42), 4, 1))
    assert judge(cases, lambda case: scored(scorer, case.snapshot))["cases"] > 0
    with pytest.raises(BundleError, match="never overwritten"):
        release(plan)
