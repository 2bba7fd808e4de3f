"""Plain systems: what they show, that training takes them in, and that forgetting them costs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from gnn.course import Course
from gnn.decoys import laid
from gnn.plain import SYSTEM, plain_examples, plain_pack
from gnn.train import worth
from onnx_models.bundle import default_bundle, load_bundle
from onnx_models.features import NODE_FEATURES, STATIC_FEATURES
from onnx_models.scorer import Scorer
from records.signals import SIGNAL_INDEX
from tests.gnn.test_course import CONFIG, SMALL, data

SILENT = NODE_FEATURES.index("silent")
_QUIET = 0.62
"""z' of 5.4: noise of a plain system stays below."""


def test_the_silent_node_is_the_only_one_and_its_callers_may_notice() -> None:
    noticed = long = 0
    for one in plain_examples(3, 80)["silent"]:
        snapshot = one.snapshot
        assert np.flatnonzero(snapshot.node_static[:, SILENT]).tolist() == [one.truth]
        assert snapshot.mask.all()
        errors = np.abs(snapshot.static[:, SIGNAL_INDEX["errors"], STATIC_FEATURES.index("z_last")])
        noticed += int(errors.max() > _QUIET)
        long += int(not snapshot.node_present[one.truth].any())
    assert 10 < noticed < 75
    assert 10 < long < 60


def test_the_lone_node_is_the_only_one_that_deviates_and_in_its_signal() -> None:
    for one in plain_examples(3, 80)["lone"]:
        extreme = np.abs(one.snapshot.x[..., 0]).max(2)
        assert extreme[one.truth, one.signal] > _QUIET
        extreme[one.truth, one.signal] = 0.0
        assert extreme.max() < _QUIET
        assert not one.snapshot.node_static[:, SILENT].any()


def test_the_same_seed_draws_the_same_and_another_one_others() -> None:
    first, again, other = (plain_pack(seed, 10) for seed in (1, 1, 2))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert len(first["truth"]) == 20
    assert set(first["system"]) == {SYSTEM}
    assert not np.array_equal(first["nodes"], other["nodes"])


def test_no_decoy_is_laid_beside_a_silent_node_or_one_that_alone_deviates_little() -> None:
    moved = 0
    for number, one in enumerate(plain_examples(4, 60)["silent"]):
        assert np.array_equal(laid(number, one).snapshot.x, one.snapshot.x)
    for number, one in enumerate(plain_examples(4, 120)["lone"]):
        change = np.abs(laid(number, one).snapshot.x[..., 1] - one.snapshot.x[..., 1]).max()
        last = np.abs(one.snapshot.x[one.truth, :, -3:, 0]).max()
        assert last > 1.0 or change < 0.06
        moved += int(change > 0.1)
    assert moved > 10


def test_a_course_takes_plain_systems_in_and_goes_on_where_it_stopped() -> None:
    packed, parts = data()
    config = replace(CONFIG, plain=0.5)
    batches = Course.begin(parts, SMALL, config).batches(packed, parts.train)
    whole = [next(batches) for _ in range(5)]
    assert [one.graphs for one in whole] == [6, 6, 4, 6, 6]
    later = Course.begin(parts, SMALL, config)
    later.step = 4
    again = next(later.batches(packed, parts.train))
    assert torch.equal(again.inputs["x"], whole[4].inputs["x"])
    without = next(Course.begin(parts, SMALL, CONFIG).batches(packed, parts.train))
    assert without.graphs == 4


def test_weights_that_forget_plain_systems_are_worth_less() -> None:
    right = {"ac1": 0.6, "ac3": 0.75, "signal": 0.7, "auc": 0.8, "silent": 1.0, "lone": 1.0}
    assert worth(right) > worth({**right, "ac1": 0.62, "silent": 0.9})
    assert worth(right) > worth({**right, "ac1": 0.62, "lone": 0.9})


def test_the_shipped_bundle_names_them() -> None:
    scorer = Scorer(load_bundle(default_bundle()))
    shares = {
        name: np.mean([scorer.score(one.snapshot).ranking()[0] == one.truth for one in found])
        for name, found in plain_examples(6, 100).items()
    }
    assert min(shares.values()) > 0.75
