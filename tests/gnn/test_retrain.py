"""When a retrained bundle is better than the one it came from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gnn.archive import Labelled
from gnn.evaluation.asking import judge_all
from gnn.evaluation.contenders import MODEL, contenders, named
from gnn.evaluation.metrics import LEAST, Difference, Interval
from gnn.evaluation.study import Study, Versus, groups_of
from gnn.retrain import Retrained
from onnx_models.bundle import default_bundle, load_bundle
from onnx_models.scorer import Scorer
from tests.gnn.test_evaluation import asked, fault


def retrained(ac1: float, avg5: float, study: Study | None = None) -> Retrained:
    """A retraining whose bundle differs by so much over all faults."""
    told = Versus("old-1", Difference(20, 0.95, *(Interval(v, v - 0.5, v + 0.5) for v in (ac1, avg5))))
    empty = Study({"name": "new"}, {"name": "old-1"}, None, (), told)
    found = Labelled((), (), 1, 0, 0)
    return Retrained(load_bundle(default_bundle()), found, 0, 1, study or empty)


@pytest.mark.parametrize(
    ("ac1", "avg5", "better"),
    [
        (0.1, 0.1, True),
        (0.0, 0.01, True),
        (0.01, 0.0, True),
        (0.0, 0.0, False),
        (0.1, -0.01, False),
        (-0.01, 0.1, False),
    ],
)
def test_better_is_ahead_in_one_measure_and_behind_in_none(ac1: float, avg5: float, better: bool) -> None:
    assert retrained(ac1, avg5).better is better


def test_what_is_worse_in_one_set_is_not_better() -> None:
    scorer = Scorer(load_bundle(default_bundle()))
    good = contenders(scorer, None, scorer, series=False)
    faults = [fault() for _ in range(LEAST)]
    bad = {**good, MODEL: lambda case: replace(good[MODEL](case), node=np.array([2.0, 1.0, 0.0]))}
    groups = groups_of(judge_all(asked(*faults), bad), {}, named(scorer))
    study = replace(retrained(0.1, 0.1).study, groups=groups)
    assert study.worse == ("shop",)
    assert not retrained(0.1, 0.1, study).better
