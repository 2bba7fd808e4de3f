"""Training that was stopped goes on as if it had not been; the state of another course is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from gnn.config import ModelConfig, TrainConfig
from gnn.course import Course
from gnn.examples import Arrays, Example, pack
from gnn.parts import Split
from gnn.release import trained
from onnx_models.errors import BundleError
from records.errors import ConfigError
from tests.onnx_models.builders import random_snapshot

SMALL = ModelConfig(hidden=8, rounds=1, channels=4, signal_size=4, edge_size=4)
CONFIG = TrainConfig(batch=4, epochs=3.0)


def data() -> tuple[Arrays, Split]:
    examples = [Example(random_snapshot(i, 5, 6), i % 4, 4, 0, np.ones(6, bool), i, 1) for i in range(10)]
    numbers = np.arange(10)
    return pack(examples), Split(numbers, numbers[:2], numbers[:2])


def after(course: Course, packed: Arrays, parts: Split, steps: int) -> list[torch.Tensor]:
    for batch in course.batches(packed, parts.train):
        if course.step >= steps:
            break
        course.learn(batch)
    return [one.detach().clone() for one in course.model.parameters()]


def test_a_resumed_course_ends_where_an_unbroken_one_ends(tmp_path: Path) -> None:
    packed, parts = data()
    whole = after(Course.begin(parts, SMALL, CONFIG), packed, parts, 6)
    stopped = Course.begin(parts, SMALL, CONFIG)
    half = after(stopped, packed, parts, 4)
    stopped.judged(0.5, tmp_path)
    again = Course.begin(parts, SMALL, CONFIG)
    again.resume(tmp_path)
    assert (again.step, again.best) == (4, 0.5)
    resumed = after(again, packed, parts, 6)
    assert all(torch.equal(one, other) for one, other in zip(whole, resumed, strict=True))
    assert not all(torch.equal(one, other) for one, other in zip(half, resumed, strict=True))


def test_the_state_of_another_course_is_refused(tmp_path: Path) -> None:
    _, parts = data()
    Course.begin(parts, SMALL, CONFIG).judged(0.5, tmp_path)
    other = Course.begin(parts, SMALL, replace(CONFIG, learning_rate=1e-4))
    with pytest.raises(ConfigError, match="another configuration"):
        other.resume(tmp_path)


def test_only_a_better_score_replaces_the_best_weights(tmp_path: Path) -> None:
    _, parts = data()
    course = Course.begin(parts, SMALL, CONFIG)
    course.judged(0.5, tmp_path)
    first = (tmp_path / "best.pt").read_bytes()
    with torch.no_grad():
        next(iter(course.model.parameters())).add_(1.0)
    course.judged(0.4, tmp_path)
    assert (tmp_path / "best.pt").read_bytes() == first
    assert course.since == 1
    course.judged(0.6, tmp_path)
    assert (tmp_path / "best.pt").read_bytes() != first
    assert course.since == 0


def test_the_best_weights_of_a_run_are_found_again(tmp_path: Path) -> None:
    _, parts = data()
    course = Course.begin(parts, SMALL, CONFIG)
    course.seconds = 120.0
    course.judged(0.5, tmp_path)
    best = [one.detach().clone() for one in course.model.parameters()]
    with torch.no_grad():
        next(iter(course.model.parameters())).add_(1.0)
    course.judged(0.4, tmp_path)
    model, minutes = trained(SMALL, tmp_path)
    assert minutes == 2.0
    assert all(torch.equal(one, other) for one, other in zip(best, model.parameters(), strict=True))
    with pytest.raises(BundleError, match="nothing was trained"):
        trained(SMALL, tmp_path / "empty")
