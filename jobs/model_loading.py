"""Loads a bundle in the worker: verified, proved on its golden arrays, and warm. Imports onnx_models."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from onnx_models.bundle import Bundle, default_bundle, load_bundle
from onnx_models.errors import BundleError, ScoringError
from onnx_models.scorer import Scorer
from onnx_models.scores import Scores
from onnx_models.snapshot import Snapshot
from records.incidents import ModelRef

TOLERANCE: Final = 1e-3
"""How far a golden output may be from this runtime's: other CPUs and providers round differently."""
_WARM_RUNS: Final = 3

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LoadedModel:
    """A model ready to score: `score_each` gives a Scores or a ScoringError per snapshot."""

    reference: ModelRef
    score_each: Callable[[Sequence[Snapshot]], list[Scores | ScoringError]]


def bundle_folder(named: str | None) -> Path:
    """The bundle's folder: the named one, else the newest released one of this installation."""
    return default_bundle() if named is None else Path(named)


def load_model(named: str | None, sha256: str, provider: Literal["cpu", "gpu"]) -> LoadedModel:
    """The model, after it gave its golden answers here.

    BundleError where it is another or answers differently.
    """
    bundle = load_bundle(bundle_folder(named))
    if bundle.manifest.sha256 != sha256:
        raise BundleError(
            f"{bundle.path}: the worker has {bundle.manifest.sha256[:12]}, the job wants {sha256[:12]}",
            "install the same Faultline on the workers, or name a bundle on storage that all of them see",
        )
    scorer = Scorer(bundle, provider)
    prove(bundle, scorer)
    manifest = bundle.manifest
    log.info(
        "stage=score event=loaded model=%s-%s provider=%s", manifest.name, manifest.version, scorer.provider
    )
    reference = ModelRef(
        name=manifest.name, version=str(manifest.version), sha256=manifest.sha256, provider=scorer.provider
    )
    return LoadedModel(reference, scorer.score_each)


def prove(bundle: Bundle, scorer: Scorer) -> None:
    """Runs the golden inputs, several times so that the first snapshot finds a warm session."""
    worst = max(scorer.check_golden() for _ in range(_WARM_RUNS))
    if worst > TOLERANCE:
        raise BundleError(
            f"{bundle.path}: differs from the golden answers on this machine by {worst:g}",
            "release the model again, or use a runtime of the pinned version",
        )
