"""Loads a bundle in the worker: verified, proved on its golden arrays, and warm. Imports onnx_models.

What a worker's process has proved is kept for a while, so that the operator that scores finds ready what
the operator that answers for new bundles has loaded: the Python operators of a slot share a process. Where
they do not, each loads for itself.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from onnx_models.bundle import Bundle, load_bundle
from onnx_models.errors import BundleError, ScoringError
from onnx_models.opset import opset_of
from onnx_models.places import bundle_folder
from onnx_models.scorer import Scorer
from onnx_models.scores import Scores
from onnx_models.snapshot import Snapshot
from records.incidents import ModelRef
from records.model_control import BundleRef

Provider = Literal["cpu", "gpu"]
TOLERANCE: Final = 1e-3
"""How far a golden output may be from this runtime's: other CPUs and providers round differently."""
MOST_KEPT: Final = 4
"""Proved models that a process keeps, the newest."""
_WARM_RUNS: Final = 3

log = logging.getLogger(__name__)
_kept: dict[tuple[str, Provider], LoadedModel] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class LoadedModel:
    """A model ready to score; `score` raises ScoringError where it has no answer."""

    reference: ModelRef
    score: Callable[[Snapshot], Scores]


def load_model(named: str | None, sha256: str, provider: Provider) -> LoadedModel:
    """The configuration's model, after it gave its golden answers here.

    BundleError where it is another or answers differently.
    """
    bundle = load_bundle(bundle_folder(named, sha256))
    if bundle.manifest.sha256 != sha256:
        raise BundleError(
            f"{bundle.path}: the worker has {bundle.manifest.sha256[:12]}, the job wants {sha256[:12]}",
            "install the same Faultline on the workers, or name a bundle on storage that all of them see",
        )
    scorer = _scorer(bundle, provider)
    prove(bundle, scorer)
    return _loaded(bundle, scorer)


def prove_published(wanted: BundleRef, provider: Provider, slow_ms: float) -> LoadedModel:
    """The model of a bundle that was published; kept in this process once it is proved.

    BundleError where the folder holds another one, it does not fit or does not run here, has no golden
    arrays, answers them differently, or takes longer than `slow_ms` for one of them.
    """
    bundle = load_bundle(bundle_folder(wanted.path, wanted.sha256))
    found = bundle.manifest
    if (found.name, found.version, found.sha256) != (wanted.name, wanted.version, wanted.sha256):
        raise BundleError(
            f"{bundle.path} holds {found.name}-{found.version} {found.sha256[:12]}, "
            f"{wanted.label} {wanted.sha256[:12]} was published",
            "publish the bundle that lies there",
        )
    _check_opset(bundle)
    scorer = _scorer(bundle, provider)
    golden = len(bundle.golden())
    if not golden:
        raise BundleError(f"{bundle.path}: no golden arrays to prove it on", "release the model again")
    prove(bundle, scorer)
    began = time.perf_counter()
    scorer.check_golden()
    took_ms = (time.perf_counter() - began) * 1_000 / golden
    if took_ms > slow_ms:
        message = f"{bundle.path}: takes {took_ms:.0f} ms for a golden snapshot, more than {slow_ms:g} ms"
        raise BundleError(message, "publish a smaller model, or raise score.breaker.slow_ms")
    model = _loaded(bundle, scorer)
    with _lock:
        _kept.pop((found.sha256, provider), None)
        _kept[found.sha256, provider] = model
        while len(_kept) > MOST_KEPT:
            _kept.pop(next(iter(_kept)))
    return model


def kept_model(sha256: str, provider: Provider) -> LoadedModel | None:
    """A model that this process has proved lately; None for any other."""
    with _lock:
        return _kept.get((sha256, provider))


def _check_opset(bundle: Bundle) -> None:
    found, said = opset_of(bundle.model_file.read_bytes()), bundle.manifest.opset
    if found != said:
        message = f"{bundle.model_file} is of operator set {found}, its manifest says {said}"
        raise BundleError(message, "release the model again")


def _scorer(bundle: Bundle, provider: Provider) -> Scorer:
    try:
        return Scorer(bundle, provider)
    except ImportError:
        raise
    except Exception as error:  # the runtime's errors of loading have no common base
        first = str(error).strip().partition("\n")[0]
        mend = "release the model for the operator sets of the pinned ONNX Runtime"
        raise BundleError(f"{bundle.model_file}: ONNX Runtime does not load it: {first}", mend) from error


def _loaded(bundle: Bundle, scorer: Scorer) -> LoadedModel:
    manifest = bundle.manifest
    log.info(
        "stage=score event=loaded model=%s-%s provider=%s", manifest.name, manifest.version, scorer.provider
    )
    reference = ModelRef(
        name=manifest.name, version=str(manifest.version), sha256=manifest.sha256, provider=scorer.provider
    )
    return LoadedModel(reference, scorer.score)


def prove(bundle: Bundle, scorer: Scorer) -> None:
    """Runs the golden inputs, several times so that the first snapshot finds a warm session."""
    try:
        worst = max(scorer.check_golden() for _ in range(_WARM_RUNS))
    except ScoringError as error:
        mend = "release the model again, with the inputs that this version encodes"
        raise BundleError(f"{bundle.path}: its golden arrays cannot be scored: {error}", mend) from error
    if worst > TOLERANCE:
        raise BundleError(
            f"{bundle.path}: differs from the golden answers on this machine by {worst:g}",
            "release the model again, or use a runtime of the pinned version",
        )
