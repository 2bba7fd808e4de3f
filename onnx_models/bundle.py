"""Bundles: a released model in a folder ``<name>-<version>``; written once, verified on every load.

    model.onnx      the network: features.INPUTS -> features.OUTPUTS
    manifest.json   the Manifest below
    golden.npz      <i>/<name>: inputs and outputs of a few snapshots, to prove a runtime right
    card.md         what it was trained on and how it scores, for people

Imports no runtime; :mod:`onnx_models.scorer` runs what this module loads.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, ValidationError

from onnx_models.errors import BundleError
from onnx_models.features import INPUTS, OUTPUTS, WINDOW_TICKS, schema_hash, version_of
from records.frames import VERSION as FRAME_VERSION
from records.signals import SIGNALS

MODEL, MANIFEST, GOLDEN, CARD = "model.onnx", "manifest.json", "golden.npz", "card.md"
RELEASED = Path(__file__).parent / "released"
_FOLDER = re.compile(r"(?P<name>[a-z0-9][a-z0-9-]*)-(?P<version>\d+)")

Arrays = Mapping[str, npt.NDArray[Any]]


class Confidence(BaseModel):
    """Calibration of the confidence: sigmoid(bias + weights . features), see ``confidence.py``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bias: float
    weights: tuple[float, ...]


class Manifest(BaseModel):
    """manifest.json: everything needed to decide whether a model fits this process. Unknown keys are
    refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    version: int
    opset: int
    window_ticks: int
    signals: tuple[str, ...]
    frame_version: int
    feature_schema_hash: str
    inputs: dict[str, str]
    outputs: dict[str, str]
    sha256: str
    golden_sha256: str
    temperature: float
    confidence: Confidence
    trained_on: dict[str, Any]
    parameters: int


@dataclass(frozen=True, slots=True)
class Bundle:
    """A verified bundle on disk."""

    path: Path
    manifest: Manifest

    @property
    def model_file(self) -> Path:
        """The ONNX file."""
        return self.path / MODEL

    @property
    def encoding_version(self) -> int:
        """The version of the features it was trained on; checked when it was loaded."""
        version = version_of(self.manifest.feature_schema_hash)
        assert version is not None
        return version

    def golden(self) -> list[tuple[dict[str, npt.NDArray[Any]], dict[str, npt.NDArray[Any]]]]:
        """Return (inputs, outputs) of each golden snapshot."""
        with np.load(self.path / GOLDEN, allow_pickle=False) as arrays:
            keys = sorted({int(name.split("/")[0]) for name in arrays.files})
            return [
                (
                    {name: arrays[f"{key}/{name}"] for name in INPUTS},
                    {name: arrays[f"{key}/{name}"] for name in OUTPUTS},
                )
                for key in keys
            ]


def file_sha256(path: Path) -> str:
    """Return the SHA-256 (hex) of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def load_bundle(path: Path | str) -> Bundle:
    """Return the bundle at ``path`` after checking hashes, window, signals, frame version and feature schema.

    A bundle of an older encoding or frame version is read: it is given the features it knows.

    Raises BundleError that names the file and what to do.
    """
    folder = Path(path)
    manifest = read_manifest(folder)
    for name in (MODEL, GOLDEN):
        _check_there(folder, name)
    _check_hash(folder / MODEL, manifest.sha256)
    _check_hash(folder / GOLDEN, manifest.golden_sha256)
    _check_fit(folder, manifest)
    return Bundle(folder, manifest)


def _check_there(folder: Path, name: str) -> None:
    if not (folder / name).is_file():
        shipped = ", ".join(each.name for each in released())
        mend = f"point to a folder <name>-<version> that a release wrote, or name a shipped one: {shipped}"
        raise BundleError(f"no {name} in the bundle {folder}", mend)


def read_manifest(folder: Path) -> Manifest:
    """Return what the bundle says of itself, unchecked. Raises BundleError where it cannot be read."""
    _check_there(folder, MANIFEST)
    path = folder / MANIFEST
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise BundleError(f"{path}: {place}: {first['msg']}", "release the model again") from error


def _check_hash(path: Path, expected: str) -> None:
    actual = file_sha256(path)
    if actual != expected:
        raise BundleError(
            f"{path} has SHA-256 {actual}, its manifest says {expected}",
            "the file was changed or cut short: fetch the bundle again, or release the model again",
        )


def _check_fit(folder: Path, manifest: Manifest) -> None:
    known = version_of(manifest.feature_schema_hash) is not None
    wanted: dict[str, object] = {
        "feature_schema_hash": manifest.feature_schema_hash if known else schema_hash(),
        "frame_version": min(manifest.frame_version, FRAME_VERSION),
        "window_ticks": WINDOW_TICKS,
        "signals": tuple(SIGNALS),
    }
    for key, value in wanted.items():
        if getattr(manifest, key) != value:
            raise BundleError(
                f"{folder}: {key} is {getattr(manifest, key)!r}, this version of Faultline encodes {value!r}",
                "use the bundle released with this version, or train and release one with it",
            )


def folder_name(manifest: Manifest) -> str:
    """Return the name of the bundle's folder. Raises BundleError where its name can be none."""
    name = f"{manifest.name}-{manifest.version}"
    if not _FOLDER.fullmatch(name):
        raise BundleError(f"{name!r} is no name of a bundle", "release the model again: [a-z0-9-]")
    return name


def released(folder: Path | str = RELEASED) -> list[Path]:
    """Return the bundle folders below ``folder``, by name and then by version, newest last."""
    found = [(match["name"], int(match["version"]), path) for path, match in _folders(Path(folder))]
    return [path for _, _, path in sorted(found)]


def _folders(folder: Path) -> Iterable[tuple[Path, re.Match[str]]]:
    for path in folder.iterdir() if folder.is_dir() else ():
        match = _FOLDER.fullmatch(path.name)
        if match and path.is_dir():
            yield path, match


def default_bundle() -> Path:
    """Return the newest bundle that ships with Faultline. Raises BundleError when there is none."""
    found = released()
    if not found:
        raise BundleError(f"no bundle in {RELEASED}", "install Faultline again, or name a bundle")
    return found[-1]


def write_bundle(
    parent: Path | str, manifest: Manifest, model: bytes, golden: Iterable[tuple[Arrays, Arrays]], card: str
) -> Bundle:
    """Write ``parent/<name>-<version>`` and load it back; the manifest's two hashes are filled in here.

    Raises BundleError if the folder exists: a released bundle is never overwritten.
    """
    folder = Path(parent) / f"{manifest.name}-{manifest.version}"
    if folder.exists():
        raise BundleError(f"{folder} exists and is never overwritten", "release under the next version")
    folder.mkdir(parents=True)
    (folder / MODEL).write_bytes(model)
    arrays = {
        f"{number}/{name}": np.asarray(array)
        for number, pair in enumerate(golden)
        for part in pair
        for name, array in part.items()
    }
    with (folder / GOLDEN).open("wb") as file:
        np.savez_compressed(file, **arrays)
    hashes = {"sha256": file_sha256(folder / MODEL), "golden_sha256": file_sha256(folder / GOLDEN)}
    filled = manifest.model_copy(update=hashes)
    text = json.dumps(filled.model_dump(mode="json"), indent=1)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
    (folder / CARD).write_text(card, encoding="utf-8")
    return load_bundle(folder)
