"""The page of an evaluation: what it says, and where its marks lie."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from faultline.report.evaluation import evaluation_view, reliability
from faultline.report.render import render_evaluation
from gnn.evaluation.asking import judge_all
from gnn.evaluation.contenders import contenders, named
from gnn.evaluation.metrics import trust
from gnn.evaluation.study import Study, groups_of, versus
from onnx_models.bundle import default_bundle, load_bundle
from onnx_models.scorer import Scorer
from tests.gnn.test_evaluation import asked, fault


def study() -> Study:
    """Two faults, one of them ranked wrong, of a bundle against itself."""
    scorer = Scorer(load_bundle(default_bundle()))
    judged = judge_all(asked(fault(), fault(node="cart")), contenders(scorer, None, scorer))
    told = {"name": "<new>", "sha256": "ab" * 32}
    groups = groups_of(judged, {"shop": 3}, named(scorer))
    return Study(told, told, None, groups, versus(judged, named(scorer)))


def test_the_page_names_the_failure_and_escapes_names() -> None:
    page = render_evaluation(evaluation_view(study()))
    assert "&lt;new&gt;" in page
    assert "<new>" not in page
    assert "1 fault ranked wrong" in page
    assert "cart cpu (cpu_hog)" in page
    assert "2 faults; 3 more at nodes without any series" in page
    assert "not worse beyond noise" in page
    svgs = page.count('<svg class="chart')
    assert svgs >= 3
    for part in page.split('<svg class="chart')[1:]:
        ElementTree.fromstring('<svg class="chart' + part.partition("</svg>")[0] + "</svg>")


def test_marks_lie_on_a_scale_from_0_to_1() -> None:
    (only,) = evaluation_view(study()).sets
    marks = {line.label: line.marks[0] for line in only.plots[0].lines}
    ticks = {label: x for x, label in only.plots[0].ticks}
    assert marks["model"].x == (ticks["0"] + ticks["1"]) / 2
    assert marks["model"].left == ticks["0"]
    assert marks["model"].right == ticks["1"]
    assert marks["model"].own
    assert not marks["chance"].own


def test_a_trusted_confidence_lies_on_the_line() -> None:
    placed = reliability(trust([0.25] * 4 + [0.75] * 4, [1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0]))
    for point in placed.points:
        assert point.x == placed.side - point.y
