"""Bundles are written once, verified on load, and refused when anything does not fit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from onnx_models.bundle import Bundle, Confidence, Manifest, load_bundle, released, write_bundle
from onnx_models.errors import BundleError
from onnx_models.features import INPUTS, OUTPUTS, WINDOW_TICKS, schema_hash
from records.frames import VERSION
from records.signals import SIGNALS


def manifest(version: int = 1) -> Manifest:
    return Manifest(
        name="tiny",
        version=version,
        opset=18,
        window_ticks=WINDOW_TICKS,
        signals=tuple(SIGNALS),
        frame_version=VERSION,
        feature_schema_hash=schema_hash(),
        inputs={},
        outputs={},
        sha256="",
        golden_sha256="",
        temperature=1.0,
        confidence=Confidence(bias=0.0, weights=(1.0,)),
        trained_on={"snapshots": 0},
        parameters=1,
    )


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    inputs = {name: np.full(3, 1.5, np.float32) for name in INPUTS}
    outputs = {name: np.full(2, 2.5, np.float32) for name in OUTPUTS}
    return write_bundle(tmp_path, manifest(), b"weights", [(inputs, outputs)], "# card\n")


def test_written_and_read_back(bundle: Bundle) -> None:
    again = load_bundle(bundle.path)
    assert again.manifest == bundle.manifest
    assert again.model_file.read_bytes() == b"weights"
    ((inputs, outputs),) = again.golden()
    assert set(inputs) == set(INPUTS)
    assert outputs["anomaly"].tolist() == [2.5, 2.5]


def test_never_overwritten(bundle: Bundle) -> None:
    with pytest.raises(BundleError, match="never overwritten"):
        write_bundle(bundle.path.parent, manifest(), b"other", [], "")
    assert bundle.model_file.read_bytes() == b"weights"


@pytest.mark.parametrize("name", ["model.onnx", "golden.npz"])
def test_a_changed_file_is_refused_with_a_mend(bundle: Bundle, name: str) -> None:
    (bundle.path / name).write_bytes(b"tampered")
    with pytest.raises(BundleError, match=f"{name} has SHA-256") as caught:
        load_bundle(bundle.path)
    assert caught.value.mend


@pytest.mark.parametrize(
    ("key", "value"),
    [("feature_schema_hash", "0" * 64), ("window_ticks", 12), ("frame_version", 99), ("signals", ["cpu"])],
)
def test_a_bundle_for_another_encoder_is_refused(bundle: Bundle, key: str, value: object) -> None:
    file = bundle.path / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), key: value}))
    with pytest.raises(BundleError, match=key):
        load_bundle(bundle.path)


def test_unknown_keys_and_missing_files_are_named(bundle: Bundle, tmp_path: Path) -> None:
    file = bundle.path / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "sha265": "typo"}))
    with pytest.raises(BundleError, match="sha265"):
        load_bundle(bundle.path)
    with pytest.raises(BundleError, match=r"no manifest\.json"):
        load_bundle(tmp_path / "nowhere")


def test_released_sorts_versions_as_numbers(tmp_path: Path) -> None:
    for version in (1, 2, 10):
        write_bundle(tmp_path, manifest(version), b"", [], "")
    (tmp_path / "notes").mkdir()
    assert [path.name for path in released(tmp_path)] == ["tiny-1", "tiny-2", "tiny-10"]
