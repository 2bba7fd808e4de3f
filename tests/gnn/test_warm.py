"""Training starts where a released bundle stands: the same answers, until it learns."""

from __future__ import annotations

import numpy as np
import pytest

from gnn.config import ModelConfig
from gnn.export import random_inputs, run_torch, to_onnx
from gnn.model import RootCauseNet
from gnn.warm import start_from
from onnx_models.bundle import RELEASED, load_bundle
from onnx_models.errors import BundleError
from onnx_models.features import narrowed
from onnx_models.scorer import OnnxRun


@pytest.mark.parametrize("path", sorted(RELEASED.glob("faultline-gnn-*")), ids=lambda path: path.name)
def test_a_network_started_from_a_bundle_answers_as_the_bundle(path: object) -> None:
    bundle = load_bundle(str(path))
    model = RootCauseNet(ModelConfig())
    start_from(model, bundle)
    arrays = random_inputs(5, 30, 60)
    told = OnnxRun(bundle.model_file).run(narrowed(arrays, bundle.encoding_version))
    again = run_torch(model.eval(), arrays)
    for name, array in told.items():
        assert np.abs(array - again[name]).max() < 1e-4, name
    assert len(to_onnx(model)) < 1_000_000


def test_a_bundle_of_another_size_is_refused() -> None:
    bundle = load_bundle(RELEASED / "faultline-gnn-1")
    with pytest.raises(BundleError, match="shape"):
        start_from(RootCauseNet(ModelConfig(hidden=32)), bundle)
