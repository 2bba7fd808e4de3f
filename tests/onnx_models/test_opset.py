"""The operator set that a model's bytes name."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from onnx_models.bundle import default_bundle, load_bundle
from onnx_models.opset import opset_of


def test_the_released_bundle_is_of_the_operator_set_of_its_manifest() -> None:
    bundle = load_bundle(default_bundle())
    assert opset_of(bundle.model_file.read_bytes()) == bundle.manifest.opset


@pytest.mark.parametrize("version", [1, 18, 300])
def test_the_standard_operators_count_and_no_other_domain(version: int) -> None:
    graph = helper.make_graph([], "nothing", [], [])
    sets = [helper.make_opsetid("com.example", 7), helper.make_opsetid("", version)]
    model = helper.make_model(graph, opset_imports=sets)
    assert opset_of(model.SerializeToString()) == version
    named = helper.make_model(graph, opset_imports=[helper.make_opsetid("ai.onnx", version)])
    assert opset_of(named.SerializeToString()) == version
    foreign = helper.make_model(graph, opset_imports=sets[:1])
    assert opset_of(foreign.SerializeToString()) is None


@given(st.binary(max_size=200))
def test_any_bytes_give_a_number_or_none(data: bytes) -> None:
    found = opset_of(data)
    assert found is None or found >= 0


def test_a_model_that_is_cut_short_has_none() -> None:
    graph = helper.make_graph([], "nothing", [], [])
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]).SerializeToString()
    assert opset_of(whole[:-1]) is None
    assert opset_of(np.zeros(4, np.uint8).tobytes() + b"\xff") is None
